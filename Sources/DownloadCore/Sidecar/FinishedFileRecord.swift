/// One record of the index of finished files: a name below the target directory, and the file that has it.
///
/// Numbers are little-endian: inode, size, seconds of the modification time, second of the mark and hash of the URL of 8
/// bytes each, nanoseconds of 4 bytes, the number of the digest's algorithm (0 for none) and the flags of one byte each,
/// the length of the name of 2 bytes, the digest, and the name. Flags: 1, the hash of the URL is known; 2, the file has
/// the mark as an attribute.
package struct FinishedFileRecord: Hashable, Sendable {
  /// Components and slashes.
  package let name: [UInt8]
  package let file: FinishedFile

  /// The bytes of a record before the digest.
  private static let fixedByteCount = 48
  /// The places of the algorithm's number, of the flags and of the name's length.
  private static let (algorithmOffset, flagsOffset, lengthOffset) = (44, 45, 46)
  /// Their places, counted from 1, are their numbers: new ones come last.
  private static let algorithms: [DigestAlgorithm] = [
    .md5, .sha1, .sha224, .sha256, .sha384, .sha512, .sha3_224, .sha3_256, .sha3_384, .sha3_512, .blake2b, .blake2s,
  ]

  /// Nil for a longer name than a path may have.
  package init?(name: [UInt8], file: FinishedFile) {
    guard name.count <= UInt16.max else { return nil }
    self.name = name
    self.file = file
  }

  /// The hash of the name of a target; nil for targets that are not named by components.
  package static func key(of target: TargetChoice) -> UInt64? {
    guard case .listed(let components) = target else { return nil }
    var key = StableHash.seed
    for (index, component) in components.enumerated() {
      if index > 0 { key = StableHash.fnv1a("/", continuing: key) }
      key = StableHash.fnv1a(component, continuing: key)
    }
    return key
  }

  /// Where the digest, the name and the record end that begins at `start`; nil where the bytes end before it does, or are
  /// no record.
  private static func ends(ofRecordAt start: Int, in bytes: [UInt8]) -> (digest: Int, name: Int)? {
    guard bytes.count - start >= fixedByteCount else { return nil }
    let number = Int(bytes[start + algorithmOffset])
    guard number <= algorithms.count else { return nil }
    let digest = start + fixedByteCount + (number == 0 ? 0 : algorithms[number - 1].byteCount)
    let end = digest + Int(UInt16(in: bytes[...], at: start + lengthOffset))
    return end <= bytes.count ? (digest, end) : nil
  }

  /// The end of the record that begins at `start`; nil where there is none.
  package static func end(ofRecordAt start: Int, in bytes: [UInt8]) -> Int? { ends(ofRecordAt: start, in: bytes)?.name }

  /// The hash of the name of the record that begins at `start`, which must be there.
  package static func key(ofRecordAt start: Int, in bytes: [UInt8]) -> UInt64 {
    guard let ends = ends(ofRecordAt: start, in: bytes) else { return StableHash.seed }
    return bytes.withUnsafeBytes { StableHash.fnv1a(UnsafeRawBufferPointer(rebasing: $0[ends.digest..<ends.name])) }
  }

  package func append(to bytes: inout [UInt8]) {
    let mark = file.mark
    let urlHash: UInt64? = if case .hash(let hash)? = mark.url { hash } else { nil }
    bytes.append(number: file.inode)
    bytes.append(number: mark.size)
    bytes.append(number: mark.modified.seconds)
    bytes.append(number: mark.writtenAt)
    bytes.append(number: urlHash ?? 0)
    bytes.append(number: mark.modified.nanoseconds)
    let number = mark.digest.flatMap { Self.algorithms.firstIndex(of: $0.algorithm) }.map { $0 + 1 } ?? 0
    bytes.append(UInt8(number))
    bytes.append((urlHash == nil ? 0 : 1) | (file.isMarked ? 2 : 0))
    bytes.append(number: UInt16(name.count))
    bytes += mark.digest?.bytes ?? []
    bytes += name
  }

  /// The record that begins at `start`; nil where there is none.
  package init?(at start: Int, in bytes: [UInt8]) {
    guard let ends = Self.ends(ofRecordAt: start, in: bytes) else { return nil }
    func number<Number: FixedWidthInteger>(at offset: Int) -> Number { Number(in: bytes[...], at: start + offset) }
    var digest: ContentDigest?
    let algorithm = Int(bytes[start + Self.algorithmOffset])
    if algorithm > 0 {
      digest = ContentDigest(Self.algorithms[algorithm - 1], Array(bytes[(start + Self.fixedByteCount)..<ends.digest]))
    }
    let flags = bytes[start + Self.flagsOffset]
    let mark = VerifiedMark(
      digest: digest, size: number(at: 8),
      modified: FileTime(seconds: number(at: 16), nanoseconds: number(at: 40)),
      writtenAt: number(at: 24), url: flags & 1 == 0 ? nil : .hash(number(at: 32)))
    guard mark.digest != nil || mark.url != nil else { return nil }
    name = Array(bytes[ends.digest..<ends.name])
    file = FinishedFile(inode: number(at: 0), mark: mark, urlHash: nil, isMarked: flags & 2 != 0)
  }
}
