/// JSON objects, on lines of their own or in a document, with the reason as one more member.
struct FailedObjects: FailedListWriter {
  private static let key = Array("x-error".utf8)

  /// The text of the document before its entries; nil for JSON Lines.
  private let opening: [UInt8]?
  private let closing: [UInt8]

  init(opening: [UInt8]?, closing: [UInt8]) {
    self.opening = opening
    self.closing = closing
  }

  var beginning: [UInt8] { opening.map { $0 + [0x0a] } ?? [] }
  var end: [UInt8] { opening == nil ? [] : [0x0a] + closing + [0x0a] }

  func text(of entry: FailedEntry, isFirst: Bool) -> [UInt8]? {
    guard let object = Self.adding(entry.reason, to: entry.text) else { return nil }
    if opening == nil { return object + [0x0a] }
    return (isFirst ? [] : Array(",\n".utf8)) + object
  }

  /// The object with the reason in place of an earlier one; nil for what is no object.
  private static func adding(_ reason: [UInt8], to object: [UInt8]) -> [UInt8]? {
    guard let members = JSONMembers(of: object) else { return nil }
    var text = JSONObjectText()
    for member in members.all where member.key != key { text.add(verbatim: member.text) }
    text.add(key, JSONText.quoted(reason))
    return text.text
  }
}

/// The members of the text of a JSON object, found by its quotation marks and brackets. The text is valid JSON.
struct JSONMembers {
  struct Member {
    /// As written, without quotation marks; escapes are not decoded.
    var key: [UInt8]
    /// Key and value as written.
    var text: ArraySlice<UInt8>
  }

  private(set) var all: [Member] = []

  /// - Returns: nil for a text that is no object.
  init?(of object: [UInt8]) {
    var depth = 0
    var start: Int?
    var key: Range<Int>?
    var index = 0
    while index < object.count {
      let byte = object[index]
      switch byte {
      case UInt8(ascii: "\""):
        let first = index + 1
        index = first
        while index < object.count, object[index] != UInt8(ascii: "\"") {
          index += object[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < object.count, depth > 0 else { return nil }
        if depth == 1, key == nil {
          start = first - 1
          key = first..<index
        }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if depth == 0, byte != UInt8(ascii: "{") { return nil }
        depth += 1
      case UInt8(ascii: ",") where depth == 1, UInt8(ascii: "}") where depth == 1:
        if let start, let known = key {
          var end = index
          while end > start, object[end - 1] <= 0x20 { end -= 1 }
          all.append(Member(key: Array(object[known]), text: object[start..<end]))
        }
        (start, key) = (nil, nil)
        if byte == UInt8(ascii: "}") {
          depth = 0
          guard object[(index + 1)...].allSatisfy({ $0 <= 0x20 }) else { return nil }
          return
        }
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      index += 1
    }
    return nil
  }
}
