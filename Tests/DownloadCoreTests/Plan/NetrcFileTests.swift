import DownloadCore
import TestSupport
import Testing

@Suite struct `A netrc file` {
  /// `login:password` for the host; nil for none. Escapes of `text` are those of Swift.
  private func found(_ text: String, _ host: String = "h", login: String? = nil) throws -> String? {
    try found(Array(text.utf8), host, login: login.map { Array($0.utf8) }).map { String(decoding: $0, as: UTF8.self) }
  }

  private func found(_ text: [UInt8], _ host: String = "h", login: [UInt8]? = nil) throws -> [UInt8]? {
    try NetrcFile(text).credentials(for: host, port: 443, login: login).map {
      $0.name + [UInt8(ascii: ":")] + $0.password
    }
  }

  private func problem(_ text: String) -> NetrcFile.Problem? {
    do { _ = try NetrcFile(Array(text.utf8)) } catch { return error }
    return nil
  }

  // MARK: Words

  @Test(
    arguments: [
      ("machine h login a password b", "a:b"), ("machine h\n  login a\n  password b\n", "a:b"),
      ("machine\nh\nlogin\na\npassword\nb", "a:b"), ("\tmachine\th \t password b  login a\r\n\r\n", "a:b"),
      ("machine h\r\nlogin a\r\npassword b\r\n", "a:b"), ("machine h login a password b\r", "a:b"),
      ("\u{feff}machine h login a password b", "a:b"), ("MACHINE h Login a passWORD b", "a:b"),
      ("machine h account x login a account y password b", "a:b"), ("", nil),
      ("machine h user a password b", "a:b"), ("machine h port 443 login a password b", "a:b"),
      ("machine h port imap login x password y machine h login a password b port 443", "a:b"),
      ("machine h port 80 login x password y default port 8443 login x password y", nil), (" \r\n\t\n", nil),
      ("machine h", nil),
      // What looks like a keyword is a value in the line of its keyword, or quoted.
      ("machine h login login password password", "login:password"),
      ("machine h login\n\"machine\" password\n\"default\"", "machine:default"),
      ("machine machine login a password b machine h login c password d", "c:d"),
    ] as [(String, String?)])
  func `is words between blanks and line ends`(text: String, credentials: String?) throws {
    #expect(try found(text) == credentials)
  }

  @Test(arguments: [
    (#"machine h login a password "b c""#, "a:b c"), (#"machine "h" login "a" password "b""#, "a:b"),
    (#"machine h login a password """#, "a:"), (#"machine h login "" password b"#, ":b"),
    (#"machine h login a password "\"b\\c\x""#, #"a:"b\cx"#), (#"machine h login a password "\n\r\t""#, "a:\n\r\t"),
    // Without a quotation mark at the start neither marks nor backslashes mean anything.
    (#"machine h login a password b"c\n\"#, #"a:b"c\n\"#), ("machine h login a password \"b\tc\"", "a:b\tc"),
    ("machine h login a password \"#b\"", "a:#b"), ("machine h login a password \"b\"\r\n", "a:b"),
  ])
  func `may quote values`(text: String, credentials: String) throws {
    #expect(try found(text) == credentials)
  }

  @Test(
    arguments: [
      // libcurl 7.88 takes the rest of the line for a comment, and sends an empty password.
      ("machine h login a password #b", "a:#b"), ("machine h login #a password b#c#", "#a:b#c#"),
      ("# machine h login x password y\nmachine h login a password b # password c", "a:b"),
      ("  #machine h login x\nmachine h #login x\nlogin a#x #\npassword b\n#", "a#x:b"),
      ("machine h login\n# x\na password\n  #y\nb", "a:b"), ("#\rmachine h login a password b", nil),
      ("# it's \"open\u{1}\nmachine h login a password b", "a:b"),
    ] as [(String, String?)])
  func `has comments at the start of a line and before keywords`(text: String, credentials: String?) throws {
    #expect(try found(text) == credentials)
  }

  @Test func `has macros up to an empty line`() throws {
    let macro = "macdef init\n\tcd default\n  machine h login x password y\n# \"\n\u{1}\n"
    for end in ["\n", " \t\n", "\r\n"] {
      #expect(try found(macro + end + "machine h login a password b") == "a:b", "\(end.debugDescription)")
      #expect(try found("machine h " + macro + end + "login a password b") == "a:b")
    }
    #expect(try found(macro + "machine h login a password b") == nil)
    #expect(try found("machine h login a password b macdef x") == "a:b")
  }

  @Test func `has bytes that need not be UTF-8`() throws {
    let text = Array("machine h login a\u{e4} password ".utf8) + [0xff, 0x80, 0xc3]
    #expect(try found(text) == Array("aä:".utf8) + [0xff, 0x80, 0xc3])
    #expect(try found(text, login: Array("aä".utf8)) != nil)
  }

  // MARK: Hosts and logins

  @Test func `is asked for a host in any case`() throws {
    #expect(try found("machine Example.ORG login a password b", "example.org") == "a:b")
    #expect(try found("machine example.org login a password b", "other.example.org") == nil)
    #expect(try found("machine example.org login a password b", "example.or") == nil)
    // The sign for Kelvin is no K.
    #expect(try found("machine \u{212a} login a password b", "k") == nil)
    for name in ["::1", "[::1]"] {
      #expect(try found("machine \(name) login a password b", "[::1]") == "a:b")
      #expect(try found("machine \(name) login a password b", "[::2]") == nil)
    }
    #expect(try found("machine fe80::A login a password b", "[fe80::a%25eth0]") == "a:b")
  }

  @Test func `has the first entry of a host`() throws {
    let two = "machine h login a password b\nmachine g login x password y\nmachine h login c password d\n"
    #expect(try found(two) == "a:b")
    #expect(try found("machine h\n" + two) == "a:b" && found("machine h account x\n" + two) == "a:b")
    #expect(try found("machine h password z\n" + two) == ":z" && found("machine h login z\n" + two) == "z:")
  }

  @Test func `takes nothing from another entry`() throws {
    for entry in ["machine h", "machine h account x", "machine h macdef m\n\n"] {
      #expect(try found(entry + "\ndefault login a password b") == nil)
      #expect(try found("machine g login a password b\n" + entry) == nil)
      #expect(try found(entry + "\ndefault login a password b", login: "a") == nil)
    }
    let shared = "default login a password b\n"
    #expect(try found("machine h login c\n" + shared) == "c:" && found("machine h password c\n" + shared) == ":c")
    #expect(try found("machine h login c password d\n" + shared, login: "a") == "a:b")
    #expect(try found("machine h port 80\n" + shared) == "a:b")
    #expect(try found("machine g login a password b\ndefault") == nil && found("default login a", "g") == "a:")
  }

  /// As curl's test 478 has it.
  @Test func `has several accounts and passwords of one host`() throws {
    let text = #"""
      machine h
      password weird
      password firstone
      login daniel

      machine h

      machine h
      login debbie

      machine h
      password weird
      password "second\r"
      login debbie
      """#
    #expect(try found(text, login: "debbie") == "debbie:second\r" && found(text) == "daniel:firstone")
  }

  /// libcurl 7.88 sends the password of another login, and does not find a login before a second entry.
  @Test func `has the password of one login`() throws {
    let text = """
      machine h login a password b
      machine g login c password wrong
      machine h password e login c
      machine h login c password f

      """
    #expect(try found(text, login: "a") == "a:b" && found(text, login: "c") == "c:e")
    for login in ["A", "b", "aa", "", "h"] { #expect(try found(text, login: login) == nil, "\(login)") }
    // Without a login an entry is for each, as in curl.
    #expect(try found(text + "machine h password any", login: "x") == "x:any")
    #expect(try found("machine h password any\n" + text, login: "a") == "a:any")
    // Without a password it is not for anyone who is asked for.
    #expect(
      try found("machine h login a\n" + text, login: "a") == "a:b" && found("machine h login a", login: "a") == nil)
  }

  @Test func `has a default for all other hosts, wherever it stands`() throws {
    let other = "default login d password e\n"
    let own = "machine h login a password b\n"
    for text in [other + own, own + other, own + other + "default login x password y"] {
      #expect(try found(text) == "a:b" && found(text, "g") == "d:e" && found(text, "default") == "d:e")
      #expect(try found(text, login: "d") == "d:e" && found(text, "g", login: "a") == nil)
    }
    #expect(try found("machine h\n" + other, "g") == "d:e" && found(own + "default", "g") == nil)
  }

  // MARK: What is refused

  private static let longest = String(repeating: "x", count: NetrcFile.mostValueBytes)

  private static let wrong: [(text: String, line: Int, kind: NetrcFile.Problem.Kind)] = [
    ("x", 1, .unknownWord), ("machine h login a password two words", 1, .unknownWord),
    ("machine h protocol https", 1, .unknownWord), ("machine h\npassword # b", 2, .unknownWord),
    ("# c\n\"machine\" h", 2, .unknownWord),
    ("machin\u{e9} h", 1, .unknownWord), ("machine h\nlogin a\npassword b\nc", 4, .unknownWord),
    ("machine", 1, .missingValue(.machine)), ("machine h login", 1, .missingValue(.login)),
    ("\nmachine h\npassword\n# no\n\n", 3, .missingValue(.password)),
    ("machine h account \n", 1, .missingValue(.account)), ("machine h port", 1, .missingValue(.port)),
    ("machine h port 1 port 2", 1, .repeated(.port)), ("machine h user a login b", 1, .repeated(.login)),
    ("macdef\n\n", 1, .missingValue(.macdef)), ("machine h login a password\nmachine g", 1, .missingValue(.password)),
    ("machine h login\nDEFAULT", 1, .missingValue(.login)), ("login a", 1, .outsideEntry(.login)),
    ("\n\npassword x machine h", 3, .outsideEntry(.password)), ("account x", 1, .outsideEntry(.account)),
    ("macdef x\n\nlogin a", 3, .outsideEntry(.login)), ("machine h login a login b", 1, .repeated(.login)),
    ("default\nlogin a\nlogin \"\"", 3, .repeated(.login)),
    ("machine h password \"a\nb\"", 1, .openQuotation), ("machine h password \"a\\\"", 1, .openQuotation),
    ("machine h password \"a\\", 1, .openQuotation), ("machine h password \"a\\\n\"", 1, .openQuotation),
    ("machine h password \"a\r\n\"", 1, .openQuotation), ("machine h password \"", 1, .openQuotation),
    ("machine h password \"a\"b", 1, .textAfterQuotation), ("machine h password \"a\"\"b\"", 1, .textAfterQuotation),
    ("machine h password \"a\"#b", 1, .textAfterQuotation),
    ("machine h password a\0b", 1, .controlCharacter), ("machine h password \"a\0\"", 1, .controlCharacter),
    ("machine\nh\u{1}", 2, .controlCharacter), ("machine h\rlogin a", 1, .controlCharacter),
    ("machine h login a\u{7f}", 1, .controlCharacter), ("machine h login \"a\tb\"", 1, .controlCharacter),
    (#"machine h login "a\r\nb""#, 1, .controlCharacter), (#"machine "h\n""#, 1, .controlCharacter),
    ("machine h login a\u{0b}", 1, .controlCharacter),
    ("machine h password \(longest)x", 1, .tooLong), ("\n" + longest + "x", 2, .tooLong),
    ("machine h login \"\(longest)x\"", 1, .tooLong),
  ]

  @Test(arguments: wrong)
  func `is refused as a whole, by the line`(text: String, line: Int, kind: NetrcFile.Problem.Kind) {
    #expect(problem(text).map { ($0.line, $0.kind) == (line, kind) } == true, "\(String(describing: problem(text)))")
  }

  @Test func `has values up to a length`() throws {
    #expect(try found("machine h login \(Self.longest) password \"\(Self.longest)\"")?.utf8.count == (2 << 14) + 1)
  }
}
