/// A hash that is the same in every run and on every machine, for names and records. Not collision-resistant.
///
/// FNV-1a, 64 bits. The hash of a text can be continued with the text that follows.
package enum StableHash {
  /// The hash of an empty text.
  package static let seed: UInt64 = 0xcbf2_9ce4_8422_2325

  // Not generic, because other modules call it for every line of a list.

  package static func fnv1a(_ bytes: [UInt8], continuing seed: UInt64 = seed) -> UInt64 {
    bytes.withUnsafeBytes { fnv1a($0, continuing: seed) }
  }

  package static func fnv1a(_ text: String, continuing seed: UInt64 = seed) -> UInt64 {
    var text = text
    return text.withUTF8 { fnv1a(UnsafeRawBufferPointer($0), continuing: seed) }
  }

  package static func fnv1a(_ bytes: UnsafeRawBufferPointer, continuing seed: UInt64 = seed) -> UInt64 {
    var hash = seed
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash
  }

  /// Sixteen lower-case digits.
  package static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
