/// The state of one unfinished download. swiftget-sidecar(5) describes the text form.
///
/// A record is a claim about bytes on disk. A shortened or lost record must always claim less.
package struct SidecarRecord: Hashable, Sendable {
  /// The validators of one mirror, which later answers must match.
  package struct MirrorState: Hashable, Sendable {
    /// Without userinfo and query.
    package var url: String
    /// Hexadecimal hash of the whole URL, 16 to 64 digits.
    package var urlHash: String
    /// The opaque tag of a strong ETag, without the quotes.
    package var strongTag: [UInt8]?
    /// Seconds since 1970.
    package var lastModified: Int64?
    /// Whether Last-Modified was at least two seconds before Date (RFC 9110 section 8.8.2.2).
    package var lastModifiedIsStrong: Bool

    package init(
      url: String, urlHash: String, strongTag: [UInt8]? = nil, lastModified: Int64? = nil,
      lastModifiedIsStrong: Bool = false
    ) {
      self.url = url
      self.urlHash = urlHash
      self.strongTag = strongTag
      self.lastModified = lastModified
      self.lastModifiedIsStrong = lastModifiedIsStrong
    }
  }

  /// A stored range and its mirror.
  package struct SourcedRange: Hashable, Sendable {
    package var range: Range<Int64>
    /// Index into `mirrors`.
    package var mirror: Int

    package init(_ range: Range<Int64>, mirror: Int) {
      self.range = range
      self.mirror = mirror
    }
  }

  package struct Flags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The host's ETag differs between fresh requests, so it is ignored.
    package static let unreliableTags = Flags(rawValue: 1)
  }

  /// The longest file of a valid record, in bytes. Larger than any file system; offsets below do not overflow.
  package static let longest = Int64.max / 2

  /// Increases with every record of a sidecar. Set by `SidecarFile`.
  package var sequence: UInt64 = 0
  /// The final name, without a directory.
  package var target: [UInt8]
  /// The original URL without userinfo and query.
  package var url: String
  /// Hexadecimal hash of the whole original URL, 16 to 64 digits.
  package var urlHash: String
  /// Bytes; nil where no answer has stated it.
  package var completeLength: Int64?
  /// The `Content-Encoding` in which the bytes are stored; nil for none.
  package var contentCoding: String?
  package var mirrors: [MirrorState] = []
  /// Expected digests from the user or a list.
  package var digests: [ContentDigest] = []
  /// Expected digests from header fields.
  package var claimedDigests: [ContentDigest] = []
  /// Ranges that were on stable storage before this record was written.
  package var synced = ByteRangeSet()
  /// Ranges handed to the kernel; includes `synced`.
  package var written = ByteRangeSet()
  /// The mirrors of the stored ranges, which together cover `written`. Sorted by offset when read back.
  package var sources: [SourcedRange] = []
  /// The boot that `written` belongs to; empty where it is unknown.
  package var bootID: String
  package var flags: Flags = []

  package init(target: [UInt8], url: String, urlHash: String, bootID: String) {
    self.target = target
    self.url = url
    self.urlHash = urlHash
    self.bootID = bootID
  }

  /// The valid ranges: `written` during the same boot, else `synced`.
  package func believed(bootID: String) -> ByteRangeSet {
    guard !bootID.isEmpty, bootID == self.bootID else { return synced }
    return written
  }

  /// The digests that the whole content must have. Ranges may have been kept or combined because of them.
  package var expectedDigests: [ExpectedDigest] {
    digests.map { ExpectedDigest($0, .given) } + claimedDigests.map { ExpectedDigest($0, .server) }
  }

  /// Whether it is of one of these URLs, or of one that differs only in the query.
  package func isOf(_ mirrors: [Location]) -> Bool {
    mirrors.contains { $0.hash == urlHash || $0.withoutQuery == url }
  }

  /// The same record without claims beyond `end`.
  package func clipped(to end: Int64) -> SidecarRecord {
    var clipped = self
    clipped.synced = synced.clipped(to: end)
    clipped.written = written.clipped(to: end)
    clipped.sources = sources.compactMap { source in
      guard source.range.lowerBound < end else { return nil }
      return SourcedRange(source.range.lowerBound..<min(source.range.upperBound, end), mirror: source.mirror)
    }
    return clipped
  }
}

extension ByteRangeSet {
  /// The part of the set below `end`.
  func clipped(to end: Int64) -> ByteRangeSet {
    ByteRangeSet(
      ranges.lazy.filter { $0.lowerBound < end }.map { $0.lowerBound..<Swift.min($0.upperBound, end) })
  }
}

extension Location {
  /// Identifies the whole URL in a sidecar without revealing it: 16 hexadecimal digits.
  package var hash: String { StableHash.hexadecimal(StableHash.fnv1a(text)) }
}
