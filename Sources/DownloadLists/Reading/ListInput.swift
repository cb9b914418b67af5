package import DownloadCore
package import DownloadMetalink
package import DownloadSignatures

/// A list of the command line. It is read twice: once before the start, and once more while the run lasts.
package final class ListInput: RequestInput {
  /// The list's name as messages show it.
  package let name: String
  /// Where the list's names and relative references lead; nil if nothing tells it.
  package let base: BaseURL?
  package let trust: ListTrust
  /// The origins that the command line names for the list. A redirect of the list names none.
  package let namedOrigins: [Origin]
  /// The signature that vouches for the list; nil where it needs none.
  package let signature: ListSignature?
  package private(set) var origin: MetalinkOrigin?
  /// Never nil.
  package var format: ListFormat? { reading.format }
  private let text: ListText
  package let reading: ListReading
  package let listName: ListName
  private var parser: any ListParser
  private var hasEnded = false

  /// Opens the list and detects its format.
  ///
  /// - Parameters:
  ///   - inputs: note the list.
  ///   - base: what `--base-url` says; nil if it is not given.
  ///   - verifier: nil where lists need no signature.
  init(
    _ source: ListSource, notedIn inputs: DecidingInputs, base: BaseURL?, _ options: ListOptions,
    _ verifier: ListVerifier?, _ patience: ListPatience = ListPatience()
  ) throws(Failure) {
    let file = try source.open(notedIn: inputs, verifier, patience)
    signature = file.signature
    text = try ListText(file)
    name = source.name
    trust = file.trust
    self.base = base ?? source.fetched?.base
    namedOrigins = [base?.location.origin, source.fetched?.url.location.origin].compactMap { $0 }
    listName = ListName(path: source.fileName, suffix: text.compression?.suffix)
    if options.inputFormat == nil,
      let foreign = ForeignText(beginning: try text.beginning(byteCount: ListBeginning.byteCount))
    {
      throw Failure(.foreign(foreign), of: name)
    }
    // Without a base URL, a word in a URL list is a mistake.
    reading = try ListReading(
      of: text, options, hasBase: self.base != nil, allowsReferences: self.base != nil && base !== BaseURL.nowhere,
      page: source.fetched?.page ?? .only)
    parser = reading.parser(listName)
    if isFetched, format != .metalink { try refuseMarkup() }
    if source.fetched?.nextPage != nil, source.fetched?.page == .only, reading.hasPages {
      throw Failure(.json(.nextPage), of: name)
    }
  }

  /// Servers send error pages with status 200.
  private func refuseMarkup() throws(Failure) {
    let beginning = try text.beginning(byteCount: ListBeginning.byteCount)
    let first = beginning.first { ![0xef, 0xbb, 0xbf].contains($0) && !" \t\r\n".utf8.contains($0) }
    if first == UInt8(ascii: "<") { throw Failure(.markup, of: name) }
  }

  /// Whether its text ended with an error. What was wrong with its entries before may be due to that.
  private(set) var isDamaged = false

  /// The lines of the entry that was returned last, or of what was refused last, in a list that consists of lines. Nil
  /// where they are not known.
  package var entryText: [UInt8]? { (parser as? LineListParser)?.text }

  package var passedCount: Int { parser.passedCount }

  /// The next entry; nil at the end of the list.
  ///
  /// - Throws: a usage error for an invalid entry, after which the following call goes on, or for compressed data
  ///   that is not intact; any other error where the list cannot be read or has changed since it was first read.
  package func next() throws(Failure) -> ListEntry? {
    try next { (parser: inout any ListParser) throws(ListError) in try parser.next() }
  }

  package func next(skipping isSkipped: (PlainEntry) -> Bool) throws(Failure) -> ListEntry? {
    try next { (parser: inout any ListParser) throws(ListError) in try parser.next(skipping: isSkipped) }
  }

  /// - Parameter parsed: asks the parser for the next entry of the bytes that it has.
  private func next(
    _ parsed: (inout any ListParser) throws(ListError) -> ListEntry?
  ) throws(Failure) -> ListEntry? {
    while true {
      do throws(ListError) {
        if let entry = try parsed(&parser) { return entry }
      } catch {
        throw Failure(error.problem, of: "\(name):\(error.lineNumber)")
      }
      if hasEnded { return nil }
      if let block = try nextBlock() {
        parser.append(block)
      } else {
        parser.end()
        hasEnded = true
      }
    }
  }

  /// Reads the rest of a compressed list, whose end may show that what was wrong before is due to damage.
  ///
  /// - Throws: as `next`.
  func requireIntact() throws(Failure) {
    guard text.compression != nil, !hasEnded else { return }
    while try nextBlock() != nil {}
    hasEnded = true
  }

  /// Nothing follows an error.
  private func nextBlock() throws(Failure) -> UnsafeRawBufferPointer? {
    do throws(Failure) { return try text.nextBlock() } catch {
      hasEnded = true
      isDamaged = true
      throw error
    }
  }

  /// Starts over at the first entry.
  package func rewind() { rewind(keepsText: false) }

  /// - Parameter keepsText: whether `entryText` is wanted.
  func rewind(keepsText: Bool) {
    if let metalink = parser as? MetalinkParser, hasEnded { origin = metalink.origin }
    text.rewind()
    parser = reading.parser(listName, keepsText: keepsText)
    hasEnded = false
  }
}
