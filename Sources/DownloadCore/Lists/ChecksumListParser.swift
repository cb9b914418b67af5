/// Checksum files: one entry per line, comments, blank lines, and the armour of a PGP clear-signed message.
///
/// Text may stand before the first entry, see `ChecksumPreamble`. A comment such as `# BLAKE2B HASH` names the algorithm of the digests of that length below it, as in Gentoo's `DIGESTS`.
struct ChecksumListParser: Sendable {
  private let defaultAlgorithm: DigestAlgorithm?
  private let bareName: [UInt8]?
  private let preambleLineCount: Int
  private var armour = PGPArmour()
  /// What the last comment says that names an algorithm.
  private var section: DigestAlgorithm?
  /// Lines without a file, but comments.
  private(set) var passedCount = 0

  init(defaultAlgorithm: DigestAlgorithm?, bareName: [UInt8]?, preambleLineCount: Int) {
    self.defaultAlgorithm = defaultAlgorithm
    self.bareName = bareName
    self.preambleLineCount = preambleLineCount
  }

  mutating func take(_ line: ArraySlice<UInt8>, lineNumber: Int) throws(ListProblem) -> ListEntry? {
    guard let line = try armour.text(of: line) else { return nil }
    guard let first = line.first(where: { !$0.isSpace }) else { return nil }
    if first == UInt8(ascii: "#") {
      if let algorithm = Self.algorithm(ofComment: line) { section = algorithm }
      return nil
    }
    if lineNumber <= preambleLineCount {
      passedCount += 1
      return nil
    }
    switch try PublishedLine(line, lineNumber: lineNumber) {
    case .entry(let entry): return entry
    case .passed:
      passedCount += 1
      return nil
    case nil: break
    }
    let parsed = try ChecksumLine(line, defaultAlgorithm: section ?? defaultAlgorithm, bareName: bareName)
    var entry = ListEntry(lineNumber: lineNumber)
    entry.digests = [parsed.digest]
    if URLScheme.begins(parsed.name[...]) {
      let (url, digests) = try URLFragment.split(parsed.name[...])
      entry.urls = [Array(url)]
      for digest in digests { try entry.digests.add(digest) }
    } else {
      entry.name = parsed.name
    }
    return entry
  }

  /// The entry of a line, if it is plain.
  func plainEntry(_ line: UnsafeRawBufferPointer) -> PlainEntry? {
    armour.isText ? ChecksumLine.plainEntry(line, defaultAlgorithm: section ?? defaultAlgorithm) : nil
  }

  /// The algorithm that a comment is about, and nothing else.
  private static func algorithm(ofComment line: ArraySlice<UInt8>) -> DigestAlgorithm? {
    let words = line.trimmed.drop { $0 == UInt8(ascii: "#") }.split(whereSeparator: \.isSpace).map(\.loweredPrintable)
    guard let first = words.first, words.count <= 2, let algorithm = DigestAlgorithm(name: first) else { return nil }
    return words.count == 1 || ["hash", "hashes", "checksum", "checksums", "sum", "sums"].contains(words[1])
      ? algorithm : nil
  }

  /// A line as it stands in a list without a signature.
  func text(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8> { armour.isSigned ? PGPArmour.unescaped(line) : line }

  func finish() throws(ListProblem) { try armour.finish() }
}

/// Removes the cleartext signature framework from a list (RFC 9580 section 7). The signature is not verified.
///
///     plain ──BEGIN SIGNED──► headers ──blank──► text ──BEGIN SIGNATURE──► signature ──END──► plain
struct PGPArmour: Sendable {
  static let messageLine = Array("-----BEGIN PGP SIGNED MESSAGE-----".utf8)
  private static let signatureLine = Array("-----BEGIN PGP SIGNATURE-----".utf8)
  private static let endLine = Array("-----END PGP SIGNATURE-----".utf8)

  private enum State: Sendable { case plain, headers, text, signature }
  private var state = State.plain

  /// Whether a line that does not begin with a dash is one of the list itself.
  var isText: Bool { state == .plain || state == .text }

  /// Whether the next line is one of the signed text, or ends it.
  var isSigned: Bool { state == .text }

  /// The line without dash-escaping; nil for a line of the framework.
  mutating func text(of line: ArraySlice<UInt8>) throws(ListProblem) -> ArraySlice<UInt8>? {
    if isText, line.first != UInt8(ascii: "-") { return line }
    switch state {
    case .plain:
      if line.starts(with: Self.signatureLine) {
        throw .signature
      }
      guard line.starts(with: Self.messageLine) else { return line }
      state = .headers
      return nil
    case .headers:
      if line.trimmed.isEmpty { state = .text }
      return nil
    case .text:
      if line.starts(with: Self.signatureLine) {
        state = .signature
        return nil
      }
      return Self.unescaped(line)
    case .signature:
      if line.starts(with: Self.endLine) { state = .plain }
      return nil
    }
  }

  /// Dash-escaping prefixes lines that start with a dash with `- `.
  static func unescaped(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.starts(with: [0x2d, 0x20]) ? line.dropFirst(2) : line
  }

  /// - Throws: where the list ends within the framework, because lines are missing then.
  func finish() throws(ListProblem) {
    if state != .plain { throw .unfinishedSignature }
  }
}
