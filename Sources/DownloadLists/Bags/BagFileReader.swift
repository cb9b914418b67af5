internal import DownloadCore
internal import DownloadWords

/// The elements of a file of a bag, one after the other.
struct BagFileReader<Parser: IncrementalParser> {
  /// The file's name as messages show it.
  let name: String
  private let file: ListFile
  /// The parser before the first byte.
  private let beginning: Parser
  private var parser: Parser
  private var hasEnded = false

  /// Opens the file.
  ///
  /// - Parameters:
  ///   - path: the user's path of it.
  ///   - inputs: note it.
  init(_ path: [UInt8], notedIn inputs: DecidingInputs, _ parser: Parser) throws(Failure) {
    name = Diagnostic.escaped(Redaction.name(path))
    file = try ListFile(path: path, notedIn: inputs)
    beginning = parser
    self.parser = parser
  }

  /// The next element; nil at the end of the file.
  ///
  /// - Throws: a usage error for an invalid line, after which the following call goes on; any other error where the file
  ///   cannot be read or has changed since it was first read.
  mutating func next() throws(Failure) -> Parser.Element? {
    while true {
      if let element = try parsed() { return element }
      if hasEnded { return nil }
      if let block = try file.nextBlock() {
        parser.append(block)
      } else {
        parser.end()
        hasEnded = true
      }
    }
  }

  private mutating func parsed() throws(Failure) -> Parser.Element? {
    do throws(ListError) { return try parser.next() } catch {
      throw Failure(error.problem, of: "\(name):\(error.lineNumber)")
    }
  }

  /// Starts over at the first element.
  mutating func rewind() {
    file.rewind()
    parser = beginning
    hasEnded = false
  }
}
