internal import DownloadCore

/// The text of JSON values (RFC 8259), with a blank after each comma and colon. All text is UTF-8.
enum JSONText {
  static func quoted(_ text: [UInt8]) -> [UInt8] {
    var quoted: [UInt8] = []
    JSONString.append(text, to: &quoted)
    return quoted
  }

  static func quoted(_ text: String) -> [UInt8] { quoted(Array(text.utf8)) }

  /// An array, or its only element.
  static func oneOrMore(_ values: [[UInt8]]) -> [UInt8] { values.count == 1 ? values[0] : array(values) }

  static func array(_ values: [[UInt8]]) -> [UInt8] {
    [UInt8(ascii: "[")] + values.joined(separator: Array(", ".utf8)) + [UInt8(ascii: "]")]
  }

  /// The value of `checksum` in swiftget's own schema: digits by algorithm.
  static func checksum(_ digests: [ContentDigest]) -> [UInt8] {
    var object = JSONObjectText()
    for digest in digests { object.add(digest.algorithm.rawValue, quoted(digest.hex)) }
    return object.text
  }
}

/// The text of a JSON object, member by member.
struct JSONObjectText {
  /// Without its end.
  private(set) var open: [UInt8] = [UInt8(ascii: "{")]

  /// - Parameter value: its text.
  mutating func add(_ key: [UInt8], _ value: [UInt8]) {
    if open.count > 1 { open += ", ".utf8 }
    JSONString.append(key, to: &open)
    open += ": ".utf8
    open += value
  }

  /// - Parameter member: the text of a key and its value.
  mutating func add(verbatim member: some Sequence<UInt8>) {
    if open.count > 1 { open += ", ".utf8 }
    open += member
  }

  mutating func add(_ key: String, _ value: [UInt8]) { add(Array(key.utf8), value) }

  mutating func add(_ key: String, _ number: Int64) { add(key, Array(String(number).utf8)) }

  /// The whole object.
  var text: [UInt8] { open + [UInt8(ascii: "}")] }
}
