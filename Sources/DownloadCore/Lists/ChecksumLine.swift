/// One line of a checksum file of coreutils, the BSDs, Perl's shasum or openssl. Leading blanks are ignored.
///
///     gnu     = [ "\" ] HEX ( SP ( SP / "*" ) / SP / HTAB ) name
///     bsd     = [ "\" ] algorithm [ SP ] "(" name ")" [ SP ] "=" [ SP ] HEX
///     bare    = HEX
///
/// A bare digest stands alone in a file with the name of the file that it belongs to, and `.sha256` or the like.
/// After a leading backslash the name is escaped: `\\`, `\n` and `\r` mean backslash, LF and CR. Other backslashes are those
/// of Windows and mean slashes, for these tools escape their own.
struct ChecksumLine {
  let digest: ContentDigest
  /// Unescaped, without leading `./`, not empty.
  let name: [UInt8]

  /// - Parameters:
  ///   - defaultAlgorithm: the algorithm of GNU lines and bare digests of its length.
  ///   - bareName: the file of a bare digest.
  init(
    _ line: ArraySlice<UInt8>, defaultAlgorithm: DigestAlgorithm? = nil, bareName: [UInt8]? = nil
  ) throws(ListProblem) {
    let isIndented = line.first?.isSpace ?? false
    var line = line.drop(while: { $0.isSpace })
    let isEscaped = line.first == UInt8(ascii: "\\")
    if isEscaped { line = line.dropFirst() }
    let rawName: ArraySlice<UInt8>
    let parts = Self.gnu(line)
    // Without a file for it, a digest before three blanks or more is that of a file whose name is blanks.
    if parts?.name.allSatisfy({ $0.isSpace }) ?? true, let hex = Self.bare(line),
      bareName != nil || parts?.name.isEmpty ?? true,
      let algorithm = DigestAlgorithm(digitCount: hex.count, default: defaultAlgorithm),
      let digest = ContentDigest(algorithm, hex: hex)
    {
      guard let bareName else { throw .missingName }
      (self.digest, rawName) = (digest, bareName[...])
    } else if let parts {
      guard let algorithm = DigestAlgorithm(digitCount: parts.hex.count, default: defaultAlgorithm) else {
        throw .unknownDigestLength(parts.hex.count)
      }
      guard let digest = ContentDigest(algorithm, hex: parts.hex) else {
        throw .digestNotHexadecimal(algorithm)
      }
      (self.digest, rawName) = (digest, parts.name)
    } else if let parts = Self.bsd(line) {
      guard let algorithm = DigestAlgorithm(name: parts.algorithm.loweredPrintable) else {
        throw .unknownAlgorithm(Array(parts.algorithm))
      }
      guard let digest = ContentDigest(algorithm, hex: parts.hex) else {
        throw .malformedDigest(algorithm)
      }
      (self.digest, rawName) = (digest, parts.name)
    } else {
      throw .notChecksumLine(isIndented ? nil : Array(line))
    }
    var name = isEscaped ? try Self.unescaped(rawName)[...] : Self.withSlashes(rawName)
    while name.first == UInt8(ascii: "."), name.dropFirst().first == UInt8(ascii: "/") { name = name.dropFirst(2) }
    if name.isEmpty { throw .missingName }
    self.name = Array(name)
  }

  /// The entry of a `gnu` line of which nothing is indented or escaped.
  static func plainEntry(_ line: UnsafeRawBufferPointer, defaultAlgorithm: DigestAlgorithm?) -> PlainEntry? {
    var start = Hexadecimal.digitCount(line)
    guard let algorithm = DigestAlgorithm(digitCount: start, default: defaultAlgorithm), start < line.count,
      line[start].isSpace
    else { return nil }
    start += 1
    if start < line.count, line[start] == UInt8(ascii: " ") || line[start] == UInt8(ascii: "*") { start += 1 }
    while start + 1 < line.count, line[start] == UInt8(ascii: "."), line[start + 1] == UInt8(ascii: "/") { start += 2 }
    // The whole line may be a bare digest if blanks follow it.
    guard start < line.count, !line[start].isSpace, !line[start...].contains(backslash) else { return nil }
    return PlainEntry(name: UnsafeRawBufferPointer(rebasing: line[start...]), algorithms: DigestAlgorithmSet(algorithm))
  }

  /// Whether the line has the form of a checksum line, whatever its algorithm.
  static func isOne(_ line: ArraySlice<UInt8>) -> Bool {
    hasKnownDigest(line) || gnu(unmarked(line)) != nil
  }

  /// Whether the line has the form of a checksum line, and names an algorithm or has a digest of a known length.
  static func hasKnownDigest(_ line: ArraySlice<UInt8>) -> Bool {
    isNamed(line) || isBare(unmarked(line))
  }

  /// As `hasKnownDigest`, but with the name of a file.
  static func isNamed(_ line: ArraySlice<UInt8>) -> Bool {
    let line = unmarked(line)
    if bsd(line) != nil { return true }
    guard let parts = gnu(line), !parts.name.trimmed.isEmpty else { return false }
    return DigestAlgorithm(digitCount: parts.hex.count) != nil
  }

  /// Whether the line is nothing but a digest of a known length.
  static func isBare(_ line: ArraySlice<UInt8>) -> Bool {
    bare(line).map { DigestAlgorithm(digitCount: $0.count) != nil } ?? false
  }

  /// The line without leading blanks and the mark of an escaped name.
  private static func unmarked(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let line = line.drop(while: { $0.isSpace })
    return line.first == backslash ? line.dropFirst() : line
  }

  private static let backslash = UInt8(ascii: "\\")

  /// A name of Windows with slashes. A drive is left out, so that the name is absolute.
  private static func withSlashes(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard name.contains(backslash) else { return name }
    let hasDrive = name.first?.isLetter == true && name.dropFirst().starts(with: ":\\".utf8)
    return (hasDrive ? name.dropFirst(2) : name).map { $0 == backslash ? UInt8(ascii: "/") : $0 }[...]
  }

  /// The digits of a line that is nothing but a digest.
  private static func bare(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    // Most lines end with a letter that is no digit, or have a blank behind the digest; the end is seen first.
    let text = line.trimmed
    guard let last = text.last, Hexadecimal.value(of: last) != nil else { return nil }
    return text.allSatisfy { Hexadecimal.value(of: $0) != nil } ? text : nil
  }

  /// Requires at least 8 digits (a CRC), so that a word like `add` is not a digest.
  private static func gnu(_ line: ArraySlice<UInt8>) -> (hex: ArraySlice<UInt8>, name: ArraySlice<UInt8>)? {
    let hex = line.prefix(line.withUnsafeBytes { Hexadecimal.digitCount($0) })
    guard hex.count >= 8, let separator = line[hex.endIndex...].first, separator.isSpace else { return nil }
    var name = line[(hex.endIndex + 1)...]
    // Old BSDs and hand-made lists have a single blank before the name.
    if let mode = name.first, mode == UInt8(ascii: " ") || mode == UInt8(ascii: "*") { name = name.dropFirst() }
    return (hex, name)
  }

  /// The name may contain `) = `, so the line is parsed from both ends.
  private static func bsd(
    _ line: ArraySlice<UInt8>
  ) -> (algorithm: ArraySlice<UInt8>, name: ArraySlice<UInt8>, hex: ArraySlice<UInt8>)? {
    let algorithm = line.prefix(while: {
      $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "/")
    })
    var rest = line[algorithm.endIndex...].drop(while: { $0.isSpace })
    guard !algorithm.isEmpty, rest.first == UInt8(ascii: "(") else { return nil }
    rest = rest.dropFirst()
    guard let equals = rest.lastIndex(of: UInt8(ascii: "=")) else { return nil }
    let hex = rest[(equals + 1)...].trimmed
    let before = rest[..<equals]
    guard let close = before.lastIndex(where: { !$0.isSpace }), before[close] == UInt8(ascii: ")") else { return nil }
    return (algorithm, before[..<close], hex)
  }

  private static func unescaped(_ text: ArraySlice<UInt8>) throws(ListProblem) -> [UInt8] {
    var name: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        name.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "\\"): name.append(byte)
      case UInt8(ascii: "n"): name.append(0x0a)
      case UInt8(ascii: "r"): name.append(0x0d)
      case nil: throw .unfinishedEscape(Array(text))
      default: throw .unknownEscape(Array(text))
      }
    }
    return name
  }
}
