/// Base64 (RFC 4648 section 4), for digest fields, keys and signatures.
package enum Base64 {
  /// Nil for bytes outside the alphabet, impossible lengths and misplaced padding. Padding may be missing.
  ///
  /// - Parameter isCanonical: the padding must be there and the unused bits must be zero, so that no two texts give the
  ///   same bytes (section 3.5).
  package static func decode(_ text: some Collection<UInt8>, isCanonical: Bool = false) -> [UInt8]? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var sextets = 0
    var padding = 0
    for character in text {
      if character == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard padding == 0, let value = value(of: character) else { return nil }
      bits = bits << 6 | UInt32(value)
      sextets += 1
      if sextets % 4 == 0 {
        decoded.append(UInt8(truncatingIfNeeded: bits >> 16))
        decoded.append(UInt8(truncatingIfNeeded: bits >> 8))
        decoded.append(UInt8(truncatingIfNeeded: bits))
      }
    }
    let left = sextets % 4
    guard left != 1, padding == 0 || (left != 0 && left + padding == 4) else { return nil }
    if isCanonical {
      let unused: UInt32 = left == 2 ? 0xf : left == 3 ? 0x3 : 0
      guard left == 0 || padding > 0, bits & unused == 0 else { return nil }
    }
    if left >= 2 { decoded.append(UInt8(truncatingIfNeeded: bits >> (left == 2 ? 4 : 10))) }
    if left == 3 { decoded.append(UInt8(truncatingIfNeeded: bits >> 2)) }
    return decoded
  }

  /// Whether the byte is in the alphabet. Padding is not.
  static func isCharacter(_ byte: UInt8) -> Bool { value(of: byte) != nil }

  /// The text in the standard alphabet, where it is in that of URLs and file names (RFC 4648 section 5). A text with
  /// characters of both stays as it is.
  static func standard(_ text: some Collection<UInt8>) -> [UInt8] {
    let isStandard = text.contains(UInt8(ascii: "+")) || text.contains(UInt8(ascii: "/"))
    return text.map { byte in
      switch byte {
      case UInt8(ascii: "-") where !isStandard: UInt8(ascii: "+")
      case UInt8(ascii: "_") where !isStandard: UInt8(ascii: "/")
      default: byte
      }
    }
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
