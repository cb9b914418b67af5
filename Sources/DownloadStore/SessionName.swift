/// The name of a session: `[A-Za-z0-9][A-Za-z0-9._-]{0,63}`.
package struct SessionName: Hashable, Sendable {
  package let text: String

  /// Nil if the text is no name.
  package init?(_ text: String) {
    let bytes = text.utf8
    func isAlphanumeric(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
    guard let first = bytes.first, isAlphanumeric(first), bytes.count <= 64,
      bytes.allSatisfy({
        isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
      })
    else { return nil }
    self.text = text
  }

  /// The directory of a named session, below `$XDG_STATE_HOME`, or `~/.local/state` (XDG Base Directory Specification).
  ///
  /// - Returns: nil without a home. A path that is not absolute is ignored.
  package func directory(environment: (String) -> [UInt8]?) -> [UInt8]? {
    let slash = UInt8(ascii: "/")
    let state =
      environment("XDG_STATE_HOME").flatMap { $0.first == slash ? $0 : nil }
      ?? environment("HOME").flatMap { $0.first == slash ? $0 + Array("/.local/state".utf8) : nil }
    return state.map { $0 + Array("/swiftget/\(text)".utf8) }
  }
}
