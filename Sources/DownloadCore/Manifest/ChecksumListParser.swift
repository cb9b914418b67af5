/// Checksum files: one entry per line, comments, blank lines, and the armour of a PGP clear-signed message.
struct ChecksumListParser: Sendable {
  private let defaultAlgorithm: DigestAlgorithm?
  private let bareName: [UInt8]?
  private var armour = PGPArmour()

  init(defaultAlgorithm: DigestAlgorithm?, bareName: [UInt8]?) {
    self.defaultAlgorithm = defaultAlgorithm
    self.bareName = bareName
  }

  mutating func take(_ line: ArraySlice<UInt8>, lineNumber: Int) throws(ListProblem) -> ManifestEntry? {
    guard let line = try armour.text(of: line) else { return nil }
    guard let first = line.first(where: { !$0.isSpace }), first != UInt8(ascii: "#") else { return nil }
    let parsed = try ChecksumLine(line, defaultAlgorithm: defaultAlgorithm, bareName: bareName)
    var entry = ManifestEntry(lineNumber: lineNumber)
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
    armour.isText ? ChecksumLine.plainEntry(line, defaultAlgorithm: defaultAlgorithm) : nil
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
