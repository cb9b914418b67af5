/// Hexadecimal digits: read in either case, written in lower case unless stated otherwise.
package enum Hexadecimal {
  /// The value of one digit; nil for any other byte.
  package static func value(of digit: UInt8) -> UInt8? { isDigit(digit) ? valueOfDigit(digit) : nil }

  private static func isDigit(_ byte: UInt8) -> Bool { otherCount(byte) == 0 }

  /// 0 for a digit, 1 for any other byte; without a branch, which random digits make slow.
  private static func otherCount(_ byte: UInt8) -> UInt8 {
    (byte &- UInt8(ascii: "0") < 10 ? 0 : 1) & ((byte | 0x20) &- UInt8(ascii: "a") < 6 ? 0 : 1)
  }

  /// The number of digits at the beginning of a text.
  static func digitCount(_ text: UnsafeRawBufferPointer) -> Int {
    var count = 0
    while count < text.count, isDigit(text[count]) { count += 1 }
    return count
  }

  /// Reads two digits for each byte; nil for anything else, and where there are not exactly `byteCount` bytes.
  package static func bytes(_ digits: some Sequence<UInt8>, byteCount: Int) -> [UInt8]? {
    // Other modules call it for each line of a list, as a generic function, which takes a long time for each element.
    digits.withContiguousStorageIfAvailable { bytes($0, byteCount) }
      ?? Array(digits).withUnsafeBufferPointer { bytes($0, byteCount) }
  }

  private static func bytes(_ digits: UnsafeBufferPointer<UInt8>, _ byteCount: Int) -> [UInt8]? {
    guard digits.count == byteCount * 2 else { return nil }
    var others: UInt8 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { bytes, count in
      for index in 0..<byteCount {
        let (high, low) = (digits[index &* 2], digits[index &* 2 &+ 1])
        others |= otherCount(high) | otherCount(low)
        bytes[index] = valueOfDigit(high) << 4 | valueOfDigit(low)
      }
      count = byteCount
    }
    return others == 0 ? bytes : nil
  }

  /// The value of a byte that is a digit: letters have bit 6, and their values begin at 10.
  private static func valueOfDigit(_ digit: UInt8) -> UInt8 { (digit & 15) &+ (digit >> 6) &* 9 }

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
