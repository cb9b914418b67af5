internal import DownloadCore
internal import DownloadListWriting
internal import DownloadLists
internal import DownloadScratch
internal import DownloadWords

/// The list of failed files where their lists are lines of one format: the lines as they stand there, below comments, for
/// the same command line with it in place of the lists.
///
/// An entry of another format makes it unfit. So does one of a list from a URL, because a file is trusted as such a list
/// is not.
struct FailedLines {
  /// Longer names, reasons and invalid lines are cut: comments are lines, too. Bytes.
  private static let mostBytesOfWords = 1000
  /// Those that the length of a digest tells.
  private static let untagged: Set<DigestAlgorithm> = [.md5, .sha1, .sha224, .sha256, .sha384, .sha512]
  /// A comment before all others, which could be taken for the first line of a table.
  private static let heading = Array("# What failed\n".utf8)

  private let options: ListOptions
  private let vocabulary: Vocabulary
  private let name: ListName
  private let spool: TextSpool
  /// Of all lists; aria2 input files count as URL lists. Nil as long as nothing was added.
  private var format: ListFormat?
  private var hasEntries = false
  /// The first bytes, as many as `ListDetector` sees.
  private var head: [UInt8] = []
  private var isOneFormat = true

  /// - Parameter path: of the file that is made of it.
  init(path: [UInt8], _ options: ListOptions, _ vocabulary: Vocabulary) throws(FileFailure) {
    self.vocabulary = vocabulary
    self.options = options
    name = ListName(path: path)
    spool = try TextSpool(beside: path)
  }

  // MARK: Entries

  mutating func add(_ listed: ListedRequest, reason: [UInt8]) {
    guard let text = text(of: listed) else { return isOneFormat = false }
    hasEntries = true
    addComment(Self.printable(listed.request.target.name) + Array(": ".utf8) + Self.printable(reason))
    append(text + [0x0a])
  }

  /// The lines of an entry; nil where they cannot stand here.
  private mutating func text(of listed: ListedRequest) -> [UInt8]? {
    guard let entry = listed.entry, let list = listed.list, takes(list) else { return nil }
    let names = [list.listName, name]
    // A comment of the list may say what a line means.
    let isNamedAbove = entry.digests.count == 1 && !Self.untagged.contains(entry.digests[0].algorithm)
    guard format == .checksums, isNamedAbove || names.contains(where: { $0.algorithm != nil || $0.bareName != nil })
    else { return list.entryText }
    // The name of the list would say what a line means.
    guard let name = entry.name, entry.digests.count == 1 else { return nil }
    var line: [UInt8] = []
    ChecksumListWriter(isTagged: true).append(HashedFile(name: name, length: 0, digests: entry.digests), to: &line)
    return line.dropLast()
  }

  /// Whether entries of the list may stand beside the others.
  private mutating func takes(_ list: ListInput) -> Bool {
    guard !list.isFetched, let format = Self.general(list.reading.format) else { return false }
    if self.format == nil { self.format = format }
    return self.format == format
  }

  /// The format of aria2's input files is that of URL lists. Nil for one that does not consist of lines.
  private static func general(_ format: ListFormat) -> ListFormat? {
    guard LineListParser.formats.contains(format) else { return nil }
    return format == .aria2 ? .urlList : format
  }

  /// Adds an entry without which the run went on as a comment.
  mutating func add(_ problem: Failure, of list: ListInput?) {
    guard let list, takes(list) else { return isOneFormat = false }
    addComment(Self.printable(Array(Redaction.words(problem.message(in: vocabulary)).utf8)))
    for line in list.entryText?.split(separator: 0x0a) ?? [] { addComment(Self.printable(Array(line))) }
  }

  // MARK: The text

  private mutating func addComment(_ words: [UInt8]) { append(Array("# ".utf8) + words + [0x0a]) }

  private mutating func append(_ text: [UInt8]) {
    head += text.prefix(ListBeginning.byteCount - head.count)
    spool.append(text)
  }

  /// One line of printable UTF-8.
  private static func printable(_ bytes: [UInt8]) -> [UInt8] {
    let text = Diagnostic.escaped(bytes)
    guard text.utf8.count > mostBytesOfWords else { return Array(text.utf8) }
    var cut: [UInt8] = []
    for scalar in text.unicodeScalars {
      if cut.count + 4 > mostBytesOfWords { break }
      cut += Array(String(scalar).utf8)
    }
    return cut + "…".utf8
  }

  /// Whether the entries can be read again. Ask at the end.
  var isFit: Bool { isOneFormat && beginning != nil }

  /// The text before the first entry; nil if the format would not be detected.
  private var beginning: [UInt8]? {
    if !hasEntries || options.inputFormat != nil { return [] }
    return [[], Self.heading].first { beginning in
      let detected = ListDetector.format(of: beginning + head, hasColumns: ListReading.hasColumns(options.columns))
      return Self.general(detected) == format
    }
  }

  /// Replaces the file.
  func replaceFile(syncs: Bool) throws(FileFailure) {
    try spool.replaceFile(beginning: beginning ?? [], isPrivate: true, syncs: syncs)
  }
}
