/// The file name of a Content-Disposition field (RFC 6266).
///
///     Content-Disposition: attachment; filename="EURO rates.txt"; filename*=UTF-8''%e2%82%ac%20rates.txt
package enum ContentDisposition {
  /// The value of `filename*` (RFC 8187), otherwise that of `filename`, in UTF-8; nil if there is none or it is empty.
  ///
  /// Disposition types are ignored, because every answer here is saved. Unquoted values may contain spaces. In a quoted
  /// value, a backslash escapes only a quotation mark or a backslash: some servers send Windows paths unescaped.
  /// The name is untrusted: see `TargetName.fromServer`.
  package static func fileName(_ value: [UInt8]) -> [UInt8]? {
    var cursor = ByteCursor(value)
    var plain: [UInt8]?
    var extended: [UInt8]?
    repeat {
      cursor.skipSpaces()
      let name = cursor.take(while: { $0 != semicolon && $0 != equals }).trimmed
      guard cursor.skip(equals) else { continue }
      let value = parameterValue(&cursor)
      // Of equal names the first one counts.
      if name.equals(folded: "filename") { plain = plain ?? inUTF8(value) }
      if name.equals(folded: "filename*") { extended = extended ?? decoded(value[...]) }
      _ = cursor.take(while: { $0 != semicolon })
    } while cursor.skip(semicolon)
    let found = extended ?? plain
    return found?.isEmpty ?? true ? nil : found
  }

  /// Whether the content is meant to be saved.
  package static func isAttachment(_ value: [UInt8]) -> Bool {
    value.prefix(while: { $0 != semicolon }).trimmed.equals(folded: "attachment")
  }

  private static let semicolon = UInt8(ascii: ";")
  private static let equals = UInt8(ascii: "=")
  private static let quotation = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")

  /// quoted-string / token, with what servers send beyond that.
  private static func parameterValue(_ cursor: inout ByteCursor) -> [UInt8] {
    cursor.skipSpaces()
    guard cursor.skip(quotation) else { return Array(cursor.take(while: { $0 != semicolon }).trimmed) }
    var text: [UInt8] = []
    while true {
      text += cursor.take(while: { $0 != quotation && $0 != backslash })
      guard cursor.skip(backslash) else { break }
      if cursor.skip(quotation) {
        text.append(quotation)
      } else {
        _ = cursor.skip(backslash)
        text.append(backslash)
      }
    }
    _ = cursor.skip(quotation)
    return text
  }

  /// ext-value = charset "'" [ language ] "'" value-chars; nil if the charset is neither UTF-8 nor ISO-8859-1.
  private static func decoded(_ value: ArraySlice<UInt8>) -> [UInt8]? {
    let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = PercentEncoding.decode(parts[2]) else { return nil }
    if parts[0].equals(folded: "utf-8") { return isUTF8(bytes) ? bytes : nil }
    return parts[0].equals(folded: "iso-8859-1") ? fromLatin1(bytes) : nil
  }

  /// Field values without a charset are UTF-8, or else ISO-8859-1 (RFC 9110 section 5.5).
  private static func inUTF8(_ bytes: [UInt8]) -> [UInt8] { isUTF8(bytes) ? bytes : fromLatin1(bytes) }

  private static func isUTF8(_ bytes: [UInt8]) -> Bool {
    String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
  }

  private static func fromLatin1(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { $0 < 0x80 ? [$0] : [0xc0 | $0 >> 6, 0x80 | $0 & 0x3f] }
  }
}
