/// Parses pooch registries: a name, a hash and sometimes a URL on each line, with blanks between them.
///
///     line = word 1*blank hash [ 1*blank url ]
///     hash = [ algorithm ":" ] HEX
///
/// Without an algorithm the hash is SHA-256. Words are quoted as for a POSIX shell, because pooch splits lines with
/// `shlex.split`. Lines that begin with `#` are comments.
package struct PoochParser: ListParser, LineParser {
  private let rules: ColumnRules
  package var lines = LineSplitter()

  package init(_ rules: ColumnRules) { self.rules = rules }

  package func parsed(_ line: ArraySlice<UInt8>) throws(ListProblem) -> ListEntry {
    guard let words = Self.words(line.trimmed), (2...3).contains(words.count) else { throw .notRegistryLine }
    if words[0].isEmpty { throw .missingName }
    var entry = ListEntry(lineNumber: lines.lineNumber)
    if words[1].contains(UInt8(ascii: ":")) {
      try entry.addNamedDigest(words[1][...])
    } else {
      guard let digest = ContentDigest(.sha256, hex: words[1]) else { throw .malformedDigest(.sha256) }
      entry.digests = [digest]
    }
    if words.count == 3 {
      try entry.addURL(words[2][...], rules)
      entry.out = words[0]
    } else {
      entry.name = words[0]
    }
    return entry
  }

  /// Whether the line has the form of a registry: a name, and a hash with its algorithm or of SHA-256.
  static func isOne(_ line: ArraySlice<UInt8>) -> Bool {
    guard let words = words(line.trimmed), (2...3).contains(words.count),
      !URLScheme.begins(words[0][...])
    else { return false }
    let hash = words[1][...]
    return hash.contains(UInt8(ascii: ":"))
      ? ContentDigest(stated: hash) != nil : ContentDigest(.sha256, hex: hash) != nil
  }

  /// What a backslash escapes inside double quotation marks.
  private static let escapable = Array("\"\\".utf8)

  /// The words of a line; nil for one that ends inside quotation marks or after a backslash.
  private static func words(_ line: ArraySlice<UInt8>) -> [[UInt8]]? {
    var reader = CommandWords.Reader(line, escapable: escapable, refused: [])
    var words: [[UInt8]] = []
    do { while let word = try reader.word() { words.append(word) } } catch { return nil }
    return words
  }
}
