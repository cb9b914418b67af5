/// Field values that are comma-separated lists (RFC 9110 section 5.6.1).
enum FieldList {
  /// The trimmed elements without empty ones. Commas in quoted strings do not separate.
  static func elements(of value: [UInt8]) -> Elements { Elements(value: value) }

  /// The elements, made on demand: most fields have one element, and most answers have many fields.
  struct Elements: Sequence, IteratorProtocol {
    fileprivate let value: [UInt8]
    private var index = 0

    fileprivate init(value: [UInt8]) { self.value = value }

    mutating func next() -> ArraySlice<UInt8>? {
      while index < value.count {
        let element = value[index..<endOfElement()].trimmed
        if !element.isEmpty { return element }
      }
      return nil
    }

    /// The end of the element; `index` moves behind the comma.
    private mutating func endOfElement() -> Int {
      var isQuoted = false
      while index < value.count {
        defer { index += 1 }
        switch value[index] {
        case UInt8(ascii: "\\") where isQuoted: index += 1
        case UInt8(ascii: "\""): isQuoted.toggle()
        case UInt8(ascii: ",") where !isQuoted: return index
        default: break
        }
      }
      return value.count
    }
  }

  /// The schemes of a list of challenges, in lower case and in order (RFC 9110 section 11.6.1).
  ///
  ///     challenge  = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
  ///     auth-param = token BWS "=" BWS ( token / quoted-string )
  static func challengeSchemes(of value: [UInt8]) -> [String] {
    var schemes: [String] = []
    for element in elements(of: value) {
      var cursor = ByteCursor(element)
      let token = cursor.take(while: { $0.isTokenCharacter })
      let blanks = cursor.skipSpaces()
      // `nonce = "…"` continues a challenge; `Digest nonce="…"` and a lone `Negotiate` start one.
      guard !token.isEmpty, cursor.isAtEnd || (blanks > 0 && cursor.peeked != UInt8(ascii: "=")) else { continue }
      schemes.append(token.loweredPrintable)
    }
    return schemes
  }
}
