internal import DownloadCore

/// Strings of JSON (RFC 8259 section 7).
enum JSONString {
  /// Appends a string with its quotes.
  ///
  /// - Parameter bytes: UTF-8.
  static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 0..<0x20, 0x7f:
        text += "\\u00".utf8
        Hexadecimal.append(byte, to: &text)
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}
