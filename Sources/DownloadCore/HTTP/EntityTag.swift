/// A server's opaque name for one version of a representation (RFC 9110 section 8.8.3).
///
///     entity-tag = [ weak ] opaque-tag
///     weak       = %s"W/"
///     opaque-tag = DQUOTE *etagc DQUOTE
///     etagc      = %x21 / %x23-7E / obs-text
package struct EntityTag: Hashable, Sendable {
  /// Longer tags are ignored, so that records that hold tags stay small.
  package static let maximumByteCount = 1024

  package let isWeak: Bool
  /// Without the quotes; 1 to 1,024 bytes, not necessarily UTF-8.
  package let opaque: [UInt8]

  /// Nil for anything outside the grammar, except that spaces between the quotes are accepted. Nil also for an empty
  /// tag, which is legal, but servers send it for every version.
  package init?(parsing bytes: some Collection<UInt8>) {
    var cursor = ByteCursor(bytes)
    cursor.skipSpaces()
    var isWeak = false
    if cursor.skip(UInt8(ascii: "W")) {
      guard cursor.skip(UInt8(ascii: "/")) else { return nil }
      isWeak = true
    }
    guard cursor.skip(UInt8(ascii: "\"")) else { return nil }
    let opaque = cursor.take(while: { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7f })
    guard cursor.skip(UInt8(ascii: "\"")), !opaque.isEmpty, opaque.count <= Self.maximumByteCount else { return nil }
    cursor.skipSpaces()
    guard cursor.isAtEnd else { return nil }
    self.isWeak = isWeak
    self.opaque = Array(opaque)
  }

  /// The octets of the field value, for `If-None-Match` and records.
  package var bytes: [UInt8] {
    (isWeak ? Array("W/\"".utf8) : [UInt8(ascii: "\"")]) + opaque + [UInt8(ascii: "\"")]
  }

  /// The field value for people; octets that are not UTF-8 are replaced.
  package var text: String { String(decoding: bytes, as: UTF8.self) }
}
