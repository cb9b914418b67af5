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
    append(version, to: &bytes)
    append(UInt32(payload.count), to: &bytes)
    append(record.sequence, to: &bytes)
    append(UInt32(isSynced ? 1 : 0), to: &bytes)
    append(UInt32(0), to: &bytes)
    append(Checksum.crc64([bytes[...], payload[...]].joined()), to: &bytes)
    return bytes + payload
  }

  /// Decodes a slot. `bytes` is the part of it that exists in the file.
  package static func decode(_ bytes: ArraySlice<UInt8>) -> Content {
    let bytes = Array(bytes)
    if bytes.allSatisfy({ $0 == 0 }) { return .empty }
    guard bytes.count >= headerByteCount else { return magic.starts(with: bytes.prefix(8)) ? .damaged : .foreign }
    guard bytes.starts(with: magic) else { return .foreign }
    let payloadCount = Int(number(bytes, 12, 4))
    guard payloadCount <= bytes.count - headerByteCount else { return .damaged }
    let payload = bytes[headerByteCount..<(headerByteCount + payloadCount)]
    guard number(bytes, 32, 8) == Checksum.crc64([bytes[..<32], payload].joined()) else { return .damaged }
    let found = UInt32(number(bytes, 8, 4))
    guard found == version else { return .future(version: found) }
    let mark = number(bytes, 24, 4)
    let sequence = number(bytes, 16, 8)
    guard mark <= 1, sequence <= highestSequence, var record = SidecarCoding.decode(payload) else { return .damaged }
    record.sequence = sequence
    return .record(record, isSynced: mark == 1)
  }

  private static func append<Value: FixedWidthInteger>(_ value: Value, to bytes: inout [UInt8]) {
    for index in 0..<(Value.bitWidth / 8) { bytes.append(UInt8(truncatingIfNeeded: value >> Value(8 * index))) }
  }

  private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
  }
}
