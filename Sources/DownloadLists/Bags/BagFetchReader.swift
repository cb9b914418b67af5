internal import DownloadCore
internal import DownloadScratch

/// The lines of a bag's `fetch.txt`, each with the payload file that it has a URL for.
struct BagFetchReader {
  /// The file's name as messages show it.
  var name: String { reader.name }
  private let bag: BagContents
  private var reader: BagFileReader<BagFetchParser>
  /// The payload files for which lines have URLs that were read since the start or `rewind`.
  private var found = NumberSet()
  /// For each payload file the first line with a URL, 0 where none was read. Empty until a file has a second one.
  private var firstLines: [UInt32] = []

  init(_ bag: BagContents) throws(Failure) {
    self.bag = bag
    reader = try bag.reader(of: BagContents.fetch, BagFetchParser())
  }

  /// The next line and the number of its file in the bag's payload; nil at the end.
  ///
  /// - Throws: a usage error for an invalid line, after which the following call goes on.
  mutating func next() throws(Failure) -> (line: BagFetchLine, file: Int)? {
    guard let line = try reader.next() else { return nil }
    guard let file = try bag.payload.index(of: line.path) else {
      throw bag.error(.notInManifest(line.path.key), in: BagContents.fetch, line: line.lineNumber)
    }
    guard found.insert(file) else {
      if firstLines.isEmpty { try readFirstLines(before: line.lineNumber) }
      let problem = BagProblem.repeatedURL(line.path.key, line: Int(firstLines[file]))
      throw bag.error(problem, in: BagContents.fetch, line: line.lineNumber)
    }
    if !firstLines.isEmpty { firstLines[file] = UInt32(clamping: line.lineNumber) }
    return (line, file)
  }

  /// Reads again from the start to the line that was read last. Valid lists need no lines, which are 4 bytes for each file.
  private mutating func readFirstLines(before end: Int) throws(Failure) {
    firstLines = Array(repeating: 0, count: bag.payload.count)
    reader.rewind()
    while true {
      do throws(Failure) {
        guard let line = try reader.next(), line.lineNumber < end else { return }
        guard let file = try bag.payload.index(of: line.path), firstLines[file] == 0 else { continue }
        firstLines[file] = UInt32(clamping: line.lineNumber)
      } catch {
        // Told when it was read first.
        guard error.code == .usage else { throw error }
      }
    }
  }

  /// Whether a line that was read since the start or `rewind` has a URL for the file.
  func hasURL(for file: Int) -> Bool { found.contains(file) }

  /// Starts over at the first line.
  mutating func rewind() {
    reader.rewind()
    found = NumberSet()
  }
}
