/// Parses URL lists, aria2 input files and checksum lists. Holds no more than an entry and the last bytes.
///
/// An entry may be a line, a part of a line or many lines; only the format's parser knows. An error drops the entry to
/// which the invalid line belongs, because that line may be its checksum.
package struct LineListParser: ListParser, LineReading {
  package static let formats: [ListFormat] = [.urlList, .aria2, .checksums]

  private let format: ListFormat
  package var lines = LineSplitter()
  private var urls: Aria2ListParser
  private var checksums: ChecksumListParser
  private var isFinished = false
  /// Whether the last error is that of a line whose text is not known.
  private var lacksText = false

  /// - Parameters:
  ///   - format: one of `formats`.
  ///   - defaultAlgorithm: the algorithm that the name of a checksum list states (`B2SUMS`), for digests of that length
  ///     without a named algorithm. Otherwise the length selects MD5, SHA-1 or SHA-2.
  ///   - bareName: the file of a digest that stands alone in a checksum list; nil where the list's name tells none.
  ///   - preambleLineCount: the lines of text before the first entry of a checksum list.
  ///   - allowsReferences: whether a URL list may hold relative references.
  ///   - keepsText: whether `text` is wanted of URL lists, whose entries may have several lines.
  package init(
    format: ListFormat, defaultAlgorithm: DigestAlgorithm? = nil, bareName: [UInt8]? = nil,
    preambleLineCount: Int = 0, allowsReferences: Bool = false, keepsText: Bool = false
  ) {
    self.format = format
    urls = Aria2ListParser(allowsReferences: allowsReferences, keepsText: keepsText)
    checksums = ChecksumListParser(
      defaultAlgorithm: defaultAlgorithm, bareName: bareName, preambleLineCount: preambleLineCount)
  }

  package var passedCount: Int { checksums.passedCount }

  /// The lines of the entry that was returned or refused last, with line feeds between them; nil where they are not known.
  package var text: [UInt8]? {
    if lacksText { return nil }
    return format == .checksums ? Array(checksums.text(of: lines.line)) : urls.text
  }

  package mutating func next() throws(ListError) -> ListEntry? {
    lacksText = false
    do throws(ListProblem) {
      while true {
        if let byte = lines.nextByte, let entry = urls.entry(before: byte) { return entry }
        guard let line = try lines.next() else { break }
        if let entry = try take(line) { return entry }
      }
      guard lines.isAtEnd, !isFinished else { return nil }
      isFinished = true
      try checksums.finish()
      return urls.finish()
    } catch {
      lacksText = lines.line.isEmpty
      throw ListError(lineNumber: lines.lineNumber, error)
    }
  }

  package mutating func next(skipping isSkipped: (PlainEntry) -> Bool) throws(ListError) -> ListEntry? {
    while true {
      skipLines(isSkipped)
      guard let entry = try next() else { return nil }
      if !entry.isSkipped(by: isSkipped) { return entry }
    }
  }

  /// Skips lines without making entries of them.
  private mutating func skipLines(_ isSkipped: (PlainEntry) -> Bool) {
    switch format {
    case .checksums:
      lines.skip { [checksums] line, _ in checksums.plainEntry(line).map(isSkipped) ?? false }
    default:
      let last = lines.lineNumber
      lines.skip { [urls] line, next in urls.plainEntry(line, next: next).map(isSkipped) ?? false }
      if lines.lineNumber > last { urls.endEntry() }
    }
  }

  /// Takes the next line and returns the entry that it completes: its own in a checksum list, the previous one in a URL
  /// list, where an entry may span several lines, unless `entry(before:)` has returned it.
  private mutating func take(_ line: ArraySlice<UInt8>) throws(ListProblem) -> ListEntry? {
    switch format {
    case .urlList, .aria2: try urls.take(line, lineNumber: lines.lineNumber)
    case .checksums: try checksums.take(line, lineNumber: lines.lineNumber)
    case .metalink, .tsv, .csv, .fields, .json, .jsonl, .pooch, .deb822, .bagit:
      preconditionFailure("\(format) is no list of lines")
    }
  }
}
