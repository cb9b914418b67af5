/// The parts of an absolute URL whose path and query libcurl returns unchanged, whatever its authority is.
///
///     url     = scheme "://" authority path [ "?" query ]
///     path    = "/" *( segment "/" ) [ segment ]
///     segment = 1*plain                              ; does not begin with a dot
///     query   = 1*( plain / "/" / "?" / "%" )
///     plain   = unreserved / sub-delims / ":" / "@"  ; RFC 3986 section 3.3, pchar without escapes
///
/// Segments without a leading dot need no removal of dot segments (RFC 3986 section 5.2.4). There is no fragment.
package struct PlainURL {
  /// Offset of the path's first slash. Scheme and authority stand before it; only libcurl knows whether they are valid.
  package let pathStart: Int
  /// Offset of the last segment, which is empty where the path ends with a slash.
  package let nameStart: Int
  /// Offset of the question mark, or the length of the URL.
  package let pathEnd: Int

  /// - Returns: nil for other URLs, and for what is none.
  package init?(_ text: UnsafeRawBufferPointer) {
    guard let pathStart = Self.pathStart(of: text) else { return nil }
    var index = pathStart + 1
    var segment = index
    scan: while index < text.count {
      switch text[index] {
      case UInt8(ascii: "/"):
        if index == segment { return nil }
        segment = index + 1
      case UInt8(ascii: "."):
        if index == segment { return nil }
      case UInt8(ascii: "?"): break scan
      case let byte: guard Self.isPlain(byte) else { return nil }
      }
      index += 1
    }
    self.pathStart = pathStart
    nameStart = segment
    pathEnd = index
    if index < text.count, !Self.isPlainQuery(text, from: index + 1) { return nil }
  }

  /// The offset of the slash after `scheme://authority`; nil where something other than a path follows, for example a
  /// query, whose slashes do not start a path. Nil also for an empty authority, because libcurl skips a third slash and
  /// takes what follows for the host, and for one with blanks or control characters.
  package static func pathStart(of text: UnsafeRawBufferPointer) -> Int? {
    guard let colon = URLScheme.end(in: text) else { return nil }
    let authority = colon + 3
    var index = authority
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "/") { return index > authority ? index : nil }
      if byte <= 0x20 || byte == 0x7f || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { return nil }
      index += 1
    }
    return nil
  }

  private static func isPlainQuery(_ text: UnsafeRawBufferPointer, from start: Int) -> Bool {
    var index = start
    while index < text.count {
      let byte = text[index]
      guard isPlain(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "%") else {
        return false
      }
      index += 1
    }
    return index > start
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    if byte.isLetter || byte.isDigit { return true }
    return switch byte {
    case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: "."), UInt8(ascii: ":"),
      UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
