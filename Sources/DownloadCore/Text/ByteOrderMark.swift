/// The mark at the start of a text that tells its encoding (Unicode 16.0, section 23.8).
package enum ByteOrderMark {
  static let utf8: [UInt8] = [0xef, 0xbb, 0xbf]

  /// The number of bytes that show which mark there is.
  package static let maximumByteCount = 3

  /// The text behind a mark of UTF-8.
  package static func removed(from text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text.starts(with: utf8) ? text.dropFirst(utf8.count) : text
  }

  /// Whether the text is UTF-16.
  package static func isUTF16(_ text: ArraySlice<UInt8>) -> Bool {
    text.starts(with: [0xff, 0xfe]) || text.starts(with: [0xfe, 0xff])
  }
}
