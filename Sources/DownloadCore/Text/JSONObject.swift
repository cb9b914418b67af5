/// Writes a JSON object (RFC 8259) on one line, with members in the order of `add`. Nil becomes `null`. All text is UTF-8.
package struct JSONObject: Sendable {
  /// Whether a blank stands behind each comma and colon.
  private let hasBlanks: Bool
  /// Whether it is an array of the values, without the names.
  private let isArray: Bool
  /// The object without its end.
  package private(set) var open: [UInt8]
  /// Members so far.
  package private(set) var count = 0

  package init(hasBlanks: Bool = false, isArray: Bool = false) {
    (self.hasBlanks, self.isArray) = (hasBlanks, isArray)
    open = [isArray ? UInt8(ascii: "[") : UInt8(ascii: "{")]
  }

  /// The complete object.
  package var text: [UInt8] { open + CollectionOfOne(isArray ? UInt8(ascii: "]") : UInt8(ascii: "}")) }

  /// The complete object and a newline.
  package var line: [UInt8] { text + [UInt8(ascii: "\n")] }

  /// - Parameter value: the text of a value.
  package mutating func add(_ key: String, verbatim value: [UInt8]) {
    addKey(key)
    open += value
  }

  package mutating func add(_ key: String, _ value: String?) {
    addKey(key)
    if let value { Self.append(quoted: value.utf8, to: &open) } else { addNull() }
  }

  package mutating func add(_ key: String, _ value: [UInt8]) {
    addKey(key)
    Self.append(quoted: value, to: &open)
  }

  package mutating func add(_ key: String, _ value: Int64?) {
    addKey(key)
    if let value { open += String(value).utf8 } else { addNull() }
  }

  package mutating func add(_ key: String, _ value: Bool) { add(key, verbatim: Array((value ? "true" : "false").utf8)) }

  package mutating func add(_ key: String, _ value: JSONObject?) {
    addKey(key)
    if let value { open += value.text } else { addNull() }
  }

  package mutating func add(_ key: String, _ values: [String]) { add(key, array: values.map(Self.quoted)) }

  package mutating func add(_ key: String, _ values: [JSONObject]) { add(key, array: values.map(\.text)) }

  /// - Parameter values: their texts.
  package mutating func add(_ key: String, array values: [[UInt8]]) {
    addKey(key)
    open.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { addSeparator(UInt8(ascii: ",")) }
      open += value
    }
    open.append(UInt8(ascii: "]"))
  }

  /// Adds an array, or its only element.
  ///
  /// - Parameter values: their texts.
  package mutating func add(_ key: String, oneOrMore values: [[UInt8]]) {
    if values.count == 1 { add(key, verbatim: values[0]) } else { add(key, array: values) }
  }

  /// Adds the text under `key` and, where it is not UTF-8, its bytes in hexadecimal under `key_bytes`, unless members have
  /// no names.
  package mutating func add(bytes: [UInt8]?, as key: String) {
    guard let bytes else { return add(key, String?.none) }
    if let text = String(validating: bytes, as: UTF8.self) { return add(key, text) }
    add(key, String(decoding: bytes, as: UTF8.self))
    if !isArray { add(key + "_bytes", Hexadecimal.text(bytes)) }
  }

  private mutating func addKey(_ key: String) {
    if count > 0 { addSeparator(UInt8(ascii: ",")) }
    count += 1
    if isArray { return }
    Self.append(quoted: key.utf8, to: &open)
    addSeparator(UInt8(ascii: ":"))
  }

  private mutating func addSeparator(_ byte: UInt8) {
    open.append(byte)
    if hasBlanks { open.append(UInt8(ascii: " ")) }
  }

  private mutating func addNull() { open += "null".utf8 }

  /// The text of a string.
  package static func quoted(_ string: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    append(quoted: string, to: &text)
    return text
  }

  package static func quoted(_ string: String) -> [UInt8] {
    var text: [UInt8] = []
    append(quoted: string.utf8, to: &text)
    return text
  }

  private static func append(quoted string: some Sequence<UInt8>, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    let isAppended = string.withContiguousStorageIfAvailable { bytes in
      guard bytes.allSatisfy(isPlain) else { return false }
      text.append(contentsOf: bytes)
      return true
    }
    if isAppended != true { appendEscaped(string, to: &text) }
    text.append(UInt8(ascii: "\""))
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20, 0x7f: false
    default: true
    }
  }

  private static func appendEscaped(_ string: some Sequence<UInt8>, to text: inout [UInt8]) {
    for byte in string {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 0..<0x20, 0x7f:
        text += "\\u00".utf8
        Hexadecimal.append(byte, to: &text)
      default: text.append(byte)
      }
    }
  }
}
