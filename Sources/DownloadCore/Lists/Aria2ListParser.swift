/// Parses aria2 input files and plain URL lists, which have the same grammar.
///
///     list   = *( blank / comment / entry )
///     entry  = url *( HTAB url ) LF *( 1*( SP / HTAB ) option LF )
///     option = name "=" value
///     url    = text with "://" [ "#" fragment ] *( 1*SP digest )
///
/// `LineDecoration` says what may stand around a URL, and `URLFragment` parses the fragment. Other blanks are part of the URL. An indented URL is an entry of its own. `#` starts a comment only at the start of
/// a line.
struct Aria2ListParser: Sendable {
  /// Whether a line may hold relative references (RFC 3986 section 4.2) in place of URLs.
  private let allowsReferences: Bool
  /// The last entry, which further lines may give options.
  private var pending: ListEntry?
  /// The options of `pending` that may stand there once, with their values and lines.
  private var given: [Aria2Option: (value: ArraySlice<UInt8>, line: Int)] = [:]
  /// The last entry is invalid or complete, so further options are skipped.
  private var skipsOptions = false
  /// The lines of entries; nil where nobody asks for them.
  private var texts: Texts?

  private struct Texts {
    /// Those of `pending`.
    var ofPending: [UInt8] = []
    /// Those of the entry that was returned or refused last.
    var ofLast: [UInt8] = []
  }

  /// - Parameter keepsText: whether `text` is wanted.
  init(allowsReferences: Bool, keepsText: Bool = false) {
    self.allowsReferences = allowsReferences
    texts = keepsText ? Texts() : nil
  }

  /// The lines of the entry that was returned or refused last, with line feeds between them.
  var text: [UInt8]? { texts?.ofLast }

  /// - Returns: the entry that this line ends.
  mutating func take(_ line: ArraySlice<UInt8>, lineNumber: Int) throws(ListProblem) -> ListEntry? {
    var content = line.trimmed
    guard let first = content.first, first != UInt8(ascii: "#") else { return nil }
    if first == UInt8(ascii: "@"), content.elementsEqual(LineDecoration.explicitMark) { return nil }
    content = LineDecoration.removed(from: content) ?? content
    if line[line.startIndex].isSpace, !URLScheme.begins(content) {
      if skipsOptions { return nil }
      do {
        try takeOption(content, lineNumber: lineNumber)
      } catch {
        if let known = texts?.ofPending { texts = Texts(ofLast: known.isEmpty ? Array(line) : known + [0x0a] + line) }
        pending = nil
        skipsOptions = true
        throw error
      }
      texts?.ofPending += [0x0a] + line
      return nil
    }
    let entry: ListEntry
    do {
      entry = try self.entry(content, lineNumber: lineNumber)
    } catch {
      // The previous entry is complete and is returned with the next line.
      skipsOptions = true
      texts?.ofLast = Array(line)
      throw error
    }
    skipsOptions = false
    if let known = texts?.ofPending { texts = Texts(ofPending: Array(line), ofLast: known) }
    if !given.isEmpty { given = [:] }
    defer { pending = entry }
    return pending
  }

  /// The last entry, if no further line can belong to it.
  ///
  /// - Parameter byte: the first one of the line that follows.
  mutating func entry(before byte: UInt8) -> ListEntry? {
    guard pending != nil, byte.isLetter else { return nil }
    endEntry()
    return finish()
  }

  /// No further line belongs to the last entry. The line that follows may be invalid, and then its options are skipped.
  mutating func endEntry() { skipsOptions = true }

  /// The entry of a line, if it is plain and no further line can belong to it.
  ///
  /// - Parameter next: the first byte of the line that follows.
  func plainEntry(_ line: UnsafeRawBufferPointer, next: UInt8) -> PlainEntry? {
    pending == nil && next.isLetter ? PlainEntry(url: line) : nil
  }

  mutating func finish() -> ListEntry? {
    if let known = texts?.ofPending { texts = Texts(ofLast: known) }
    defer { pending = nil }
    return pending
  }

  static func containsURL(_ text: ArraySlice<UInt8>) -> Bool { separator(in: text) != nil }

  /// The index of the first `://`.
  private static func separator(in text: ArraySlice<UInt8>) -> Int? {
    var index = text.startIndex
    while index + 2 < text.endIndex {
      if text[index] == UInt8(ascii: ":"), text[index + 1] == UInt8(ascii: "/"), text[index + 2] == UInt8(ascii: "/") {
        return index
      }
      index += 1
    }
    return nil
  }

  private func entry(_ content: ArraySlice<UInt8>, lineNumber: Int) throws(ListProblem) -> ListEntry {
    var entry = ListEntry(lineNumber: lineNumber)
    for part in content.parts(separatedBy: 0x09) {
      let text = part.trimmed
      if text.isEmpty { continue }
      try Self.refuseControls(text)
      let (url, stated) = try Self.splitDigests(text)
      if !Self.containsURL(url.prefix(while: { $0 != UInt8(ascii: "#") })) {
        let problem = Self.noURL(url)
        // A file may be named after its digest.
        if !(allowsReferences && ChecksumLine.isBare(url)) {
          guard allowsReferences, case .notURL = problem else { throw problem }
        }
      } else if url.contains(UInt8(ascii: " ")),
        url.parts(separatedBy: UInt8(ascii: " ")).dropFirst().contains(where: URLScheme.begins)
      {
        throw .blankBetweenURLs
      }
      let (address, digests) = try URLFragment.split(url)
      entry.urls.append(Array(address.trimmed))
      for digest in digests + stated { try entry.digests.add(digest) }
    }
    return entry
  }

  /// Splits a URL from the digests that stand behind it, with blanks between them.
  ///
  /// - Throws: where one of them is invalid, or other text follows them.
  private static func splitDigests(
    _ text: ArraySlice<UInt8>
  ) throws(ListProblem) -> (url: ArraySlice<UInt8>, digests: [ContentDigest]) {
    guard text.contains(UInt8(ascii: " ")) else { return (text, []) }
    let words = text.parts(separatedBy: UInt8(ascii: " ")).filter { !$0.isEmpty }
    guard let first = words.dropFirst().firstIndex(where: { StatedDigest(word: $0) != nil }) else { return (text, []) }
    var digests: [ContentDigest] = []
    for word in words[first...] {
      switch StatedDigest(word: word) {
      case .digest(let digest): try digests.add(digest)
      case .malformed(let algorithm): throw .malformedDigest(algorithm)
      case .unknown(let name): throw .unknownAlgorithm(Array(name.utf8))
      case nil: throw URLScheme.begins(word) ? .blankBetweenURLs : .textAfterDigest
      }
    }
    return (text[..<words[first].startIndex].trimmed, digests)
  }

  private mutating func takeOption(_ content: ArraySlice<UInt8>, lineNumber: Int) throws(ListProblem) {
    guard let equals = content.firstIndex(of: UInt8(ascii: "=")) else {
      throw .strayLine
    }
    // Taken out, so that the many headers that an entry may have are not copied for each.
    guard var entry = pending.take() else { throw .optionBeforeURL }
    defer { pending = entry }
    let value = content[(equals + 1)...].trimmed
    try Self.refuseControls(value)
    let name = content[..<equals].trimmed
    let option = try Aria2Option(name: name, value: value)
    if option.standsOnce {
      if let (first, line) = given[option], first != value {
        throw .repeatedOption(name.loweredPrintable, line: line)
      }
      given[option] = given[option] ?? (Array(value)[...], lineNumber)
    }
    switch option {
    case .out:
      entry.out = try Self.filled(value, "out")
      entry.outMayBeAbsolute = true
    case .directory: entry.directory = try Self.filled(value, "dir")
    case .checksum:
      switch StatedDigest(value) {
      case .digest(let digest): try entry.digests.add(digest)
      case .malformed(let algorithm): throw .malformedDigest(algorithm)
      case .unknown, nil: throw .unnamedChecksum(Array(value))
      }
    case .header:
      guard let colon = value.firstIndex(of: UInt8(ascii: ":")), colon > value.startIndex,
        value[..<colon].allSatisfy(\.isTokenCharacter)
      else { throw .malformedHeader }
      entry.headers.append(Array(value))
    case .referer:
      if value.elementsEqual("*".utf8) { throw .refererOfItself }
      entry.headers.append(Array("Referer: ".utf8) + value)
    case .userAgent: entry.headers.append(Array("User-Agent: ".utf8) + value)
    case .noCache: entry.headers += [Array("Cache-Control: no-cache".utf8), Array("Pragma: no-cache".utf8)]
    case .ignored: break
    }
  }

  private static func filled(_ value: ArraySlice<UInt8>, _ name: String) throws(ListProblem) -> [UInt8] {
    if value.isEmpty { throw .emptyOption(name) }
    return Array(value)
  }

  private static func refuseControls(_ text: ArraySlice<UInt8>) throws(ListProblem) {
    if text.contains(where: { $0.isControl }) { throw .controlCharacter }
  }

  private static func noURL(_ text: ArraySlice<UInt8>) -> ListProblem {
    if text.first == UInt8(ascii: "<") { return .markup }
    return ChecksumLine.isOne(text) ? .checksumLine : .notURL(Array(text))
  }
}
