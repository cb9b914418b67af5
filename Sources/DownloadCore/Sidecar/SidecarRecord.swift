/// What the sidecar says of one unfinished download; the text form is described in swiftget-sidecar(5).
///
/// A record is a claim about bytes on disk, so every way of shortening or losing one makes it claim less.
package struct SidecarRecord: Hashable, Sendable {
  /// One mirror, as far as it is known: what its answers must still look like.
  package struct MirrorState: Hashable, Sendable {
    /// Without userinfo and query.
    package var url: String
    /// Hexadecimal hash of the whole URL, 16 to 64 digits.
    package var urlHash: String
    /// The opaque tag of a strong ETag, without the quotes; never together with `weakTag`.
    package var strongTag: [UInt8]?
    package var weakTag: [UInt8]?
    /// Seconds since 1970.
    package var lastModified: Int64?
    /// Whether Last-Modified was at least two seconds older than Date (RFC 9110 section 8.8.2.2).
    package var lastModifiedIsStrong: Bool

    package init(
      url: String, urlHash: String, strongTag: [UInt8]? = nil, weakTag: [UInt8]? = nil, lastModified: Int64? = nil,
      lastModifiedIsStrong: Bool = false
    ) {
      self.url = url
      self.urlHash = urlHash
      self.strongTag = strongTag
      self.weakTag = weakTag
      self.lastModified = lastModified
      self.lastModifiedIsStrong = lastModifiedIsStrong
    }
  }

  /// A done range and the mirror it came from.
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

    /// The host's ETag differs between fresh requests, so it decides nothing.
    package static let unreliableTags = Flags(rawValue: 1)
    /// No validator and no digest stands behind the ranges, only the length (`--trust-length`).
    package static let trustedLength = Flags(rawValue: 2)
  }

  /// Bytes of the longest file that a record is believed of. No file system holds so much, and offsets up to there can
  /// be reckoned with.
  package static let longest = Int64.max / 2

  /// Grows with every record of a sidecar; `SidecarFile` sets it.
  package var sequence: UInt64 = 0
  /// The final name, without a directory.
  package var target: [UInt8]
  /// The original URL without userinfo and query.
  package var url: String
  /// Hexadecimal hash of the whole original URL, 16 to 64 digits.
  package var urlHash: String
  /// Bytes; nil where no answer has told it.
  package var completeLength: Int64?
  /// The `Content-Encoding` in which the bytes are stored; nil for none.
  package var contentCoding: String?
  package var mirrors: [MirrorState] = []
  /// What the content must be, as the user or a manifest says.
  package var digests: [ContentDigest] = []
  /// What the content must be, as a server's header fields say.
  package var claimedDigests: [ContentDigest] = []
  /// On stable storage before this record was written.
  package var synced = ByteRangeSet()
  /// Handed to the kernel; holds every range of `synced`.
  package var written = ByteRangeSet()
  /// Where the done ranges came from; together they cover `written`. In the order of the file when read back.
  package var sources: [SourcedRange] = []
  /// Of the boot that `written` belongs to; empty where the kernel does not tell it.
  package var bootID: String
  package var flags: Flags = []

  package init(target: [UInt8], url: String, urlHash: String, bootID: String) {
    self.target = target
    self.url = url
    self.urlHash = urlHash
    self.bootID = bootID
  }

  /// The ranges that count now: written ones too as long as the machine has not been started since.
  package func believed(bootID: String) -> ByteRangeSet {
    guard !bootID.isEmpty, bootID == self.bootID else { return synced }
    return written
  }

  /// The same record without any claim beyond `end`.
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
  /// What of the set lies below `end`.
  func clipped(to end: Int64) -> ByteRangeSet {
    ByteRangeSet(
      ranges.lazy.filter { $0.lowerBound < end }.map { $0.lowerBound..<Swift.min($0.upperBound, end) })
  }
}
