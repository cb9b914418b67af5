/// CRC-64/XZ (ECMA-182, reflected, initial value and final XOR all ones), which detects torn and damaged records.
///
/// The check value of `123456789` is 995DC9BBDF1939FA. Protects against accidents, not against an adversary.
package enum Checksum {
  private static let table: [UInt64] = (0..<256).map { index in
    (0..<8).reduce(UInt64(index)) { value, _ in value & 1 == 1 ? (value >> 1) ^ 0xC96C_5795_D787_0F42 : value >> 1 }
  }

  package static func crc64(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var value = UInt64.max
    for byte in bytes { value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8) }
    return ~value
  }
}
