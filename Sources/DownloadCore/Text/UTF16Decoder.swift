/// Turns a text in UTF-16 with a byte order mark into UTF-8, while its bytes arrive.
package struct UTF16Decoder: Sendable {
  /// What is not UTF-16: a surrogate without the other one, or half of a code unit at the end.
  package struct Fault: Error, Hashable, Sendable {}

  /// The number of bytes that show whether a text is one.
  package static let beginningByteCount = 4

  private let isLittleEndian: Bool
  /// The first byte of a code unit whose second one is not there yet.
  private var half: UInt8?
  private var high: UInt16?

  /// - Parameter beginning: of the text.
  /// - Returns: nil for a text without such a mark. XML stays as it is, because it names its encoding itself.
  package init?(beginning: some Collection<UInt8>) {
    let first = Array(beginning.prefix(Self.beginningByteCount))
    guard ByteOrderMark.isUTF16(first[...]) else { return nil }
    isLittleEndian = first[0] == 0xff
    let unit = first.dropFirst(2)
    if unit.elementsEqual(isLittleEndian ? [UInt8(ascii: "<"), 0] : [0, UInt8(ascii: "<")]) { return nil }
  }

  /// Appends the next bytes of the text, of any number. The mark becomes that of UTF-8.
  ///
  /// - Throws: where the text is no UTF-16. Nothing may follow.
  package mutating func decode(_ bytes: UnsafeRawBufferPointer, into text: inout [UInt8]) throws(Fault) {
    for byte in bytes {
      guard let first = half else {
        half = byte
        continue
      }
      half = nil
      try take(isLittleEndian ? UInt16(byte) << 8 | UInt16(first) : UInt16(first) << 8 | UInt16(byte), into: &text)
    }
  }

  /// All bytes of the text were decoded.
  package func end() throws(Fault) {
    if half != nil || high != nil { throw Fault() }
  }

  private mutating func take(_ unit: UInt16, into text: inout [UInt8]) throws(Fault) {
    switch (high, unit) {
    case (nil, ..<0x80): text.append(UInt8(unit))
    case (nil, 0xd800..<0xdc00): high = unit
    case (nil, 0xdc00..<0xe000): throw Fault()
    case (nil, _): append(UInt32(unit), to: &text)
    case (let first?, 0xdc00..<0xe000):
      high = nil
      append(0x10000 + (UInt32(first) - 0xd800) << 10 + (UInt32(unit) - 0xdc00), to: &text)
    case (_?, _): throw Fault()
    }
  }

  private func append(_ value: UInt32, to text: inout [UInt8]) {
    // Surrogates are no scalars, and are not here.
    if let scalar = Unicode.Scalar(value) { text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter }
  }
}
