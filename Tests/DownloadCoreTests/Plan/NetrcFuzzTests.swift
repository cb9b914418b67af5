import DownloadCore
import TestSupport
import Testing

/// Random files in random layout, and damaged ones.
@Suite struct `Random netrc files` {
  /// An entry as it was meant.
  private struct Meant {
    /// Nil for `default`.
    var machine: String?
    var login: [UInt8]?
    var password: [UInt8]?
  }

  private static let hosts = ["h", "Example.org", "example.com", "[::1]", "machine"]
  private static let logins = ["a", "b", "login", "#c", "d\"e"].map { Array($0.utf8) }
  private static let alphabet = Array(" \t\r\n\"\\#machinedefaultloginpasswordmacdef\0\u{1}\u{e9}".utf8)

  private static func draw(_ generator: inout SeededGenerator) -> [Meant] {
    (0..<Int.random(in: 0...6, using: &generator)).map { _ in
      Meant(
        machine: Int.random(in: 0..<6, using: &generator) == 0 ? nil : hosts.randomElement(using: &generator)!,
        login: Int.random(in: 0..<5, using: &generator) == 0 ? nil : logins.randomElement(using: &generator)!,
        password: Int.random(in: 0..<5, using: &generator) == 0 ? nil : password(&generator))
    }
  }

  private static func password(_ generator: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: 0...8, using: &generator)).map { _ in
      let byte =
        Bool.random(using: &generator)
        ? alphabet.randomElement(using: &generator)! : .random(in: 0x21...0x7e, using: &generator)
      return byte == 0 || byte == 1 ? 0xff : byte
    }
  }

  /// The bytes of a file that says so.
  private static func text(_ entries: [Meant], _ generator: inout SeededGenerator) -> [UInt8] {
    var text: [UInt8] = Bool.random(using: &generator) ? [0xef, 0xbb, 0xbf] : []
    for entry in entries {
      var fields: [[UInt8]] = []
      if let login = entry.login { fields.append(field("login", login, &generator)) }
      if let password = entry.password { fields.append(field("password", password, &generator)) }
      if Bool.random(using: &generator) { fields.append(field("account", Array("x#\"".utf8), &generator)) }
      if Int.random(in: 0..<4, using: &generator) == 0 {
        fields.append(field("macdef", [0x78], &generator) + Array("\nmachine h\n\u{1}\"#\r\n \t\r\n".utf8))
      }
      text += gap(&generator)
      text += entry.machine.map { field("machine", Array($0.utf8), &generator) } ?? word("default", &generator)
      fields.shuffle(using: &generator)
      // The last one counts.
      if entry.password != nil, Int.random(in: 0..<4, using: &generator) == 0 {
        fields.insert(field("password", password(&generator), &generator), at: 0)
      }
      for field in fields { text += gap(&generator) + field }
      text += gap(&generator)
    }
    return text
  }

  private static func field(_ keyword: String, _ value: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    let needsQuotation =
      value.isEmpty || value.first == UInt8(ascii: "\"") || value.contains { $0 <= 0x20 || $0 == 0x7f }
    let isQuoted = needsQuotation || Bool.random(using: &generator)
    // On a later line, a comment or a keyword would be one.
    let mayBreak =
      isQuoted
      || !value.starts(with: "#".utf8)
        && !"login machine".utf8.split(separator: 0x20).contains { $0.elementsEqual(value) }
    let separator: [UInt8] = mayBreak ? gap(&generator, hasComments: false) : [0x20]
    return word(keyword, &generator) + separator + (isQuoted ? quoted(value, &generator) : value)
  }

  private static func quoted(_ value: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var text: [UInt8] = [UInt8(ascii: "\"")]
    for byte in value {
      switch byte {
      case 0x0a: text += Array("\\n".utf8)
      case 0x0d: text += Array("\\r".utf8)
      case 0x09 where Bool.random(using: &generator): text += Array("\\t".utf8)
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      default: text.append(byte)
      }
    }
    return text + [UInt8(ascii: "\"")]
  }

  private static func word(_ keyword: String, _ generator: inout SeededGenerator) -> [UInt8] {
    Array((Bool.random(using: &generator) ? keyword : keyword.uppercased()).utf8)
  }

  /// Blanks and line ends, in front of a keyword comments too.
  private static func gap(_ generator: inout SeededGenerator, hasComments: Bool = true) -> [UInt8] {
    var gaps = [" ", "\t", "\n", "\r\n", "  \n\t", "\n\n", "\n# machine h \"\u{1}\n", "\n\t#\r\n"]
    if hasComments { gaps += [" # login x\n", "\t#\"\r\n"] }
    return (0..<Int.random(in: 1...3, using: &generator)).flatMap { _ in
      Array(gaps.randomElement(using: &generator)!.utf8)
    }
  }

  private static func bare(_ host: String) -> String { host.lowercased().filter { !"[]".contains($0) } }

  /// What the entries mean for a host.
  private static func expected(_ entries: [Meant], _ host: String, _ login: [UInt8]?) -> Credentials? {
    let fitting = entries.filter { login == nil || $0.login == nil || $0.login == login }
    let own = fitting.filter { $0.machine.map { bare($0) == bare(host) } ?? false }
    let entries = own.isEmpty ? fitting.filter { $0.machine == nil } : own
    guard let login else {
      return entries.first { $0.login != nil || $0.password != nil }
        .map { Credentials(name: $0.login ?? [], password: $0.password ?? []) }
    }
    return entries.first { $0.password != nil }.map { Credentials(name: login, password: $0.password!) }
  }

  @Test func `are read as they were meant, in any layout`() throws {
    let isFruitful = try Fuzz.run { generator, seed in
      let entries = Self.draw(&generator)
      let text = Self.text(entries, &generator)
      let file = try NetrcFile(text)
      for host in ["h", "example.org", "example.com", "[::1]", "machine", "none"] {
        for login in [nil] + Self.logins.map(Optional.some) {
          let found = file.credentials(for: host, port: 443, login: login)
          #expect(
            found == Self.expected(entries, host, login), "seed \(seed): \(String(decoding: text, as: UTF8.self))")
        }
      }
      return !entries.isEmpty
    }
    #expect(isFruitful)
  }

  @Test func `may be damaged`() throws {
    let isFruitful = Fuzz.run { generator, seed in
      let entries = Self.draw(&generator)
      let text = generator.mutate(Self.text(entries, &generator), alphabet: Self.alphabet)
      let lineCount = text.count { $0 == 0x0a } + 1
      let file: NetrcFile
      do throws(NetrcFile.Problem) { file = try NetrcFile(text) } catch {
        #expect((1...lineCount).contains(error.line), "seed \(seed)")
        return false
      }
      for host in ["h", "example.org", "[::1]"] {
        guard let found = file.credentials(for: host, port: 443) else { continue }
        #expect(found.name.count + found.password.count < text.count, "seed \(seed)")
        #expect(!found.name.contains { $0 < 0x20 || $0 == 0x7f } && !found.password.contains(0), "seed \(seed)")
      }
      return true
    }
    #expect(isFruitful)
  }
}
