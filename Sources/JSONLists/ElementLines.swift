/// The lines on which the elements of an array begin, found in the text of a valid document.
///
/// jansson does not keep the places of values. The scan relies on its acceptance of the text: it follows quotation
/// marks and brackets only.
enum ElementLines {
  /// - Parameter key: the key of the array in the document's object; nil where the document is the array.
  /// - Returns: a line for each element, counted from 1.
  static func lines(of key: [UInt8]?, in text: ArraySlice<UInt8>) -> [Int] {
    let arrayDepth = key == nil ? 1 : 2
    var lines: [Int] = []
    var line = 1
    var depth = 0
    var isInArray = false
    var expectsElement = false
    // The last text on the level of the object's keys.
    var lastKey: ArraySlice<UInt8> = []
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      if byte == 0x0a { line += 1 }
      let isBlank = byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
      if isInArray, depth == arrayDepth, expectsElement, !isBlank, byte != UInt8(ascii: "]") {
        lines.append(line)
        expectsElement = false
      }
      switch byte {
      case UInt8(ascii: "\""):
        let start = index + 1
        index = start
        while index < text.endIndex, text[index] != UInt8(ascii: "\"") {
          index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        if depth == 1, !isInArray { lastKey = text[start..<min(index, text.endIndex)] }
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "["):
        depth += 1
        if depth == arrayDepth, lines.isEmpty, key == nil || lastKey.elementsEqual(key ?? []) {
          isInArray = true
          expectsElement = true
        }
      case UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: "]"):
        depth -= 1
        if isInArray, depth < arrayDepth { return lines }
      case UInt8(ascii: ","): if isInArray, depth == arrayDepth { expectsElement = true }
      default: break
      }
      index += 1
    }
    return lines
  }
}
