/// Encodes and decodes the text of a record: `key: value` lines; bytes outside printable ASCII are percent-encoded.
///
/// Unknown keys are ignored, so that later versions may add some. An invalid value of a known key makes the whole
/// record damaged.
enum SidecarCoding {
  /// Bounds of fields, so that the lines of one mirror and those before it fill at most half a slot.
  private enum Limit {
    static let digestCount = 8
    /// A kernel's boot id has 36 bytes.
    static let bootIDByteCount = 64
    /// Percent-encoded.
    static let urlByteCount = 2048
    static let codingByteCount = 128
    static let hashDigits = 16...64
  }

  /// The text in at most `capacity` bytes. A record that would be longer claims less.
  static func encode(_ record: SidecarRecord, capacity: Int) -> [UInt8] {
    var record = normalized(record)
    var fixed = fixedLines(record)
    while fixed.count > capacity / 2, let last = record.mirrors.indices.last {
      record.mirrors.removeLast()
      let lost = record.sources.filter { $0.mirror >= last }
      record.sources.removeAll { $0.mirror >= last }
      for source in lost {
        record.synced.remove(source.range)
        record.written.remove(source.range)
      }
      fixed = fixedLines(record)
    }
    let whole = fixed + rangeLines(record)
    if whole.count <= capacity { return whole }
    let ends = (record.synced.ranges + record.written.ranges + record.sources.map(\.range)).map(\.upperBound).sorted()
    // Find the number of leading ends that fit. 0 always fits: the fixed lines take at most half a slot.
    var low = 0
    var high = ends.count
    var best = fixed + rangeLines(record.clipped(to: 0))
    while low < high {
      let middle = (low + high + 1) / 2
      let candidate = fixed + rangeLines(record.clipped(to: ends[middle - 1]))
      if candidate.count <= capacity {
        low = middle
        best = candidate
      } else {
        high = middle - 1
      }
    }
    return best
  }

  /// Makes `written` include `synced` and bounds every field, so that a record can always be written and read back.
  ///
  /// An unreadable record would leave an older one in force. A malformed hash becomes zeros, which match no URL.
  /// Dropping a field only makes the record claim less.
  private static func normalized(_ record: SidecarRecord) -> SidecarRecord {
    var record = record
    for range in record.synced.ranges where !record.written.contains(range) { record.written.insert(range) }
    if record.target.isEmpty { record.target = [UInt8(ascii: "?")] }
    shorten(&record.target, to: TargetName.maximumByteCount)
    shorten(&record.digests, to: Limit.digestCount)
    shorten(&record.claimedDigests, to: Limit.digestCount)
    if let length = record.completeLength, length > SidecarRecord.longest { record.completeLength = nil }
    if record.bootID.utf8.count > Limit.bootIDByteCount { record.bootID = "" }
    record.url = bounded(url: record.url)
    record.urlHash = bounded(hash: record.urlHash)
    for index in record.mirrors.indices {
      record.mirrors[index].url = bounded(url: record.mirrors[index].url)
      record.mirrors[index].urlHash = bounded(hash: record.mirrors[index].urlHash)
      // A tag that is too long is dropped; the mirror then has none.
      if (record.mirrors[index].strongTag?.count ?? 0) > EntityTag.maximumByteCount {
        record.mirrors[index].strongTag = nil
      }
    }
    return record
  }

  private static func shorten<Element>(_ array: inout [Element], to limit: Int) {
    if array.count > limit { array.removeLast(array.count - limit) }
  }

  private static func bounded(url: String) -> String {
    url.utf8.reduce(0) { $0 + (isPlain($1) ? 1 : 3) } > Limit.urlByteCount ? "" : url
  }

  private static func bounded(hash: String) -> String {
    isHash(hash.utf8) ? hash : String(repeating: "0", count: Limit.hashDigits.lowerBound)
  }

  private static func fixedLines(_ record: SidecarRecord) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(1024)
    func line(_ start: String, _ value: some Sequence<UInt8>) {
      text += start.utf8
      append(escaped: value, to: &text)
      text.append(UInt8(ascii: "\n"))
    }
    line("target: ", record.target)
    line("url: ", record.url.utf8)
    line("url-hash: ", record.urlHash.utf8)
    if let length = record.completeLength { line("length: ", String(length).utf8) }
    line("boot: ", record.bootID.utf8)
    if let coding = record.contentCoding { line("coding: ", coding.utf8.prefix(Limit.codingByteCount)) }
    for digest in record.digests { line("digest: ", digest.text.utf8) }
    for digest in record.claimedDigests { line("claimed-digest: ", digest.text.utf8) }
    if record.flags.contains(.unreliableTags) { line("flag: ", "unreliable-tags".utf8) }
    for mirror in record.mirrors {
      text += "mirror: ".utf8
      append(mirror, to: &text)
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }

  private static func append(_ mirror: SidecarRecord.MirrorState, to text: inout [UInt8]) {
    text += "hash=".utf8
    text += mirror.urlHash.utf8
    text += " url=".utf8
    append(escaped: mirror.url.utf8, to: &text)
    if let tag = mirror.strongTag {
      text += " etag=".utf8
      append(escaped: tag, to: &text)
    }
    if let time = mirror.lastModified {
      text += (mirror.lastModifiedIsStrong ? " modified=" : " weak-modified=").utf8
      text += String(time).utf8
    }
  }

  private static func rangeLines(_ record: SidecarRecord) -> [UInt8] {
    var text: [UInt8] = []
    text += "synced: ".utf8
    append(record.synced, to: &text)
    text += "\nwritten: ".utf8
    append(record.written, to: &text)
    text.append(UInt8(ascii: "\n"))
    for index in record.mirrors.indices {
      let ranges = ByteRangeSet(record.sources.lazy.filter { $0.mirror == index }.map(\.range))
      guard !ranges.isEmpty else { continue }
      text += "source: \(index) ".utf8
      append(ranges, to: &text)
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }

  /// `0-4096,8192-10000`: half-open, decimal.
  private static func append(_ ranges: ByteRangeSet, to text: inout [UInt8]) {
    for (index, range) in ranges.ranges.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text += String(range.lowerBound).utf8
      text.append(UInt8(ascii: "-"))
      text += String(range.upperBound).utf8
    }
  }

  // MARK: Reading

  static func decode(_ payload: ArraySlice<UInt8>) -> SidecarRecord? {
    var record = SidecarRecord(target: [], url: "", urlHash: "", bootID: "")
    var seen: Set<String> = []
    for line in payload.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line.count >= colon - line.startIndex + 2,
        line[colon + 1] == UInt8(ascii: " ")
      else { return nil }
      let key = String(decoding: line[..<colon], as: UTF8.self)
      let isRepeatable = ["digest", "claimed-digest", "flag", "mirror", "source"].contains(key)
      guard seen.insert(key).inserted || isRepeatable else { return nil }
      guard apply(key, line[(colon + 2)...], to: &record) else { return nil }
    }
    guard seen.isSuperset(of: ["target", "url-hash", "synced", "written"]), !record.target.isEmpty,
      isConsistent(record)
    else { return nil }
    record.sources.sort { ($0.range.lowerBound, $0.mirror) < ($1.range.lowerBound, $1.mirror) }
    return record
  }

  private static func apply(_ key: String, _ value: ArraySlice<UInt8>, to record: inout SidecarRecord) -> Bool {
    let text = String(decoding: value, as: UTF8.self)
    switch key {
    case "target":
      guard let bytes = PercentEncoding.decode(value) else { return false }
      record.target = bytes
    case "url":
      guard let bytes = PercentEncoding.decode(value) else { return false }
      record.url = String(decoding: bytes, as: UTF8.self)
    case "url-hash":
      guard isHash(value) else { return false }
      record.urlHash = text
    case "length":
      guard let length = Int64(text), (0...SidecarRecord.longest).contains(length) else { return false }
      record.completeLength = length
    case "boot":
      guard let bytes = PercentEncoding.decode(value) else { return false }
      record.bootID = String(decoding: bytes, as: UTF8.self)
    case "digest":
      guard let digest = ContentDigest(text: text) else { return false }
      record.digests.append(digest)
    case "claimed-digest":
      guard let digest = ContentDigest(text: text) else { return false }
      record.claimedDigests.append(digest)
    case "coding":
      guard let bytes = PercentEncoding.decode(value), !bytes.isEmpty else { return false }
      record.contentCoding = String(decoding: bytes, as: UTF8.self)
    case "flag":
      if text == "unreliable-tags" { record.flags.insert(.unreliableTags) }
    case "mirror":
      guard let mirror = mirror(value) else { return false }
      record.mirrors.append(mirror)
    case "synced":
      guard let ranges = ranges(value) else { return false }
      record.synced = ByteRangeSet(ranges)
    case "written":
      guard let ranges = ranges(value) else { return false }
      record.written = ByteRangeSet(ranges)
    case "source":
      guard let space = value.firstIndex(of: UInt8(ascii: " ")),
        let mirror = Int(String(decoding: value[..<space], as: UTF8.self)), mirror >= 0,
        let ranges = ranges(value[(space + 1)...])
      else { return false }
      record.sources += ranges.map { SidecarRecord.SourcedRange($0, mirror: mirror) }
    default: break
    }
    return true
  }

  private static func isConsistent(_ record: SidecarRecord) -> Bool {
    let end = record.completeLength ?? .max
    return record.written.ranges.allSatisfy { $0.upperBound <= end }
      && record.synced.ranges.allSatisfy { record.written.contains($0) }
      && record.sources.allSatisfy { $0.mirror < record.mirrors.count && $0.range.upperBound <= end }
  }

  private static func mirror(_ value: ArraySlice<UInt8>) -> SidecarRecord.MirrorState? {
    var mirror = SidecarRecord.MirrorState(url: "", urlHash: "")
    for field in value.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: true) {
      guard let equals = field.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let raw = field[(equals + 1)...]
      let text = String(decoding: raw, as: UTF8.self)
      guard let bytes = PercentEncoding.decode(raw) else { return nil }
      switch String(decoding: field[..<equals], as: UTF8.self) {
      case "hash":
        guard isHash(raw) else { return nil }
        mirror.urlHash = text
      case "url": mirror.url = String(decoding: bytes, as: UTF8.self)
      case "etag": mirror.strongTag = bytes
      case "modified", "weak-modified":
        guard let time = Int64(text) else { return nil }
        mirror.lastModified = time
        mirror.lastModifiedIsStrong = field.starts(with: "modified".utf8)
      default: break
      }
    }
    return mirror.urlHash.isEmpty ? nil : mirror
  }

  /// Sorted, disjoint, none empty; an empty text is no range.
  private static func ranges(_ value: ArraySlice<UInt8>) -> [Range<Int64>]? {
    if value.isEmpty { return [] }
    var ranges: [Range<Int64>] = []
    for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let bounds = part.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      guard bounds.count == 2, let lower = Int64(String(decoding: bounds[0], as: UTF8.self)),
        let upper = Int64(String(decoding: bounds[1], as: UTF8.self)), lower >= ranges.last?.upperBound ?? 0,
        lower < upper, upper <= SidecarRecord.longest
      else { return nil }
      ranges.append(lower..<upper)
    }
    return ranges
  }

  private static func isHash(_ value: some Collection<UInt8>) -> Bool {
    Limit.hashDigits.contains(value.count) && value.allSatisfy { Hexadecimal.value(of: $0) != nil }
  }

  /// Appends a text in which every byte that is not plain is `%XX`.
  private static func append(escaped bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
    for byte in bytes {
      if isPlain(byte) { text.append(byte) } else { PercentEncoding.appendEscape(byte, to: &text) }
    }
  }

  /// Whether a byte needs no escape: it is printable ASCII, and neither a space nor `%` nor `=`.
  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%") && byte != UInt8(ascii: "=")
  }
}
