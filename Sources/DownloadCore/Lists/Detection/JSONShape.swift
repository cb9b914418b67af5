/// What the beginning of a JSON list shows of its form, found by quotation marks and brackets. The list may still be
/// invalid; its parser says so.
struct JSONShape {
  /// The keys of the first object, as far as they were seen.
  private var keys: [ArraySlice<UInt8>] = []
  /// Whether the first object ends on its first line.
  private var fitsLine = false
  /// Whether something stands on a line below the first object.
  private var isFollowed = false

  /// `json` for a document, `jsonl` for objects on lines of their own; nil for what does not begin like JSON.
  ///
  /// A single object on one line is a document if it has `files` or `resources`, or if options name columns.
  static func format(of beginning: ArraySlice<UInt8>, hasColumns: Bool) -> ListFormat? {
    let text = beginning.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0a || $0 == 0x0d }
    switch text.first {
    case UInt8(ascii: "["): return isArray(text) ? .json : nil
    case UInt8(ascii: "{"): break
    default: return nil
    }
    let shape = JSONShape(text)
    let isDocument = shape.keys.contains { $0.elementsEqual("files".utf8) || $0.elementsEqual("resources".utf8) }
    if shape.fitsLine, shape.isFollowed { return .jsonl }
    if isDocument || hasColumns { return .json }
    return shape.keys.contains { $0.elementsEqual("url".utf8) } ? .jsonl : .json
  }

  /// `[` also begins a line of other lists; an array of records goes on with an object, or is empty.
  private static func isArray(_ text: ArraySlice<UInt8>) -> Bool {
    let next = text.dropFirst().first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0a && $0 != 0x0d }
    return next == UInt8(ascii: "{") || next == UInt8(ascii: "]")
  }

  private init(_ text: ArraySlice<UInt8>) {
    var depth = 0
    var spansLines = false
    var index = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "\""):
        let start = index + 1
        index = start
        while index < text.endIndex, text[index] != UInt8(ascii: "\"") {
          index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < text.endIndex else { return }
        let isKey = text[(index + 1)...].first { $0 > 0x20 } == UInt8(ascii: ":")
        if depth == 1, isKey { keys.append(text[start..<index]) }
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 {
          fitsLine = !spansLines
          isFollowed = text[(index + 1)...].contains { $0 > 0x20 }
          return
        }
      case 0x0a: spansLines = true
      default: break
      }
      index += 1
    }
  }
}
