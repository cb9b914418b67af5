/// One of the two slots of a sidecar: a header of 40 bytes and a record as text.
///
/// | offset | bytes | meaning                                                    |
/// |--------|-------|------------------------------------------------------------|
/// | 0      | 8     | magic `SWGTREC` and a zero byte                             |
/// | 8      | 4     | format version, 1                                          |
/// | 12     | 4     | length of the payload                                      |
/// | 16     | 8     | sequence                                                   |
/// | 24     | 4     | 1 where the record was followed by a sync, 0 where not     |
/// | 28     | 4     | zero                                                       |
/// | 32     | 8     | CRC-64/XZ over bytes 0 to 31 and the payload               |
///
/// Numbers are little-endian. Bytes after the payload are ignored.
package enum SidecarSlot {
  package static let byteCount = 16384
  package static let headerByteCount = 40
  package static let version: UInt32 = 1
  package static let magic: [UInt8] = Array("SWGTREC".utf8) + [0]
  /// The highest valid sequence. No sidecar reaches it, and the next number does not overflow.
  package static let highestSequence = UInt64.max / 2
  /// The largest payload in bytes.
  package static let capacity = byteCount - headerByteCount

  /// The content of a slot.
  package enum Content: Equatable, Sendable {
    /// All zeros: never written.
    case empty
    case record(SidecarRecord, isSynced: Bool)
    /// Torn or damaged.
    case damaged
    /// Without our magic.
    case foreign
    /// Intact, but of an unknown version.
    case future(version: UInt32)
  }

  /// The used bytes of a slot.
  ///
  /// Ranges that do not fit are dropped, highest offset first. Mirrors that do not fit are dropped, last first, with
  /// all ranges from them.
  package static func encode(_ record: SidecarRecord, isSynced: Bool) -> [UInt8] {
    let payload = SidecarCoding.encode(record, capacity: capacity)
    var bytes: [UInt8] = magic
    bytes.reserveCapacity(headerByteCount + payload.count)
    bytes.append(number: version)
    bytes.append(number: UInt32(payload.count))
    bytes.append(number: record.sequence)
    bytes.append(number: UInt32(isSynced ? 1 : 0))
    bytes.append(number: UInt32(0))
    bytes.append(number: Checksum.crc64([bytes[...], payload[...]].joined()))
    return bytes + payload
  }

  /// Decodes a slot. `bytes` is the part of it that exists in the file.
  package static func decode(_ bytes: ArraySlice<UInt8>) -> Content {
    let bytes = Array(bytes)
    if bytes.allSatisfy({ $0 == 0 }) { return .empty }
    guard bytes.count >= headerByteCount else { return magic.starts(with: bytes.prefix(8)) ? .damaged : .foreign }
    guard bytes.starts(with: magic) else { return .foreign }
    let payloadCount = Int(UInt32(in: bytes[...], at: 12))
    guard payloadCount <= bytes.count - headerByteCount else { return .damaged }
    let payload = bytes[headerByteCount..<(headerByteCount + payloadCount)]
    guard UInt64(in: bytes[...], at: 32) == Checksum.crc64([bytes[..<32], payload].joined()) else { return .damaged }
    let found = UInt32(in: bytes[...], at: 8)
    guard found == version else { return .future(version: found) }
    let mark = UInt32(in: bytes[...], at: 24)
    let sequence = UInt64(in: bytes[...], at: 16)
    guard mark <= 1, sequence <= highestSequence, var record = SidecarCoding.decode(payload) else { return .damaged }
    record.sequence = sequence
    return .record(record, isSynced: mark == 1)
  }
}
