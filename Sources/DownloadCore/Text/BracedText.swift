/// Text with names in braces, such as `https://example.org/data/{id}`. A brace cannot be part of the text.
package struct BracedText: Hashable, Sendable {
  package enum Part: Hashable, Sendable {
    case text([UInt8])
    /// What stands between the braces, without surrounding spaces.
    case name([UInt8])
  }

  /// An opening brace without a closing one, or the reverse.
  package struct UnpairedBrace: Error {}

  package let parts: [Part]

  package init(_ text: [UInt8]) throws(UnpairedBrace) {
    var parts: [Part] = []
    var rest = text[...]
    while let brace = rest.firstIndex(where: { Self.isBrace($0) }) {
      if brace > rest.startIndex { parts.append(.text(Array(rest[..<brace]))) }
      let inner = rest[(brace + 1)...]
      guard rest[brace] == UInt8(ascii: "{"), let close = inner.firstIndex(where: { Self.isBrace($0) }),
        inner[close] == UInt8(ascii: "}")
      else { throw UnpairedBrace() }
      parts.append(.name(Array(inner[..<close].trimmed)))
      rest = inner[(close + 1)...]
    }
    if !rest.isEmpty { parts.append(.text(Array(rest))) }
    self.parts = parts
  }

  private static func isBrace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") }
}
