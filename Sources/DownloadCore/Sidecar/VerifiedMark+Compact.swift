/// The compact form of a mark with a SHA-256 digest: 52 bytes.
///
/// | bytes | content |
/// |---|---|
/// | 1 | the number of the form, 1 |
/// | 32 | the SHA-256 digest |
/// | 8 | the hash of the URL |
/// | 4 | the modification time in seconds since 1970; a time with a fraction has no compact form |
/// | 4 | the time when the mark was written, in seconds since 1970 |
/// | 3 | the size of the file |
///
/// Numbers are unsigned, the most significant byte first.
///
/// The form is for lists of many small files on ext4. An inode of 256 bytes has space for 52 bytes under the name of the
/// attribute. A longer value is in a block of its own, which a later run has to find for each file: half of the time for a
/// checksum list whose files are all there, and a read from the disk for each file where they are not in memory.
///
/// Marks with other digests, and marks without a digest, do not use the form. Their files would have only the origin URL
/// in the block, and ext4 compares blocks with similar URLs with each other (see `VerifiedMark`). With SHA-256 the block
/// has `user.shatag.sha256`, too.
extension VerifiedMark {
  private static let form: UInt8 = 1
  private static let byteCount = 52
  private static let sizeByteCount = 3

  /// Nil if a field does not fit.
  var compactBytes: [UInt8]? {
    guard let digest, digest.algorithm == .sha256, case .hash(let hash) = url, modified.nanoseconds == 0,
      let modified = UInt32(exactly: modified.seconds), let writtenAt = UInt32(exactly: writtenAt),
      (0..<1 << (8 * Int64(Self.sizeByteCount))).contains(size)
    else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    bytes.append(Self.form)
    bytes += digest.bytes
    func append(_ number: UInt64, byteCount: Int) {
      for index in (0..<byteCount).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
    }
    append(hash, byteCount: 8)
    append(UInt64(modified), byteCount: 4)
    append(UInt64(writtenAt), byteCount: 4)
    append(UInt64(size), byteCount: Self.sizeByteCount)
    return bytes
  }

  /// Whether the value has the compact form; no text begins with its number.
  static func isCompact(_ bytes: [UInt8]) -> Bool { bytes.first == form }

  /// Nil unless the length is that of the form.
  init?(compact bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    var rest = bytes[1...]
    func take(_ byteCount: Int) -> ArraySlice<UInt8> {
      defer { rest = rest.dropFirst(byteCount) }
      return rest.prefix(byteCount)
    }
    func number(_ byteCount: Int) -> UInt64 { take(byteCount).reduce(0) { $0 << 8 | UInt64($1) } }
    guard let digest = ContentDigest(.sha256, Array(take(32))) else { return nil }
    let hash = number(8)
    let modified = FileTime(seconds: Int64(number(4)))
    let writtenAt = Int64(number(4))
    self.init(
      digest: digest, size: Int64(number(Self.sizeByteCount)), modified: modified, writtenAt: writtenAt,
      url: .hash(hash))
  }
}
