/// Hexadecimal digits: read in either case, written in lower case unless stated otherwise.
package enum Hexadecimal {
  /// The value of one digit; nil for any other byte.
  package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte.isDigit || (byte | 0x20) &- 0x61 < 6 }

  /// The number of digits at the beginning of a text.
  static func digitCount(_ text: UnsafeRawBufferPointer) -> Int {
    var count = 0
    while count < text.count, isDigit(text[count]) { count += 1 }
    return count
  }

  /// Reads two digits for each byte; nil for anything else, and where there are not exactly `byteCount` bytes.
  static func bytes(_ digits: some Sequence<UInt8>, byteCount: Int) -> [UInt8]? {
    // Other modules call it for each line of a list, as a generic function, which takes a long time for each element.
    digits.withContiguousStorageIfAvailable { bytes($0, byteCount) }
      ?? Array(digits).withUnsafeBufferPointer { bytes($0, byteCount) }
  }

  private static func bytes(_ digits: UnsafeBufferPointer<UInt8>, _ byteCount: Int) -> [UInt8]? {
    guard digits.count == byteCount * 2 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount)
    for index in 0..<byteCount {
      guard let high = value(of: digits[index * 2]), let low = value(of: digits[index * 2 + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Reads a number of at most 16 digits; nil for none, for more, and for any other byte.
  static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    guard (1...16).contains(digits.count) else { return nil }
    var number: UInt64 = 0
    for digit in digits {
      guard let nibble = value(of: digit) else { return nil }
      number = number << 4 | UInt64(nibble)
    }
    return number
  }

  /// Two digits for each byte.
  package static func text(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes { append(byte, to: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the two digits of a byte.
  package static func append(_ byte: UInt8, isUppercase: Bool = false, to text: inout [UInt8]) {
    let ten = isUppercase ? UInt8(ascii: "A") : UInt8(ascii: "a")
    text.append(digit(byte >> 4, ten: ten))
    text.append(digit(byte & 15, ten: ten))
  }

  /// - Parameter ten: the digit of value 10.
  private static func digit(_ nibble: UInt8, ten: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : ten + nibble - 10
  }
}
