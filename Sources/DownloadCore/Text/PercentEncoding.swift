/// Percent-encoding (RFC 3986 section 2.1), as it stands in URLs and in the records of sidecars.
package enum PercentEncoding {
  /// Decodes once; nil where a percent sign is not followed by two hexadecimal digits.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? { decode(text, keepsInvalid: false) }

  /// Decodes once; a percent sign that is not followed by two hexadecimal digits stays as it is.
  static func decodeKeepingInvalid(_ text: ArraySlice<UInt8>) -> [UInt8] { decode(text, keepsInvalid: true) ?? [] }

  private static func decode(_ text: ArraySlice<UInt8>, keepsInvalid: Bool) -> [UInt8]? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      if text[index] == UInt8(ascii: "%") {
        if text.endIndex - index > 2, let high = Hexadecimal.value(of: text[index + 1]),
          let low = Hexadecimal.value(of: text[index + 2])
        {
          decoded.append(high << 4 | low)
          index += 3
          continue
        }
        guard keepsInvalid else { return nil }
      }
      decoded.append(text[index])
      index += 1
    }
    return decoded
  }

  /// Appends `%XX`, upper case.
  static func appendEscape(_ byte: UInt8, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "%"))
    Hexadecimal.append(byte, isUppercase: true, to: &text)
  }

  /// Appends a path segment as it stands in a URL: every byte that is no pchar is escaped (RFC 3986 section 3.3).
  package static func append(segment: [UInt8], to text: inout [UInt8]) {
    text.reserveCapacity(text.count + segment.count)
    for byte in segment {
      if byte.isPathCharacter { text.append(byte) } else { appendEscape(byte, to: &text) }
    }
  }

  /// Appends a name as it stands before the host of a URL: every byte that is not unreserved is escaped.
  package static func append(userinfo: some Sequence<UInt8>, to text: inout [UInt8]) {
    for byte in userinfo {
      if byte.isUnreserved { text.append(byte) } else { appendEscape(byte, to: &text) }
    }
  }
}

extension UInt8 {
  /// RFC 3986 section 2.3.
  package var isUnreserved: Bool {
    if isLetter || isDigit { return true }
    switch self {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): return true
    default: return false
    }
  }

  /// pchar without escapes: unreserved / sub-delims / ":" / "@" (RFC 3986 section 3.3).
  fileprivate var isPathCharacter: Bool {
    if isUnreserved { return true }
    switch self {
    case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
      UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"),
      UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"):
      return true
    default: return false
    }
  }
}
