/// Parses pooch registries: a name, a hash and sometimes a URL on each line, with blanks between them.
///
///     line = word 1*blank hash [ 1*blank url ]
///     hash = [ algorithm ":" ] HEX
///
/// Without an algorithm the hash is SHA-256. Words are quoted as for a POSIX shell, because pooch splits lines with
/// `shlex.split`. Lines that begin with `#` are comments.
package struct PoochParser: ManifestParser {
  private let rules: ColumnRules
  private var lines = LineSplitter()

  package init(_ rules: ColumnRules) { self.rules = rules }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) { lines.append(bytes) }

  package mutating func end() { lines.end() }

  package mutating func next() throws(ManifestError) -> ManifestEntry? {
    do throws(ListProblem) {
      guard let line = try lines.nextContent() else { return nil }
      return try entry(line.trimmed)
    } catch {
      throw ManifestError(lineNumber: lines.lineNumber, error)
    }
  }

  private func entry(_ line: ArraySlice<UInt8>) throws(ListProblem) -> ManifestEntry {
    guard let words = Self.words(line), (2...3).contains(words.count) else { throw .notRegistryLine }
    if words[0].isEmpty { throw .missingName }
    var entry = ManifestEntry(lineNumber: lines.lineNumber)
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

  /// The words of a line; nil for one that ends inside quotation marks or after a backslash.
  private static func words(_ line: ArraySlice<UInt8>) -> [[UInt8]]? {
    var words: [[UInt8]] = []
    var word: [UInt8]?
    var quote: UInt8?
    var index = line.startIndex
    while index < line.endIndex {
      let byte = line[index]
      index += 1
      if byte == UInt8(ascii: "\\"), quote != UInt8(ascii: "'") {
        guard index < line.endIndex else { return nil }
        let next = line[index]
        index += 1
        // Inside double quotation marks a backslash escapes only itself and them.
        let escapes = quote == nil || next == UInt8(ascii: "\"") || next == byte
        word = (word ?? []) + (escapes ? [next] : [byte, next])
      } else if let current = quote {
        if byte == current { quote = nil } else { word?.append(byte) }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
        word = word ?? []
      } else if byte.isSpace {
        if let ended = word { words.append(ended) }
        word = nil
      } else if word == nil {
        word = [byte]
      } else {
        word?.append(byte)
      }
    }
    if quote != nil { return nil }
    if let word { words.append(word) }
    return words
  }
}
