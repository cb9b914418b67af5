/// The words of a command, split as a shell does it: at blanks, with quotation marks and backslashes.
///
/// No shell runs the command, so nothing is expanded: a `$` within double quotes means itself. What only a shell
/// understands outside of quotation marks is refused, so that nobody relies on it.
package struct CommandWords: Sendable, Hashable {
  /// At least one; the first, which is the program, is not empty.
  package let words: [[UInt8]]

  package enum Problem: Error, Hashable, Sendable {
    /// There is no program.
    case empty
    /// A quotation mark, or a backslash, that nothing follows which it needs.
    case unclosed(UInt8)
    /// An unquoted character that only a shell understands.
    case shellSyntax(UInt8)
  }

  private static let blanks = Array(" \t".utf8)
  static let shellSyntax = Array("|&;<>()$`\n".utf8)
  /// What a backslash escapes within double quotes (POSIX.1, Shell Command Language, 2.2.3).
  static let escapable = Array("$`\"\\\n".utf8)

  /// - Parameter text: free of NUL.
  package init(text: [UInt8]) throws(Problem) {
    var reader = Reader(text[...])
    var words: [[UInt8]] = []
    while let word = try reader.word() { words.append(word) }
    guard let program = words.first, !program.isEmpty else { throw .empty }
    self.words = words
  }

  /// A text that means these words.
  package var text: [UInt8] {
    let quote = UInt8(ascii: "'")
    let quoted = words.map { word in
      [quote] + word.flatMap { $0 == quote ? Array("'\\''".utf8) : [$0] } + [quote]
    }
    return Array(quoted.joined(separator: [UInt8(ascii: " ")]))
  }

  /// - Parameter words: at least one, the first of which is not empty. Free of NUL.
  init(words: [[UInt8]]) { self.words = words }

  struct Reader {
    private var left: ArraySlice<UInt8>
    private let escapable: [UInt8]
    private let refused: [UInt8]

    /// - Parameters:
    ///   - escapable: what a backslash escapes within double quotes.
    ///   - refused: unquoted characters that may not be there.
    init(
      _ text: ArraySlice<UInt8>, escapable: [UInt8] = CommandWords.escapable,
      refused: [UInt8] = CommandWords.shellSyntax
    ) {
      left = text
      self.escapable = escapable
      self.refused = refused
    }

    /// The next word; nil behind the last one.
    mutating func word() throws(Problem) -> [UInt8]? {
      left = left.drop { blanks.contains($0) }
      guard !left.isEmpty else { return nil }
      var word: [UInt8] = []
      while let byte = left.first, !blanks.contains(byte) {
        left.removeFirst()
        switch byte {
        case UInt8(ascii: "'"): word += try quoted(by: byte)
        case UInt8(ascii: "\""): word += try doublyQuoted()
        case UInt8(ascii: "\\"):
          guard let escaped = left.popFirst() else { throw .unclosed(byte) }
          // A backslash at the end of a line joins it with the next one.
          if escaped != UInt8(ascii: "\n") { word.append(escaped) }
        case let byte where refused.contains(byte): throw .shellSyntax(byte)
        default: word.append(byte)
        }
      }
      return word
    }

    private mutating func quoted(by mark: UInt8) throws(Problem) -> ArraySlice<UInt8> {
      guard let end = left.firstIndex(of: mark) else { throw .unclosed(mark) }
      defer { left = left[(end + 1)...] }
      return left[..<end]
    }

    private mutating func doublyQuoted() throws(Problem) -> [UInt8] {
      var text: [UInt8] = []
      while let byte = left.popFirst() {
        switch byte {
        case UInt8(ascii: "\""): return text
        case UInt8(ascii: "\\"):
          guard let next = left.first, escapable.contains(next) else {
            text.append(byte)
            continue
          }
          left.removeFirst()
          if next != UInt8(ascii: "\n") { text.append(next) }
        default: text.append(byte)
        }
      }
      throw .unclosed(UInt8(ascii: "\""))
    }
  }
}
