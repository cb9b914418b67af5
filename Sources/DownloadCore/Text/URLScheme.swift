/// The scheme of an absolute URL.
///
///     scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )   (RFC 3986 section 3.1)
enum URLScheme {
  /// Whether the text begins with a scheme and `://`; `referer=http://…` does not.
  static func begins(_ text: ArraySlice<UInt8>) -> Bool { end(in: text) != nil }

  /// The index of the colon; nil unless the text begins with a scheme and `://`.
  static func end<Text: RandomAccessCollection<UInt8>>(in text: Text) -> Int? where Text.Index == Int {
    var index = text.startIndex
    while index < text.endIndex, isPart(text[index]) { index += 1 }
    guard index > text.startIndex, text[text.startIndex].isLetter, text.endIndex - index > 2,
      text[index] == UInt8(ascii: ":"), text[index + 1] == UInt8(ascii: "/"), text[index + 2] == UInt8(ascii: "/")
    else { return nil }
    return index
  }

  /// Whether the byte may be part of a scheme.
  static func isPart(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }
}
