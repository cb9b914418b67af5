import TestSupport

/// Generates valid and invalid URLs. Each part is drawn from forms that libcurl distinguishes.
struct URLGenerator {
  private var random: SeededGenerator
  /// A previous URL, whose start may be repeated.
  private var earlier: [String] = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// The next URL of a series. Most repeat the start of a previous one.
  mutating func next() -> [UInt8] {
    var text: String
    if let kept = earlier.randomElement(using: &random), chance(0.6) {
      text = chance(0.7) ? kept : String(kept.prefix(Int.random(in: 0...kept.count, using: &random)))
    } else {
      text = beginning()
      earlier.append(text)
      if earlier.count > 4 { earlier.removeFirst() }
    }
    text += tail()
    guard chance(0.1) else { return Array(text.utf8) }
    return random.mutate(Array(text.utf8), alphabet: Array(":/?#[]@%.\\ \t\r\n\0a0".utf8))
  }

  private mutating func beginning() -> String {
    let scheme = pick(["http", "http", "http", "https", "HTTP", "hTTps", "ftp", "file", "x-y", "", "1http"])
    let separator = pick(["://", "://", "://", "://", "://", ":///", "://///", ":/", ":", "//", ":\\\\", "://\\"])
    return scheme + separator + userinfo() + host() + port()
  }

  private mutating func userinfo() -> String {
    guard chance(0.3) else { return "" }
    return pick([
      "u@", "u:p@", ":p@", "@", ":@", "u:p:q@", "u%40v:p%2fq@", "u@v@", "u:p?q@", "u:p/q@", "u:p#q@", "u p@", "u%00@",
      "u%7f@",
      "u\\v@", "ü:é@",
    ])
  }

  private mutating func host() -> String {
    pick([
      "a.example", "a.example", "A.Example", "h", "h.", ".h", "", "127.0.0.1", "0x7f.1", "127.1", "1", "256.1.1.1",
      "[::1]", "[2001:DB8::1]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[::1", "::1", "[]", "[zz]", "h%61st", "0x7f%61a",
      "1%32", "0x7f.%31", "h%2fx",
      "h%00", "h x", "h\\x", "bücher.example", "xn--bcher-kva.example", "h_x", "-", "h..i", "h%", "a,b", "h\u{7f}",
      "a\u{2100}.example", "x\u{ff0f}y", "１２７.0.0.1", "faß.example", "b%C3%BCcher.example",
    ])
  }

  private mutating func port() -> String {
    guard chance(0.3) else { return "" }
    return pick([":80", ":443", ":8080", ":", ":080", ":0", ":65535", ":65536", ":x", ":-1", ": 80", ":8 0", ":80:80"])
  }

  private mutating func tail() -> String {
    var text = ""
    let pieces = [
      "/", "/", "/a", "/b7.iso", "/dir", "//", "/.", "/..", "/...", "/.hidden", "/a.", "/./", "/../", "x", "~", "-",
      "_", "%41", "%2F", "%2e", "%2e%2e", "%", "%zz", "%00", " ", "+", "&", ";v=1", ":", "@", "@h/", ",", "=", "?",
      "?q=1", "?id=/x", "?id=/x/../y", "#", "#f", "#/x", "\\", "[", "]", "é", "\u{7}", "\t", "\r\n", "\u{7f}",
    ]
    for _ in 0..<Int.random(in: 0...5, using: &random) { text += pick(pieces) }
    return text
  }

  private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &random)! }

  private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
}
