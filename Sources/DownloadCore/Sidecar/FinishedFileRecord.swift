/// One record of the index of finished files: the key of a name, and the file that had it.
///
/// Numbers are little-endian: key, inode, size, seconds of the modification time, second of the mark and hash of the URL
/// of 8 bytes each, nanoseconds of 4 bytes, the number of the digest's algorithm (0 for none) and the flags of one byte
/// each, two zeros, and the digest. Flags: 1, the hash of the URL is known; 2, the file has the mark as an attribute.
package struct FinishedFileRecord: Hashable, Sendable {
  package let key: UInt64
  package let file: FinishedFile

  /// The bytes of a record without a digest.
  private static let fixedByteCount = 56
  /// The place of the algorithm's number.
  private static let algorithmOffset = 52
  /// Their places, counted from 1, are their numbers: new ones come last.
  private static let algorithms: [DigestAlgorithm] = [
    .md5, .sha1, .sha224, .sha256, .sha384, .sha512, .sha3_224, .sha3_256, .sha3_384, .sha3_512, .blake2b, .blake2s,
  ]

  package init(key: UInt64, file: FinishedFile) {
    self.key = key
    self.file = file
  }

  /// The key of a target below the target directory; nil for targets that are not named by components.
  package static func key(of target: TargetChoice) -> UInt64? {
    guard case .listed(let components) = target else { return nil }
    return components.reduce(StableHash.seed) { key, component in
      StableHash.fnv1a(component, continuing: StableHash.fnv1a("/", continuing: key))
    }
  }

  /// The end of the record that begins at `start`; nil where the bytes end before it does, or are no record.
  package static func end(ofRecordAt start: Int, in bytes: [UInt8]) -> Int? {
    guard bytes.count - start >= fixedByteCount else { return nil }
    let number = Int(bytes[start + algorithmOffset])
    guard number <= algorithms.count else { return nil }
    let end = start + fixedByteCount + (number == 0 ? 0 : algorithms[number - 1].byteCount)
    return end <= bytes.count ? end : nil
  }

  /// The key of the record that begins at `start`, which must be there.
  package static func key(ofRecordAt start: Int, in bytes: [UInt8]) -> UInt64 { bytes.number(at: start, byteCount: 8) }

  package func append(to bytes: inout [UInt8]) {
    let mark = file.mark
    let urlHash: UInt64? = if case .hash(let hash)? = mark.url { hash } else { nil }
    bytes.append(key, byteCount: 8)
    bytes.append(file.inode, byteCount: 8)
    bytes.append(UInt64(bitPattern: mark.size), byteCount: 8)
    bytes.append(UInt64(bitPattern: mark.modified.seconds), byteCount: 8)
    bytes.append(UInt64(bitPattern: mark.writtenAt), byteCount: 8)
    bytes.append(urlHash ?? 0, byteCount: 8)
    bytes.append(UInt64(UInt32(bitPattern: mark.modified.nanoseconds)), byteCount: 4)
    let number = mark.digest.flatMap { Self.algorithms.firstIndex(of: $0.algorithm) }.map { $0 + 1 } ?? 0
    bytes.append(UInt64(number) | (urlHash == nil ? 0 : 0x100) | (file.isMarked ? 0x200 : 0), byteCount: 4)
    bytes += mark.digest?.bytes ?? []
  }

  /// The record that begins at `start`; nil where there is none.
  package init?(at start: Int, in bytes: [UInt8]) {
    guard let end = Self.end(ofRecordAt: start, in: bytes) else { return nil }
    func number(at offset: Int) -> UInt64 { bytes.number(at: start + offset, byteCount: 8) }
    func signed(at offset: Int) -> Int64 { Int64(bitPattern: number(at: offset)) }
    var digest: ContentDigest?
    let algorithm = Int(bytes[start + Self.algorithmOffset])
    if algorithm > 0 {
      digest = ContentDigest(Self.algorithms[algorithm - 1], Array(bytes[(start + Self.fixedByteCount)..<end]))
    }
    let flags = bytes[start + Self.algorithmOffset + 1]
    let nanoseconds = UInt32(truncatingIfNeeded: bytes.number(at: start + 48, byteCount: 4))
    let mark = VerifiedMark(
      digest: digest, size: signed(at: 16),
      modified: FileTime(seconds: signed(at: 24), nanoseconds: Int32(bitPattern: nanoseconds)),
      writtenAt: signed(at: 32), url: flags & 1 == 0 ? nil : .hash(number(at: 40)))
    guard mark.digest != nil || mark.url != nil else { return nil }
    key = Self.key(ofRecordAt: start, in: bytes)
    file = FinishedFile(inode: number(at: 8), mark: mark, urlHash: nil, isMarked: flags & 2 != 0)
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ number: UInt64, byteCount: Int) {
    for place in 0..<byteCount { append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
  }

  fileprivate func number(at start: Int, byteCount: Int) -> UInt64 {
    var number: UInt64 = 0
    for place in 0..<byteCount { number |= UInt64(self[start + place]) << (8 * UInt64(place)) }
    return number
  }
}
