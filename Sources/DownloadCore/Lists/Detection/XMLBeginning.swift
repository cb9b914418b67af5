/// Finds the root element of an XML document, as far as that is needed to recognize a format.
///
///     document = *( space / "<?" … "?>" / "<!--" … "-->" / "<!" … ">" ) "<" [ prefix ":" ] name …
///
/// It does not check the document. Quotes and brackets within a document type declaration are respected.
enum XMLBeginning {
  /// The name of the root element without its prefix; nil for what is no XML or HTML, or not within these bytes.
  static func rootName(of text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = narrowed(text)
    while true {
      rest = rest.drop(while: isSpace)
      guard rest.first == UInt8(ascii: "<") else { return nil }
      if rest.starts(with: "<?".utf8) {
        guard let end = rest.dropFirst(2).behind("?>") else { return nil }
        rest = end
      } else if rest.starts(with: "<!--".utf8) {
        guard let end = rest.dropFirst(4).behind("-->") else { return nil }
        rest = end
      } else if rest.starts(with: "<!".utf8) {
        guard let end = behindDeclaration(rest.dropFirst(2)) else { return nil }
        rest = end
      } else {
        return name(rest.dropFirst())
      }
    }
  }

  /// UTF-16 with one byte for each code unit, 0 for those above U+00FF, and without its byte order mark; any other text
  /// as it is. Without a byte order mark, the encoding is told by the first character (XML 1.0 appendix F).
  private static func narrowed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard text.count >= 2, let first = text.first else { return text }
    let second = text[text.startIndex + 1]
    let hasMark = (first, second) == (0xff, 0xfe) || (first, second) == (0xfe, 0xff)
    let isLittleEndian = hasMark ? first == 0xff : second == 0 && beginsDocument(first)
    guard hasMark || isLittleEndian || first == 0 && beginsDocument(second) else { return text }
    let units = stride(from: text.startIndex + (hasMark ? 2 : 0), to: text.endIndex - 1, by: 2)
    return units.map { index in
      let (low, high) = isLittleEndian ? (text[index], text[index + 1]) : (text[index + 1], text[index])
      return high == 0 ? low : 0
    }[...]
  }

  private static func beginsDocument(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "<") || isSpace(byte) }

  private static func name(_ tag: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let name = tag.prefix { !isSpace($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
    guard name.endIndex < tag.endIndex, !name.isEmpty else { return nil }
    guard let colon = name.firstIndex(of: UInt8(ascii: ":")) else { return name }
    return name[(colon + 1)...]
  }

  /// Skips `… >`, where `>` does not count in quotes and in brackets.
  private static func behindDeclaration(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var quote: UInt8?
    var bracketCount = 0
    for index in text.indices {
      let byte = text[index]
      if let open = quote {
        if byte == open { quote = nil }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: "["): bracketCount += 1
      case UInt8(ascii: "]"): bracketCount -= 1
      case UInt8(ascii: ">") where bracketCount <= 0: return text[(index + 1)...]
      default: break
      }
    }
    return nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
  }
}

extension ArraySlice<UInt8> {
  /// What follows the first occurrence of a text.
  fileprivate func behind(_ end: StaticString) -> ArraySlice<UInt8>? {
    let wanted = UnsafeBufferPointer(start: end.utf8Start, count: end.utf8CodeUnitCount)
    var index = startIndex
    while index + wanted.count <= endIndex {
      if self[index...].starts(with: wanted) { return self[(index + wanted.count)...] }
      index += 1
    }
    return nil
  }
}
