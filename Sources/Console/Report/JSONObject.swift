import DownloadCore

/// Writes a JSON object (RFC 8259) on one line, with fields in the order of `add`. Nil becomes `null`.
struct JSONObject {
  private var body: [UInt8] = [UInt8(ascii: "{")]

  init() {}

  init(event: String) { add("event", event) }

  /// The complete object.
  var text: [UInt8] { body + [UInt8(ascii: "}")] }

  mutating func add(_ key: String, _ value: String?) {
    addKey(key)
    guard let value else { return addNull() }
    append(quoted: value.utf8)
  }

  mutating func add(_ key: String, _ value: Int64?) {
    addKey(key)
    guard let value else { return addNull() }
    body.append(contentsOf: String(value).utf8)
  }

  mutating func add(_ key: String, _ value: Bool) {
    addKey(key)
    body.append(contentsOf: (value ? "true" : "false").utf8)
  }

  mutating func add(_ key: String, _ values: [String]) {
    addKey(key)
    addArray(values) { $0.append(quoted: $1.utf8) }
  }

  /// Seconds with three decimals.
  mutating func add(_ key: String, _ value: Duration) {
    addKey(key)
    let milliseconds = max(0, value.wholeMilliseconds)
    let fraction = String(1000 + milliseconds % 1000).dropFirst()
    body.append(contentsOf: "\(milliseconds / 1000).\(fraction)".utf8)
  }

  mutating func add(_ key: String, _ value: JSONObject?) {
    addKey(key)
    guard let value else { return addNull() }
    body.append(contentsOf: value.text)
  }

  mutating func add(_ key: String, _ values: [JSONObject]) {
    addKey(key)
    addArray(values) { $0.body.append(contentsOf: $1.text) }
  }

  private mutating func addArray<Value>(_ values: [Value], _ add: (inout JSONObject, Value) -> Void) {
    body.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      add(&self, value)
    }
    body.append(UInt8(ascii: "]"))
  }

  /// Adds `name` and, where that is not UTF-8, the bytes in hexadecimal as `name_bytes`.
  mutating func add(name: [UInt8]) { add(bytes: name, as: "name") }

  /// Adds the text under `key` and, where it is not UTF-8, its bytes in hexadecimal under `key_bytes`.
  mutating func add(bytes: [UInt8]?, as key: String) {
    guard let bytes else { return add(key, String?.none) }
    if let text = String(validating: bytes, as: UTF8.self) { return add(key, text) }
    add(key, String(decoding: bytes, as: UTF8.self))
    add(key + "_bytes", Hexadecimal.text(bytes))
  }

  private mutating func addKey(_ key: String) {
    if body.count > 1 { body.append(UInt8(ascii: ",")) }
    append(quoted: key.utf8)
    body.append(UInt8(ascii: ":"))
  }

  private mutating func addNull() { body.append(contentsOf: "null".utf8) }

  private mutating func append(quoted text: some Sequence<UInt8>) {
    body.append(UInt8(ascii: "\""))
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): body.append(contentsOf: [UInt8(ascii: "\\"), byte])
      case 0..<0x20, 0x7f:
        body.append(contentsOf: "\\u00".utf8)
        Hexadecimal.append(byte, to: &body)
      default: body.append(byte)
      }
    }
    body.append(UInt8(ascii: "\""))
  }
}
