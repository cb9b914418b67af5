import DownloadCore
import LocalFiles
import ManifestWriting

/// The list of failed files in the format of the lists that name them, for the same command line with it in their place.
///
/// Each entry is read back before it is taken. One that would mean something else, or that cannot stand beside the others,
/// makes the list unfit; so does an entry of a list from a URL, because a file is trusted as such a list is not.
struct OwnFormatList {
  /// Longer names, reasons and invalid lines are cut: comments are lines, too. Bytes.
  private static let mostBytesOfWords = 1000

  private let invocation: Invocation
  private let name: ListName
  private let spool: TextSpool
  /// Of all lists; aria2 input files count as URL lists. Nil as long as nothing was added.
  private var format: ManifestFormat?
  /// Of all entries; nil before the first one.
  private var frame: ListFrame?
  private var entryCount = 0
  /// The list and the line of the last row of a table. A row may hold several entries.
  private var lastRow: (list: ObjectIdentifier, line: Int)?
  /// The first bytes behind the beginning, as many as `ManifestDetector` sees.
  private var head: [UInt8] = []
  private(set) var isFit = true
  /// Whether it has no comments for what was left out.
  private(set) var lacksRefused = false

  /// - Parameter path: of the file that is made of it.
  init(path: [UInt8], _ invocation: Invocation) throws(FileFailure) {
    self.invocation = invocation
    name = ListName(path: path)
    spool = try TextSpool(beside: path)
  }

  // MARK: Entries

  private typealias Original = (entry: ManifestEntry, text: EntryText, reading: ListReading)

  mutating func add(_ listed: ListedRequest, reason: [UInt8]) {
    if isFit { isFit = append(listed, reason) }
  }

  /// - Returns: whether the list is still fit.
  private mutating func append(_ listed: ListedRequest, _ reason: [UInt8]) -> Bool {
    let original = listed.list.map { Self.original(listed, $0) } ?? operand(listed)
    guard let (entry, text, reading) = original, takes(reading.format), frame ?? text.frame == text.frame else {
      return false
    }
    if case .table = text.frame, let list = listed.list.map(ObjectIdentifier.init) {
      if let lastRow, lastRow == (list, entry.lineNumber) { return true }
      lastRow = (list, entry.lineNumber)
    }
    let writer = FailedListWriters.writer(text.frame)
    var failed = FailedEntry(
      text: text.bytes, entry, name: Self.printable(listed.request.target.name), reason: Self.printable(reason))
    if !isRead(failed, writer, reading) {
      guard reading.format == .checksums, let line = FailedLines.taggedLine(of: entry) else { return false }
      failed.text = line
      guard isRead(failed, writer, reading) else { return false }
    }
    guard let written = writer.text(of: failed, isFirst: entryCount == 0) else { return false }
    frame = text.frame
    entryCount += 1
    append(written)
    return true
  }

  private static func original(_ listed: ListedRequest, _ list: ListInput) -> Original? {
    guard let entry = listed.entry, !list.isFetched else { return nil }
    if list.reading.format == .metalink { return (entry, EntryText([], .metalink), list.reading) }
    return list.entryText.map { (entry, $0, list.reading) }
  }

  /// A URL of the command line, which is an entry of a URL list.
  private func operand(_ listed: ListedRequest) -> Original? {
    let given = invocation.inputFormat.flatMap { ManifestFormat(rawValue: $0) }
    guard listed.entry == nil, Self.general(given ?? .urlList) == .urlList else { return nil }
    let reading = ListReading(.aria2, invocation, columns: ColumnRules(), allowsReferences: false)
    let lines = FailedLines.lines(of: listed.request)
    guard let entry = reading.entries(of: lines, name)?.first,
      Set(entry.digests) == Set(listed.request.digests), entry.urls.count == listed.request.mirrors.count
    else { return nil }
    return (entry, EntryText(lines, .lines), reading)
  }

  /// Whether a list with this entry has it: a checksum file under its own name, and under one that tells nothing.
  private func isRead(_ failed: FailedEntry, _ writer: any FailedListWriter, _ reading: ListReading) -> Bool {
    guard let text = writer.text(of: failed, isFirst: true) else { return false }
    let nameTells = reading.format == .checksums && (name.algorithm != nil || name.bareName != nil)
    let names = nameTells ? [name, ListName(path: [])] : [name]
    return names.allSatisfy { name in
      reading.entries(of: writer.beginning + text + writer.end, name)?.contains { $0.says(failed.entry) } ?? false
    }
  }

  /// Whether a list of this format may stand beside the others.
  private mutating func takes(_ format: ManifestFormat) -> Bool {
    let format = Self.general(format)
    if self.format == nil { self.format = format }
    return self.format == format
  }

  /// The format of aria2's input files is that of URL lists.
  private static func general(_ format: ManifestFormat) -> ManifestFormat { format == .aria2 ? .urlList : format }

  // MARK: What is refused

  /// Adds an entry without which the run went on as a comment, where the format has them.
  mutating func add(_ problem: DownloadError, of list: ListInput?) {
    guard isFit, let list else { return }
    guard !list.isFetched, takes(list.reading.format) else { return isFit = false }
    let isMetalink = list.reading.format == .metalink
    guard isMetalink || Self.hasComments(list.reading.format) else { return lacksRefused = true }
    let writer = FailedListWriters.writer(isMetalink ? .metalink : .lines)
    append(writer.remark(Self.printable(Array(Redaction.words(problem.message).utf8))))
    for line in list.entryText?.bytes.split(separator: 0x0a) ?? [] {
      append(writer.remark(Self.printable(Array(line))))
    }
  }

  private static func hasComments(_ format: ManifestFormat) -> Bool {
    switch format {
    case .urlList, .aria2, .checksums, .pooch, .bagit: true
    case .metalink, .tsv, .csv, .json, .jsonl: false
    }
  }

  // MARK: The text

  private mutating func append(_ text: [UInt8]) {
    head += text.prefix(ManifestDetector.maximumByteCount - head.count)
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

  /// Decides at the end whether the format would be detected, as far as no option names it.
  mutating func end() {
    if isFit, entryCount > 0 { isFit = beginning != nil }
  }

  /// The text before the first entry; nil if the format would not be detected.
  private var beginning: [UInt8]? {
    guard let frame, let format else { return writer?.beginning ?? [] }
    let beginning = FailedListWriters.writer(frame).beginning
    if invocation.inputFormat != nil { return beginning }
    let hasColumns = ListReading.hasColumns(invocation)
    func isDetected(_ beginning: [UInt8]) -> Bool {
      let detected = ManifestDetector.format(of: beginning + head, hasColumns: hasColumns)
      // A record that is alone is a document, too.
      return Self.general(detected) == format
        || hasColumns && entryCount == 1 && format == .jsonl && detected == .json
    }
    if isDetected(beginning) { return beginning }
    return frame == .lines && isDetected(FailedLines.heading) ? FailedLines.heading : nil
  }

  private var writer: (any FailedListWriter)? {
    if let frame { return FailedListWriters.writer(frame) }
    return format == .metalink && !head.isEmpty ? FailedListWriters.writer(.metalink) : nil
  }

  /// Replaces the file.
  func replaceFile(syncs: Bool) throws(FileFailure) {
    try spool.replaceFile(beginning: beginning ?? [], end: writer?.end ?? [], isPrivate: true, syncs: syncs)
  }
}

extension ManifestEntry {
  /// Whether both describe the same file in the same way, on whatever line.
  fileprivate func says(_ other: ManifestEntry) -> Bool {
    var entry = self
    entry.lineNumber = other.lineNumber
    if entry == other { return true }
    // The order of digests says nothing.
    guard Set(digests) == Set(other.digests) else { return false }
    entry.digests = other.digests
    return entry == other
  }
}
