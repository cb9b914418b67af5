/// Field values that are lists (RFC 9110 section 5.6.1): `#element`, separated by commas.
enum FieldList {
  /// The elements without blanks around them; empty ones are left out, commas in quoted strings do not count.
  static func elements(of value: [UInt8]) -> [ArraySlice<UInt8>] {
    var elements: [ArraySlice<UInt8>] = []
    var start = 0
    var index = 0
    var isQuoted = false
    func close(_ end: Int) {
      let element = value[start..<end].trimmed
      if !element.isEmpty { elements.append(element) }
    }
    while index < value.count {
      switch value[index] {
      case UInt8(ascii: "\\") where isQuoted: index += 1
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted:
        close(index)
        start = index + 1
      default: break
      }
      index += 1
    }
    close(value.count)
    return elements
  }

  /// The schemes of a list of challenges, lower-cased, in order (RFC 9110 section 11.6.1).
  ///
  ///     challenge  = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
  ///     auth-param = token BWS "=" BWS ( token / quoted-string )
  static func challengeSchemes(of value: [UInt8]) -> [String] {
    var schemes: [String] = []
    for element in elements(of: value) {
      var cursor = ByteCursor(element)
      let token = cursor.take(while: { $0.isTokenCharacter })
      let blanks = cursor.skipSpaces()
      // `nonce = "…"` goes on with the challenge before; `Digest nonce="…"` and a lone `Negotiate` begin one.
      guard !token.isEmpty, cursor.isAtEnd || (blanks > 0 && cursor.peeked != UInt8(ascii: "=")) else { continue }
      schemes.append(token.loweredPrintable)
    }
    return schemes
  }
}
