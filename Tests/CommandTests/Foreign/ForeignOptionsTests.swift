import DownloadCore
import Testing

@testable import CommandOptions
@testable import DownloadWords

/// A name of `ForeignNames`.
struct ForeignName: Sendable, CustomTestStringConvertible {
  let tool: ForeignTool
  let long: String
  let short: String?
  let argument: ForeignOption.Argument

  var testDescription: String { "\(tool.rawValue) --\(long)" }

  static let all: [ForeignName] = [
    (ForeignTool.curl, ForeignNames.curl), (.wget, ForeignNames.wget), (.aria2, ForeignNames.aria2),
  ].flatMap { tool, text in text.split(whereSeparator: \.isWhitespace).map { ForeignName(tool, $0) } }

  private init(_ tool: ForeignTool, _ word: Substring) {
    let parts = word.split(separator: ":", maxSplits: 1)
    let name = parts[0]
    self.tool = tool
    short = parts.count > 1 ? String(parts[1]) : nil
    argument = name.hasSuffix("[=]") ? .optional : name.hasSuffix("=") ? .required : .nothing
    long = String(name.prefix { $0 != "=" && $0 != "[" })
  }
}

private func hint(_ name: String) -> String { ForeignTable.shared.hint(name) }

@Suite struct `Options of other tools` {
  private static let url = "https://example.org/a.iso"

  private func invocation(_ arguments: [String]) throws -> Invocation {
    guard case .run(let invocation) = try Command(arguments: arguments.map { Array($0.utf8) }) else {
      throw Failure(.other, "no run")
    }
    return invocation
  }

  private func errors(_ arguments: [String]) -> [Failure] {
    do throws(UsageErrors) {
      _ = try Command(arguments: arguments.map { Array($0.utf8) })
      return []
    } catch {
      return error.errors
    }
  }

  private func changed(_ change: (inout Invocation) -> Void) -> Invocation {
    var invocation = Invocation()
    invocation.lists.urls = [Array(Self.url.utf8)]
    change(&invocation)
    return invocation
  }

  // MARK: The tables

  @Test func `the tables have every option of the manuals once`() {
    for tool in ForeignTool.allCases {
      let names = ForeignName.all.filter { $0.tool == tool }
      let rows = ForeignOptions.all.filter { $0.tool == tool }
      #expect(Set(rows.map(\.long)).count == rows.count)
      #expect(Set(names.map(\.long)).subtracting(rows.map(\.long)) == [])
      for name in names {
        let row = rows.first { $0.long == name.long }
        #expect(row?.short == name.short && row?.argument == name.argument, "\(name.testDescription)")
      }
    }
    #expect(ForeignName.all.count > 600)
  }

  @Test(arguments: ForeignName.all)
  func `no full name is taken as an abbreviation`(name: ForeignName) {
    let secret = "ftp://me:Pa55word@h/"
    let given = name.argument == .nothing ? "--\(name.long)" : "--\(name.long)=\(secret)"
    let scan = CommandLineScanner([Array(given.utf8), Array(Self.url.utf8)])
    for case .option(let spec, let spelling, _) in scan.findings {
      let isOurs = spec.longs.contains(name.long)
      #expect(isOurs || spelling == "--\(name.long)", "taken as --\(spec.long)")
      #expect(isOurs || ForeignOptions.named(name.long)?.isRefused == false)
    }
    for case .refused(let error) in scan.findings {
      #expect(!error.message.contains("unknown") && !error.message.contains("Pa55word"))
      #expect(error.hint()?.contains("Pa55word") != true)
    }
    for error in errors([given, Self.url]) { #expect(!error.message.contains("Pa55word")) }
  }

  /// The hints of all rows, for the command line and for lists. A row that is not understood ends the tests.
  private static let hints = ForeignOptions.all.flatMap { row in
    _ = row.meaning
    return [row.onCommandLine, row.inList].compactMap { $0.flatMap(ListMessages.hint(meaning:)) }
  }

  @Test func `what is refused has a hint, and hints are no sentences with a full stop`() {
    #expect(Self.hints.count > 300)
    for hint in Self.hints { #expect(!hint.isEmpty && !hint.hasSuffix("."), "\(hint)") }
  }

  @Test func `only aria2 has options in lists`() {
    #expect(ForeignOptions.all.allSatisfy { $0.inList == nil || $0.tool == .aria2 })
    #expect(ForeignOptions.all.count { $0.inList != nil } == 112)
  }

  @Test func `hints name options that exist`() {
    let longs = Set(OptionTable.options.flatMap(\.longs))
    for hint in Self.hints {
      for word in hint.split(whereSeparator: { " ,;:()".contains($0) }) where word.hasPrefix("--") {
        #expect(longs.contains(String(word.dropFirst(2))), "\(hint)")
      }
    }
  }

  @Test func `a translation gives our option an argument if it needs one`() {
    for row in ForeignOptions.all {
      guard
        case .option(let id, let argument) = row.translated(
          spelling: "--\(row.long)", argument: row.argument == .required ? Array("1".utf8) : nil)
      else { continue }
      switch OptionTable.spec(id).argument {
      case .nothing: #expect(argument == nil, "\(row.long)")
      case .required: #expect(argument != nil, "\(row.long)")
      case .optional: break
      }
    }
  }

  @Test func `tools that share a name share its meaning`() {
    for rows in Dictionary(grouping: ForeignOptions.all, by: \.long).values where rows.count > 1 {
      let arguments = rows.map { $0.argument == .required ? Array("1".utf8) : nil }
      let meanings = zip(rows, arguments).map { $0.translated(spelling: "--x", argument: $1) }
      // Ours is asked first.
      let isOurs = OptionTable.options.contains { $0.longs.contains(rows[0].long) }
      #expect(isOurs || meanings.allSatisfy { $0 == meanings[0] }, "\(rows[0].long)")
    }
  }

  // MARK: Usual lines

  @Test func `a password of its own completes the name`() throws {
    for words in [["--user=me", "--password=a:b"], ["--http-passwd=a:b", "--http-user=me"]] {
      #expect(try invocation(words + [Self.url]) == changed { $0.settings.secrets.user = "me:a:b" })
    }
    #expect(try invocation(["-u", "me:x", "--password=y", Self.url]).settings.secrets.user == "me:x")
    for word in ["--password=Pa55word", "--http-password=Pa55word", "--password="] {
      let errors = errors([word, Self.url])
      #expect(errors.count == 1 && !"\(errors)".contains("Pa55word"), "\(errors)")
    }
  }

  @Test(
    arguments: [
      (["-w", "3"], 1.0 / 3), (["-w2"], 0.5), (["--wait=0.5"], 2), (["--wait", "5m"], 1.0 / 300), (["--wait=0"], nil),
      (["--limit-requests", "30/m"], 0.5), (["--limit-requests=3/s"], 3), (["--limit-requests=3"], 3),
      (["--limit-requests=1/10s"], 0.1), (["--limit-requests=5/2h"], 5.0 / 7200), (["--limit-requests=off"], nil),
    ] as [([String], Double?)])
  func `a pause between requests is a rate of requests`(words: [String], rate: Double?) throws {
    #expect(try invocation(words + [Self.url]).settings.limits.requestsPerSecond == rate)
  }

  @Test(arguments: ["x", "0/s", "-1", "3/0s", "3/", "/s", "3/d", "1001/s", "1/2h", "9999999999999999999999"])
  func `a rate of requests is a number in a time`(text: String) {
    #expect(errors(["--limit-requests", text, Self.url]).first?.message.hasPrefix("--limit-requests: ") == true)
  }

  @Test func `curl's format behind -w stays refused`() {
    #expect(errors(["-w", "%{http_code}", Self.url]).first?.message.contains("ambiguous") == true)
  }

  @Test func `a pause between attempts is the longest one`() throws {
    #expect(try invocation(["--retry-delay", "7", Self.url]) == changed { $0.settings.file.retryWait = .seconds(7) })
    #expect(try invocation(["--retry-delay", "0", Self.url]) == changed { _ in })
  }

  @Test(arguments: [
    ["-O", "f", url], ["-qO", "f", url], ["--output-document=f", url], ["--output-document", "f", url],
    [url, "-O", "f"],
    ["-fsSL", "-o", "f", url], ["-sSLo", "f", url], ["-fsSLof", url], ["-O", "g", "-O", "f", url],
    ["-Of.x", "-o", "f", url],
    ["-L", "-o", "f", "--url", url],
  ])
  func `a file is named`(arguments: [String]) throws {
    #expect(try invocation(arguments).naming.output == Array("f".utf8))
    #expect(try invocation(arguments).lists.urls == [Array(Self.url.utf8)])
  }

  @Test(arguments: [
    ["-LO", url], ["-OL", url], ["-O", url], ["-O", "-L", url], [url, "-O"], ["-LOR", url],
    ["-L", "--remote-name", url], ["--fail", "--location", "--show-error", "--remote-time", url], ["-C", "-", url],
    ["-C-", "-LO", url], ["--continue-at", "-", url], ["-c", url], ["--continue=true", url], ["-Zg#", url],
    ["--check-certificate", url], ["--check-certificate=true", url], ["--file-allocation=none", url],
    ["-nd", "-np", url],
    ["--tlsv1.2", url], ["--compression=none", url], ["--http-accept-gzip=false", url], ["--no-get", url],
    ["--auto-file-renaming=false", url], ["--pause=false", url], ["--enable-dht=false", url], ["--daemon=false", url],
    ["--follow-torrent=false", url], ["--follow-metalink", "false", url], ["--proxy-method=get", url],
    ["--no-want-digest-header=true", url],
    ["--quiet=false", url], ["--show-progress", "-q", url], ["-q", "--show-progress", url],
  ])
  func `what is always done changes nothing`(arguments: [String]) throws {
    #expect(try invocation(arguments) == changed { _ in })
  }

  @Test func `curl's names come from the URLs, be they many`() throws {
    let urls = try invocation(["-O", "https://h/a", "-O", "https://h/b"]).lists.urls
    #expect(urls == [Array("https://h/a".utf8), Array("https://h/b".utf8)])
    #expect(try invocation(["-LO", "h/a"]).lists.urls == [Array("h/a".utf8)])
    #expect(try invocation(["-O", "h/a", "-O", "h/b"]).lists.urls == [Array("h/a".utf8), Array("h/b".utf8)])
  }

  @Test(arguments: [["-qO-", url], ["-qO", "-", url], ["-O", "-", "-q", url]])
  func `wget's dash is standard output`(arguments: [String]) throws {
    let given = try invocation(arguments)
    #expect(given.naming.writesToStandardOutput && given.display.isQuiet && given.lists.urls == [Array(Self.url.utf8)])
  }

  @Test(arguments: [
    ["-x16", "-s16", "-k1M", url], ["-x", "16", "-s", "16", "-k", "1M", url], ["-s16", url], ["--split=16", url],
    ["--max-connection-per-server=16", url],
  ])
  func `aria2's connections are ours`(arguments: [String]) throws {
    let expected = changed {
      $0.settings.file.maxConnections = 16
      $0.settings.file.minSplitSize = arguments.contains { $0.hasPrefix("-k") } ? 1 << 20 : nil
    }
    #expect(try invocation(arguments) == expected)
  }

  @Test(arguments: [["--compressed"], ["--compression=auto"], ["--compression", "gzip"], ["--http-accept-gzip"]])
  func `who expects decompression gets no compressed bytes`(arguments: [String]) throws {
    #expect(try invocation(arguments + [Self.url]) == changed { $0.settings.target.refusesCodings = true })
  }

  @Test(arguments: [
    ["-x2", "-s16", url], ["-s16", "-x2", url], ["-x16", "-s2", url], ["--split=2", "--connections", "16", url],
    ["--max-connection-per-server=2", "-s", "16", url], ["-x", "auto", "-s2", url], ["-s2", "-x", "auto", url],
    ["-x1", "-x2", "-s9", "-s8", url],
  ])
  func `of connections and parts the smaller number holds`(arguments: [String]) throws {
    #expect(try invocation(arguments) == changed { $0.settings.file.maxConnections = 2 })
  }

  @Test func `letters that follow a silent one are letters`() throws {
    #expect(
      try invocation(["-sN", Self.url])
        == changed {
          ($0.display.isQuiet, $0.display.isSilentAsCurl) = (true, true)
          $0.settings.target.timestamping = true
        })
    #expect(try invocation(["-sx16", Self.url]).settings.file.maxConnections == 16)
    #expect(
      try invocation(["-s", Self.url]) == changed { ($0.display.isQuiet, $0.display.isSilentAsCurl) = (true, true) })
  }

  /// A line without its URL, and what it changes.
  struct Translated: Sendable {
    let arguments: [String]
    let change: @Sendable (inout Invocation) -> Void

    init(_ arguments: [String], _ change: @escaping @Sendable (inout Invocation) -> Void) {
      (self.arguments, self.change) = (arguments, change)
    }
  }

  private static let translated: [Translated] = [
    Translated(["--max-concurrent-downloads=5"], { $0.settings.limits.jobs = 5 }),
    Translated(["--parallel-max", "5"], { $0.settings.limits.jobs = 5 }),
    Translated(["--retry", "3"], { $0.settings.file.tries = 4 }),
    Translated(["--retry=0"], { $0.settings.file.tries = 1 }),
    Translated(["--retry", "10000"], { $0.settings.file.tries = 10000 }),
    Translated(["--max-tries=0"], { $0.settings.file.tries = 10000 }),
    Translated(["-t", "0"], { $0.settings.file.tries = 10000 }),
    Translated(["--tries=inf"], { $0.settings.file.tries = 10000 }),
    Translated(["--waitretry=9"], { $0.settings.file.retryWait = .seconds(9) }),
    Translated(["--no-clobber"], { $0.settings.target.ifExists = .keep }),
    Translated(["--allow-overwrite=true"], { $0.settings.target.ifExists = .replace }),
    Translated(["--allow-overwrite"], { $0.settings.target.ifExists = .replace }),
    Translated(["--continue=false"], { $0.settings.target.resumes = false }),
    Translated(["--remote-time=false"], { $0.settings.target.keepsRemoteTime = false }),
    Translated(["--no-use-server-timestamps"], { $0.settings.target.keepsRemoteTime = false }),
    Translated(["--conditional-get=true"], { $0.settings.target.timestamping = true }),
    Translated(["--no-check-certificate"], { $0.settings.transport.verifiesTLS = false }),
    Translated(["--check-certificate=false"], { $0.settings.transport.verifiesTLS = false }),
    Translated(["--ca-certificate=f"], { $0.settings.transport.caFile = "f" }),
    Translated(["--ca-directory", "d"], { $0.settings.transport.caPath = "d" }),
    Translated(
      ["--certificate=a:b\\c", "--private-key=k"],
      {
        $0.settings.transport.clientCertificate = "a:b\\c"
        $0.settings.transport.clientKey = "k"
      }
    ),
    Translated(["--directory-prefix=d"], { $0.naming.directory = Array("d".utf8) }),
    Translated(["--output-dir", "d"], { $0.naming.directory = Array("d".utf8) }),
    Translated(["--silent"], { $0.display.isQuiet = true }),
    Translated(["--quiet=true"], { $0.display.isQuiet = true }),
    Translated(["--no-verbose"], { $0.display.progress = .lines }),
    Translated(["--no-progress-meter"], { $0.display.progress = .none }),
    Translated(["--progress=dot:giga"], { $0.display.progress = .lines }),
    Translated(["--progress=bar:force:noscroll"], { $0.display.progress = .bar }),
    Translated(["--max-overall-download-limit=1M"], { $0.settings.limits.limitRate = RateTimetable(rate: 1 << 20) }),
    Translated(["--max-download-limit=1M"], { $0.settings.limits.limitRatePerFile = RateTimetable(rate: 1 << 20) }),
    Translated(["--all-proxy=http://p:1"], { $0.settings.transport.proxy = "http://p:1" }),
    Translated(["--noproxy", "*"], { $0.settings.transport.noProxy = "*" }),
    Translated(["--inet4-only"], { $0.settings.transport.addressFamily = .ipv4 }),
    Translated(["--disable-ipv6=true"], { $0.settings.transport.addressFamily = .ipv4 }),
    Translated(["--read-timeout=9"], { $0.settings.transport.stallTimeout = .seconds(9) }),
    Translated(
      ["--netrc-path=n"],
      {
        $0.settings.secrets.usesNetrc = true
        $0.settings.secrets.netrcFile = "n"
      }),
    Translated(["--no-netrc=false"], { $0.settings.secrets.usesNetrc = true }),
    Translated(["-OJ"], { $0.settings.target.nameSource = .answer }),
    Translated(
      ["-nH", "--cut-dirs=2"],
      {
        $0.naming.makesHostDirectory = false
        $0.naming.cutDirectoryCount = 2
      }),
    Translated(["--proxy-insecure"], { $0.settings.transport.verifiesProxyTLS = false }),
    Translated(["--digest"], { _ in }),
    Translated(["-b", "jar"], { $0.loadedCookies = Array("jar".utf8) }),
    Translated(
      ["-sbjar"],
      {
        ($0.display.isQuiet, $0.display.isSilentAsCurl) = (true, true)
        $0.loadedCookies = Array("jar".utf8)
      }),
    Translated(["-b", ""], { $0.loadedCookies = Array("/dev/null".utf8) }),
    Translated(["--cookie", "a=b; c=d"], { $0.settings.transport.headers = ["Cookie: a=b; c=d"] }),
    Translated(["--cookie-jar", "jar"], { $0.records.savedCookies = Array("jar".utf8) }),
    Translated(
      ["--load-cookies=a", "--save-cookies", "b", "--keep-session-cookies"],
      {
        $0.loadedCookies = Array("a".utf8)
        $0.records.savedCookies = Array("b".utf8)
      }),
    Translated(["--log=f"], { $0.records.log.path = Array("f".utf8) }),
    Translated(["-l", "f"], { $0.records.log.path = Array("f".utf8) }),
    Translated(["-a", "f"], { $0.records.log.path = Array("f".utf8) }),
    Translated(["--append-output=f"], { $0.records.log.path = Array("f".utf8) }),
    Translated(
      ["--preferred-location=fr"],
      {
        $0.lists.metalink.locations = ["fr"]
        $0.settings.file.countries = ["fr"]
      }),
    Translated(["-M", "f.meta4"], { $0.lists.inputs = [Array("f.meta4".utf8)] }),
    Translated(["--metalink-file=f.meta4"], { $0.lists.inputs = [Array("f.meta4".utf8)] }),
    Translated(["--input-metalink", "f.meta4"], { $0.lists.inputs = [Array("f.meta4".utf8)] }),
    Translated(["--no-res"], { $0.settings.target.resumes = false }),
  ]

  @Test func `options with another name are translated`() throws {
    for line in Self.translated {
      #expect(try invocation(line.arguments + [Self.url]) == changed(line.change), "\(line.arguments)")
    }
  }

  // MARK: Refusals

  @Test(
    arguments: [
      (["--recursive"], "'--recursive' is an option of wget, not of swiftget", hint("no-links")),
      (
        ["-j", "1", "--output-file", "f"], "'--output-file' is an option of wget, not of swiftget", hint("messages")
      ),
      (
        ["-c", "jar"], "'-c' is --continue, which takes no argument",
        "curl's -c FILE is --save-cookies FILE; URLs begin with https:// or http://"
      ),
      (
        ["-b", url], "-b: the argument is a URL, not a cookie or a file of cookies",
        "in curl it is -b FILE or -b NAME=VALUE; for wget's -b \(hint("background"))"
      ),
      (
        ["--cookie=\(url)?secret=1"], "--cookie: the argument is a URL, not a cookie or a file of cookies", nil
      ),
      (
        ["--cookie-jar", "-"], "--cookie-jar: cookies are not written to standard output",
        "name a file; ./- is one with this name"
      ),
      (
        ["-l", "-"], "-l: the log is not written to standard output",
        "2>&1 sends messages there; --log /dev/stderr has them with times"
      ),
      (["--data", "secret"], "'--data' is an option of curl, not of swiftget", hint("downloads-only")),
      (["-Gsecret"], "'-G' (--get) is an option of curl, not of swiftget", hint("downloads-only")),
      (["-C", "1000"], "-C: swiftget supports only '-' here", hint("whole-file")),
      (["--continue=secret"], "--continue: the argument must be true or false", nil),
      (["--location=secret"], "option '--location' takes no argument", nil),
      (
        ["--no-location"], "'--no-location' is an option of curl, not of swiftget",
        "leave it out; swiftget cannot turn off --location"
      ),
      (
        ["-m60"], "'-m' is ambiguous: --max-time in curl, --mirror in wget, --max-tries in aria2", "use the long option"
      ),
      (
        ["-psecret"], "'-p' is ambiguous: --proxytunnel in curl, --page-requisites in wget, --ftp-pasv in aria2",
        [
          "curl: set the proxy type with the URL scheme: --proxy socks5h://HOST", "wget: \(hint("no-links"))",
          "aria2: \(hint("no-other-protocols"))",
        ].joined(separator: "; ")
      ),
      (
        ["-Ok"], "'-O' with letters is ambiguous: flags in curl, a file name in wget",
        "use -o FILE to name the file, or write the flags separately"
      ),
      (["--pause"], "'--pause' is an option of aria2, not of swiftget", hint("no-remote-control")),
      (["--pause=secret"], "'--pause' is an option of aria2, not of swiftget", hint("no-remote-control")),
      (
        ["--follow-torrent=mem"], "--follow-torrent: swiftget supports only 'false' here", hint("no-other-protocols")
      ),
      (["--referer=*"], "--referer: '*' is not a URL", "aria2 sends the URL of the file for *; give that URL"),
      (["--retry", "x"], "--retry: 'x' is not a whole number", nil),
      (["-s1000"], "-s: '1000' is out of range", "from 1 to 256"),
    ] as [([String], String, String?)])
  func `what cannot be had is told, without its argument`(arguments: [String], message: String, hint: String?) {
    #expect(errors(arguments + [Self.url]) == [Failure(.usage, message, hint: hint)])
    #expect(!message.contains("secret"))
  }

  @Test func `a missing argument is told`() {
    #expect(errors([Self.url, "--max-tries"]) == [Failure(.usage, "option '--max-tries' needs an argument")])
  }

  @Test func `-O with several URLs names one file only`() {
    let errors = errors(["-O", "f", Self.url, Self.url])
    #expect(errors.map(\.message) == ["'-O' needs exactly one URL"])
    #expect(self.errors(["-O", "f", "-i", "list"]).map(\.message) == ["'-O' needs exactly one URL"])
  }

  @Test func `wget's --mirror takes the URL, and the error says so`() {
    let expected = "--mirror needs the URL of the file, too; \(hint("no-links"))"
    #expect(errors(["--mirror", Self.url]) == [Failure(.usage, "nothing to download", hint: expected)])
  }

  @Test func `all errors of a line come at once, each hint once`() {
    let line = ["--recursive", "-j0", "--xyzzy", "--xyzzy", "--level=2", "--plugh", "--help", "-o"]
    do throws(UsageErrors) {
      _ = try Command(arguments: line.map { Array($0.utf8) })
      Issue.record("no error")
    } catch {
      // What follows --help is not looked at.
      #expect(
        error.text == """
          swiftget: '--recursive' is an option of wget, not of swiftget
          hint: \(hint("no-links"))
          swiftget: -j: '0' is out of range
          hint: from 1 to 1000
          swiftget: unknown option '--xyzzy'
          hint: swiftget --help lists all options
          swiftget: '--level' is an option of wget, not of swiftget
          swiftget: unknown option '--plugh'

          """)
    }
  }
}
