/// A file with names and passwords of machines, as ftp, curl and wget read `~/.netrc`.
///
/// It is a sequence of words between blanks and line ends. `machine NAME` begins an entry for a host, `default` one for
/// all hosts; `login NAME`, which may be written `user NAME`, and `password TEXT` belong to the entry, which holds for one
/// port if it has `port NUMBER`. Of several passwords of an entry the last one counts. `account TEXT` is passed over, and so is `macdef NAME` with the lines up to an empty one. A value may be quoted: `"a \"b\" c"`. `#` begins a comment at the
/// start of a line and where a keyword may stand; within a value it has no meaning.
///
/// What has another form is refused: whoever guesses sends a password to the wrong host, or under the wrong name.
package struct NetrcFile: Sendable, Equatable {
  /// What is wrong with the file. It holds nothing of the content, which is secret.
  package struct Problem: Error, Hashable, Sendable {
    /// Counted from 1.
    package let line: Int
    package let kind: Kind

    package enum Kind: Hashable, Sendable {
      /// A word that is no keyword stands where one is expected.
      case unknownWord
      case missingValue(Keyword)
      case outsideEntry(Keyword)
      /// An entry has two logins or two ports.
      case repeated(Keyword)
      /// The line ends before the closing quotation mark.
      case openQuotation
      case textAfterQuotation
      case controlCharacter
      /// A value is longer than `mostValueBytes`.
      case tooLong
    }
  }

  package enum Keyword: String, CaseIterable, Sendable {
    case machine, `default`, login, password, port, account, macdef
  }

  private struct Entry: Equatable {
    var values: [Keyword: [UInt8]] = [:]

    var login: [UInt8]? { values[.login] }
    var password: [UInt8]? { values[.password] }

    /// Whether it is not for another port, nor for a service that only other programs know.
    func isFor(port: UInt16) -> Bool { values[.port].map { $0.elementsEqual(String(port).utf8) } ?? true }
  }

  /// The longest value, in bytes.
  package static let mostValueBytes = 16 << 10

  /// By machine, in the order of the file.
  private var machines: [[UInt8]: [Entry]] = [:]
  /// Those of `default`.
  private var others: [Entry] = []

  package init(_ bytes: [UInt8]) throws(Problem) {
    var words = NetrcWords(bytes)
    // The machine, or nil for `default`, and what is known of its entry.
    var open: (machine: [UInt8]?, entry: Entry)?
    while let keyword = try words.keyword() {
      switch keyword {
      case .machine, .default:
        if let open { add(open.entry, of: open.machine) }
        open = (keyword == .default ? nil : Self.key(try words.value(of: keyword)), Entry())
      case .login, .password, .port, .account:
        guard let values = open?.entry.values else { throw words.problem(.outsideEntry(keyword)) }
        // Of several passwords the last one counts, as in curl.
        if keyword == .login || keyword == .port, values[keyword] != nil { throw words.problem(.repeated(keyword)) }
        open?.entry.values[keyword] = try words.value(of: keyword)
      case .macdef:
        _ = try words.value(of: keyword)
        words.skipMacro()
      }
    }
    if let open { add(open.entry, of: open.machine) }
  }

  private mutating func add(_ entry: Entry, of machine: [UInt8]?) {
    if let machine { machines[machine, default: []].append(entry) } else { others.append(entry) }
  }

  /// A host as entries are found by: in lower case, an IPv6 address without brackets and zone.
  private static func key(_ host: some Sequence<UInt8>) -> [UInt8] {
    let name = host.map(\.lowercased)
    guard name.first == UInt8(ascii: "["), name.last == UInt8(ascii: "]") else { return name }
    return Array(name.dropFirst().dropLast().prefix { $0 != UInt8(ascii: "%") })
  }

  /// The first entry for a server that has a login or a password.
  ///
  /// The entries of the machine stand before those of `default`, which count only if no entry of the machine fits. What
  /// an entry lacks is empty: it is never taken from another entry (CVE-2024-11053, CVE-2025-0167 in curl).
  ///
  /// - Parameters:
  ///   - host: as in an `Origin`.
  ///   - login: only an entry with this login, or without any, fits, and it has to have a password; nil takes each.
  ///   - takesDefault: whether entries of `default` count.
  package func credentials(
    for host: String, port: UInt16, login: [UInt8]? = nil, takesDefault: Bool = true
  ) -> Credentials? {
    func fitting(_ entries: [Entry]?) -> [Entry] {
      (entries ?? []).filter { entry in
        entry.isFor(port: port) && (login == nil || entry.login == nil || entry.login == login)
      }
    }
    let own = fitting(machines[Self.key(host.utf8)])
    let entries = own.isEmpty && takesDefault ? fitting(others) : own
    guard let entry = entries.first(where: { $0.password != nil || login == nil && $0.login != nil }) else {
      return nil
    }
    return Credentials(name: login ?? entry.login ?? [], password: entry.password ?? [])
  }
}

/// Splits the text of a `NetrcFile` into its words.
private struct NetrcWords {
  private let bytes: [UInt8]
  private var index: Int
  /// That of `index`, counted from 1.
  private var line = 1
  /// Whether only blanks are before `index` in its line.
  private var isAtLineStart = true

  private struct Word {
    var bytes: [UInt8] = []
    var isQuoted = false

    var keyword: NetrcFile.Keyword? {
      if isQuoted { return nil }
      let word = String(decoding: bytes.map(\.lowercased), as: UTF8.self)
      return word == "user" ? .login : NetrcFile.Keyword(rawValue: word)
    }
  }

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    index = ByteOrderMark.removed(from: bytes[...]).startIndex
  }

  /// In the line of the word that was read last.
  func problem(_ kind: NetrcFile.Problem.Kind) -> NetrcFile.Problem { NetrcFile.Problem(line: line, kind: kind) }

  /// - Returns: nil at the end of the file.
  mutating func keyword() throws(NetrcFile.Problem) -> NetrcFile.Keyword? {
    guard let word = try word(isValue: false) else { return nil }
    guard let keyword = word.keyword else { throw problem(.unknownWord) }
    return keyword
  }

  /// The value of the keyword that was read last. It may stand on a later line, unless it looks like the next keyword.
  mutating func value(of keyword: NetrcFile.Keyword) throws(NetrcFile.Problem) -> [UInt8] {
    let missing = problem(.missingValue(keyword))
    guard let value = try word(isValue: true), line == missing.line || value.keyword == nil else { throw missing }
    // A name may become part of a header field. A password does not, and has what its escapes say.
    if keyword != .password, value.bytes.contains(where: \.isControl) { throw problem(.controlCharacter) }
    return value.bytes
  }

  /// Skips the rest of the line, and those after it up to an empty one.
  mutating func skipMacro() {
    skipLine()
    while index < bytes.count {
      let start = index
      skipLine()
      if bytes[start..<index].allSatisfy({ $0.isSpace || $0 == 0x0d || $0 == 0x0a }) { return }
    }
  }

  private mutating func skipLine() {
    while index < bytes.count, bytes[index] != 0x0a { index += 1 }
    takeLineEnd()
  }

  private mutating func takeLineEnd() {
    guard index < bytes.count else { return }
    index += 1
    line += 1
    isAtLineStart = true
  }

  /// LF, CRLF, or the end of the file.
  private var isAtLineEnd: Bool {
    func isEnd(_ index: Int) -> Bool { index == bytes.count || bytes[index] == 0x0a }
    return isEnd(index) || bytes[index] == 0x0d && isEnd(index + 1)
  }

  private var isAtWordEnd: Bool { isAtLineEnd || bytes[index].isSpace }

  /// Skips blanks, line ends and comments.
  private mutating func skipToWord(isValue: Bool) {
    while index < bytes.count {
      if bytes[index] == 0x0a {
        takeLineEnd()
      } else if isAtWordEnd {
        index += 1
      } else if bytes[index] == UInt8(ascii: "#"), isAtLineStart || !isValue {
        skipLine()
      } else {
        return
      }
    }
  }

  private mutating func word(isValue: Bool) throws(NetrcFile.Problem) -> Word? {
    skipToWord(isValue: isValue)
    guard index < bytes.count else { return nil }
    isAtLineStart = false
    var word = Word()
    word.isQuoted = bytes[index] == UInt8(ascii: "\"")
    if word.isQuoted { index += 1 }
    while let byte = word.isQuoted ? try nextQuoted() : try nextPlain() {
      if word.bytes.count == NetrcFile.mostValueBytes { throw problem(.tooLong) }
      word.bytes.append(byte)
    }
    if !isAtWordEnd { throw problem(.textAfterQuotation) }
    return word
  }

  private mutating func nextPlain() throws(NetrcFile.Problem) -> UInt8? {
    isAtWordEnd ? nil : try take()
  }

  /// - Returns: nil behind the closing mark.
  private mutating func nextQuoted() throws(NetrcFile.Problem) -> UInt8? {
    let byte = try takeInQuotation()
    if byte == UInt8(ascii: "\"") { return nil }
    guard byte == UInt8(ascii: "\\") else { return byte }
    let escaped = try takeInQuotation()
    switch escaped {
    case UInt8(ascii: "n"): return 0x0a
    case UInt8(ascii: "r"): return 0x0d
    case UInt8(ascii: "t"): return 0x09
    default: return escaped
    }
  }

  private mutating func takeInQuotation() throws(NetrcFile.Problem) -> UInt8 {
    if isAtLineEnd { throw problem(.openQuotation) }
    return try take()
  }

  private mutating func take() throws(NetrcFile.Problem) -> UInt8 {
    let byte = bytes[index]
    if byte.isControl, !byte.isSpace { throw problem(.controlCharacter) }
    index += 1
    return byte
  }
}
