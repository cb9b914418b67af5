import DownloadCore
import Testing

@testable import CommandManual
@testable import CommandOptions
@testable import DownloadWords

@Suite struct `The command line` {
  private static let url = "https://example.org/a.iso"

  private func parse(_ arguments: [String]) throws -> Command {
    do throws(UsageErrors) {
      return try Command(arguments: arguments.map { Array($0.utf8) })
    } catch {
      if error.errors.count == 1 { throw error.errors[0] }
      throw error
    }
  }

  private func invocation(_ arguments: [String]) throws -> Invocation {
    guard case .run(let invocation) = try parse(arguments) else { throw Failure(.other, "no run") }
    return invocation
  }

  /// The settings after a change to the defaults.
  private func changed(_ change: (inout Invocation) -> Void) -> Invocation {
    var invocation = Invocation()
    invocation.lists.urls = [Array(Self.url.utf8)]
    change(&invocation)
    return invocation
  }

  @Test func `options may be bundled, shortened, joined and follow the URL`() throws {
    let expected = changed {
      $0.display.isQuiet = true
      $0.settings.target.timestamping = true
      $0.settings.limits.jobs = 3
      $0.naming.directory = Array("x".utf8)
    }
    #expect(try invocation(["-qNj3", "--dir=x", Self.url]) == expected)
    #expect(try invocation([Self.url, "-q", "-N", "-j", "3", "-P", "x"]) == expected)
    #expect(try invocation(["--qu", "--timest", "--job", "3", "--di", "x", "--", Self.url]) == expected)
  }

  @Test func `lists may need a signature by one of several keys`() throws {
    let found = try invocation(["--verify-signature", "k", "-i", "l", "--verify-signature=RW", "--signature", "s"])
    #expect(found.lists.signatures.keys == [Array("k".utf8), Array("RW".utf8)])
    #expect(found.lists.signatures.signature == Array("s".utf8))
    let refused = [
      (["--signature", "s", "-i", "l"], "--verify-signature"), (["--verify-signature", "k", Self.url], "needs a list"),
      (["--signature", "s", "--verify-signature", "k", "-i", "l", "-i", "m"], "exactly one list"),
      (["--verify-signature", "", "-i", "l"], "empty"), (["--verify-signature", Self.url, "-i", "l"], "is a URL"),
    ]
    for (arguments, words) in refused {
      let error = #expect(throws: Failure.self) { try parse(arguments) }
      #expect(error?.code == .usage && error?.message.contains(words) == true, "\(arguments)")
    }
  }

  @Test func `a manifest is a command of its own`() throws {
    var order = ManifestOrder(format: .metalink, directory: Array("dir".utf8))
    order.baseURL = Array("https://example.org/".utf8)
    order.output = Array("m".utf8)
    order.algorithms = [.sha512, .md5]
    order.isQuiet = true
    order.syncs = false
    order.log.path = Array("l".utf8)
    let arguments = [
      "-q", "--write-manifest=metalink", "--base-url", "https://example.org/", "dir", "-o", "m", "--no-sync",
      "--algorithm", "SHA-512,md5,sha512", "--log=l",
    ]
    #expect(try parse(arguments) == .writeManifest(order))
    #expect(
      try parse(["--write-manifest", "bsd", "d"]) == .writeManifest(ManifestOrder(format: .bsd, directory: [0x64])))
  }

  @Test func `checking is the run of an invocation without downloads`() throws {
    #expect(try parse(["--check", Self.url]) == .run(changed { $0.work = .check }))
  }

  @Test func `two dashes end the options`() throws {
    #expect(try invocation(["--", "-q", "--"]).lists.urls == [Array("-q".utf8), Array("--".utf8)])
  }

  @Test func `options end at the first operand if POSIXLY_CORRECT asks for it`() {
    let words = ["-q", "-O", "f", "u", "-N"].map { Array($0.utf8) }
    let scan = CommandLineScanner(words, endsAtOperand: true)
    #expect(scan.operands == [Array("u".utf8), Array("-N".utf8)])
    #expect(CommandLineScanner(words, endsAtOperand: false).operands == [Array("u".utf8)])
  }

  @Test func `names are bytes`() throws {
    let name: [UInt8] = [0x61, 0xff, 0x62]
    guard case .run(let invocation) = try Command(arguments: [Array("-o".utf8), name, Array(Self.url.utf8)]) else {
      throw Failure(.other, "no run")
    }
    #expect(invocation.naming.output == name)
  }

  @Test func `every setting is parsed`() throws {
    let settings = try invocation([
      "-x8", "-k512k", "--max-connections-per-host=9", "--limit-rate=1.5M/s",
      "--limit-rate-per-file", "08:00,2k 19:00,off", "-t7", "--retry-wait=2m", "-T10s",
      "--connect-timeout=0.5", "--max-time=1h", "--max-filesize=2GiB", "--max-redirect=3",
      "--if-exists=replace", "-N", "--lock-wait=2h", "--verify-command=scan -q", "--no-resume", "--trust-length",
      "--allow-unconfirmed",
      "--no-sync",
      "--no-remote-time", "-HA: b", "-H", "C:", "-ume:secret", "--netrc-file=n", "-Uagent", "--referer=r", "--cacert=f",
      "--capath=p", "--cert=c", "--key=k", "--insecure", "--proxy=http://p:1", "--proxy-cacert=q", "--proxy-insecure",
      "--no-proxy=a,b", "--http2", "-6",
      "--resolve=example.org:443:[::1]", Self.url,
    ]).settings
    var expected = RunSettings()
    expected.file.maxConnections = 8
    expected.file.minSplitSize = 512 << 10
    expected.limits.maxConnectionsPerHost = 9
    expected.limits.limitRate = RateTimetable(rate: 1_572_864)
    expected.limits.limitRatePerFile = try RateTimetable(
      text: Array("8:00,2048 19:00,0".utf8), readRate: OptionValues.rate)
    expected.file.tries = 7
    expected.file.retryWait = .seconds(120)
    expected.transport.stallTimeout = .seconds(10)
    expected.transport.connectTimeout = .milliseconds(500)
    expected.limits.maxTime = .seconds(3600)
    expected.limits.lockWait = .seconds(7200)
    expected.target.verifyCommand = VerifyCommand(try CommandWords(text: Array("scan -q".utf8)))
    expected.file.maxFilesize = 2 << 30
    expected.file.maxRedirects = 3
    expected.target.ifExists = .replace
    expected.target.timestamping = true
    expected.target.resumes = false
    expected.file.trustsLength = true
    expected.file.allowsUnconfirmed = true
    expected.target.syncs = false
    expected.target.keepsRemoteTime = false
    expected.transport.headers = ["A: b", "C:"]
    expected.secrets.user = "me:secret"
    expected.secrets.usesNetrc = true
    expected.secrets.netrcFile = "n"
    expected.transport.userAgent = "agent"
    expected.transport.referer = "r"
    expected.transport.caFile = "f"
    expected.transport.caPath = "p"
    expected.transport.clientCertificate = "c"
    expected.transport.clientKey = "k"
    expected.transport.verifiesTLS = false
    expected.transport.proxy = "http://p:1"
    expected.transport.proxyCAFile = "q"
    expected.transport.verifiesProxyTLS = false
    expected.transport.noProxy = "a,b"
    expected.transport.httpVersion = .http2
    expected.transport.addressFamily = .ipv6
    expected.transport.resolve = ["example.org:443:[::1]"]
    #expect(settings == expected)
  }

  @Test(arguments: ["secret", "me", "me:", ":secret", ":"])
  func `a name without its password needs netrc, a password no name`(user: String) throws {
    #expect(try invocation(["-u", user, "--netrc", Self.url]).settings.secrets.user == user)
    #expect(try invocation(["--netrc-file=n", "-u", user, Self.url]).settings.secrets.user == user)
    guard user.contains(":") else { return }
    #expect(try invocation(["-u", user, Self.url]).settings.secrets.user == user)
  }

  @Test func `a positive limit, however small, is a limit`() throws {
    let settings = try invocation([
      "--limit-rate=0.0001k", "--limit-rate-per-file", "08:00,0.1 19:00,off", "--max-filesize=0.0001k",
      "--max-time=0.0001", "-k", "0.0001", Self.url,
    ]).settings
    #expect(settings.limits.limitRate == RateTimetable(rate: 1) && settings.limits.limitRatePerFile != nil)
    #expect(
      settings.file.maxFilesize == 1 && settings.limits.maxTime == .milliseconds(1)
        && settings.file.minSplitSize == 64 << 10)
  }

  @Test(
    arguments: [
      ("c.pem", "c.pem", nil), ("c.pem:secret", "c.pem", "secret"), ("c.pem:a:b\\c", "c.pem", "a:b\\c"),
      ("c.pem:", "c.pem", nil), ("a\\:b.pem:x", "a:b.pem", "x"), ("a\\\\b:x", "a\\b", "x"), ("a\\b", "a\\b", nil),
      ("a\\:b", "a:b", nil), ("a\\", "a\\", nil),
    ] as [(String, String, String?)])
  func `a certificate may be given with its key's password, as in curl`(
    argument: String, file: String, password: String?
  ) throws {
    let settings = try invocation(["--cert", argument, Self.url]).settings
    #expect(settings.transport.clientCertificate == file && settings.secrets.clientKeyPassword == password)
  }

  @Test func `the choices among a Metalink's files and mirrors are lists of words`() throws {
    let metalink = try invocation([
      "-i", "A", "--metalink-language=de, en-GB,", "--metalink-os", "Linux", "--metalink-location", "de,fr",
    ]).lists.metalink
    #expect(metalink.languages == ["de", "en-GB"] && metalink.systems == ["Linux"])
    #expect(metalink.locations == ["de", "fr"])
    #expect(throws: Failure.self) { try invocation(["-i", "A", "--metalink-os", " ,"]) }
  }

  @Test func `the end of a run is a span or a time of day`() throws {
    func choice(_ text: String) throws -> DeadlineChoice? {
      try invocation(["--deadline=1s", "--deadline", text, Self.url]).unattended.deadline
    }
    #expect(try choice("90m") == .span(.seconds(5400)) && choice("0") == nil)
    #expect(try choice("6:30") == TimeOfDay(text: Array("06:30".utf8)).map { .timeOfDay($0) })
    for option in ["--deadline=1", "--splay=1", "--lock-wait=1"] {
      #expect(throws: Failure.self) { try invocation(["--check", option, Self.url]) }
    }
    #expect(try invocation(["--splay=10m", Self.url]).unattended.splay == .seconds(600))
  }

  @Test func `lists, options of a single file and the display are parsed`() throws {
    let list = try invocation(["-i", "A", "-i-", "--base-url=https://example.org/", "--input-format=checksums", "-vv"])
    #expect(list.lists.inputs == [Array("A".utf8), Array("-".utf8)])
    #expect(list.lists.baseURL == Array("https://example.org/".utf8))
    #expect(list.lists.inputFormat == "checksums")
    #expect(list.display.verbosity == 2)
    let hex = String(repeating: "ab", count: 16)
    let one = try invocation([
      "--checksum=md5:\(hex)", "--mirror=b", "--mirror", "c", "--out=-", "--progress=json", "u",
    ])
    #expect(one.lists.checksums.map(\.text) == ["md5:\(hex)"])
    #expect(one.lists.mirrors == [Array("b".utf8), Array("c".utf8)])
    #expect(one.naming.writesToStandardOutput)
    #expect(one.display.progress == .json)
  }

  @Test(arguments: OptionTable.options.compactMap { spec in spec.defaultText.map { (spec.long, $0) } })
  func `an explicit default changes nothing`(long: String, value: String) throws {
    var given = try invocation(["--\(long)=\(value)", Self.url])
    if long == "dir" { given.naming.directory = nil }
    #expect(given == changed { _ in })
  }

  @Test(arguments: [
    (["check", "-i", "l"], ["--check", "-i", "l"]), (["-q", "check", "-i", "l"], ["-q", "--check", "-i", "l"]),
    (["-i", "l", "check"], ["-i", "l", "--check"]), (["check", url], ["--check", url]),
    (["manifest", "gnu", "d"], ["--write-manifest", "gnu", "d"]),
    (["manifest", "-q", "gnu", "-o", "check", "check"], ["-q", "--write-manifest", "gnu", "-o", "check", "check"]),
    (["--write-manifest", "gnu", "check"], ["--write-manifest", "gnu", "--", "check"]),
    (["completions", "fish"], ["--generate", "fish"]), (["help"], ["--help"]),
  ])
  func `a verb means the same as its option`(arguments: [String], options: [String]) throws {
    #expect(try parse(arguments) == parse(options))
  }

  @Test func `help of a verb is asked for before and after it, and without its argument`() throws {
    for name in ["check", "manifest", "completions"] {
      let verb = HelpSubject.verb(try #require(VerbSpec.named(Array(name.utf8))))
      for words in [["help", name], [name, "--help"], ["--help", name]] {
        #expect(try parse(words) == .showHelp(verb), "\(words)")
      }
      let text = Generator.help(for: verb)
      #expect(text.hasPrefix("Usage: swiftget \(name)"))
      #expect(text.contains("--quiet") == (name != "completions") && !text.contains("--tries"))
    }
  }

  @Test func `auto is a value of limits and of colors`() throws {
    let limits = ["-k", "2M", "--max-connections-per-host=9", "--color=never"]
    let taken = ["-k", "auto", "--max-connections-per-host=auto", "--color=auto"]
    #expect(try invocation(limits + taken + [Self.url]) == changed { _ in })
    #expect(try invocation(["--color=never", "--color", Self.url]).display.colours == .always)
    #expect(try invocation(["--color", "--color=never", Self.url]).display.colours == .never)
  }

  @Test func `options of other tools are reported by name`() throws {
    #expect(try invocation(["-nc", Self.url]) == changed { $0.settings.target.ifExists = .keep })
    #expect(try invocation(["-nv", Self.url]) == changed { $0.display.progress = .lines })
    #expect(try invocation(["-qnc", Self.url]).settings.target.ifExists == .keep)
    #expect(try invocation(["-fL", "-Z", "-c", "-nd", Self.url]) == changed { _ in })
    #expect(try invocation(["--no-proxy", Self.url]).settings.transport.noProxy == "*")
  }

  @Test(arguments: [
    (["-h"], Command.showShortHelp), (["--help"], .showHelp(.options)), (["--hel"], .showHelp(.options)),
    (["-V"], .showVersion),
    (["-qV", "--nonsense"], .showVersion), (["--generate", "zsh"], .generate(.zsh)),
    (["--help", "limit-rate"], .showOption(.limitRate)), (["help", "dir"], .showOption(.dir)),
    (["dir", "--help"], .showOption(.dir)), (["--help", "check"], .showHelp(.verb(VerbSpec.all[0]))),
    (["help", "lists"], .showHelp(.lists)),
    (["--help", "lists"], .showHelp(.lists)), (["check", "--help", "lists"], .showHelp(.verb(VerbSpec.all[0]))),
    (["--help", "no-such-name"], .showHelp(.options)), (["--help", "password"], .showHelp(.options)),
  ])
  func `help and similar options end the parsing`(arguments: [String], command: Command) throws {
    #expect(try parse(arguments) == command)
  }

  @Test(
    arguments: [
      ([], "nothing to download", "use 'swiftget URL...' or 'swiftget -i LIST'; see 'swiftget -h'"),
      (["-q"], "nothing to download", "use 'swiftget URL...' or 'swiftget -i LIST'; see 'swiftget -h'"),
      (["manifest"], "'manifest' needs an argument", "swiftget manifest FORMAT [OPTIONS] DIR"),
      (
        ["help", "u"], "help: 'u' is neither a verb nor an option",
        "the verbs are check, manifest, serve, completions, help, ctl; help lists is about lists"
      ),
      (
        ["check", "-i", "l", "--tries", "3"], "'--tries' has no meaning with check",
        "it has one for a download or with --session or --spider"
      ),
      (["--checksm", "x"], "unknown option '--checksm'", "did you mean --checksum?"),
      (["--xyzzy=secret"], "unknown option '--xyzzy'", "swiftget --help lists all options"),
      (["--no-check-certificates"], "unknown option '--no-check-certificates'", "swiftget --help lists all options"),
      (["--http=secret"], "option '--http' is ambiguous", "it could be --http1.1, --http2, --https-only"),
      (["--netrc=secret", "u"], "option '--netrc' takes no argument", nil),
      (["u", "-o"], "option '-o' needs an argument: FILE", nil),
      (["u", "--dir"], "option '--dir' needs an argument: DIR", nil),
      (["u", "-W"], "unknown option '-W'", "swiftget --help lists all options"),
      (["u", "-Wsecret"], "unknown option '-W'", "swiftget --help lists all options"),
      (["u", "-qé"], "unknown option '-' with a letter that is not ASCII", "swiftget --help lists all options"),
      (["-nX", "u"], "unknown option '-nX'", "supported wget options are -nc, -nd, -nH, -np and -nv"),
      (["-n", "c"], "'-n' is ambiguous: --netrc in curl, --no-netrc in aria2", "use the long option"),
      (["completions", "bash", "zsh"], "completions: 'zsh' is one word too many", "swiftget completions SHELL"),
      (["completions", "bash", "--jobs", "3"], "--jobs has no meaning with completions", "leave it out"),
      (
        ["-k", "https://me:secret@h/x?key=secret"], "-k: 'https://…@h/x?…' is not a size",
        "-k means --min-split-size SIZE here; use --insecure to skip certificate checks"
      ),
      (
        ["-x", "http://me:secret@proxy", "u"], "-x: 'http://…@proxy' is not a whole number",
        "-x means --connections here; use --proxy URL for a proxy"
      ),
      (
        ["-k", "5X", "u"], "-k: '5X' is not a size", "use bytes, or a suffix k, M, G or T (powers of 1024): 4096, 1.5M"
      ),
      (["-j0", "u"], "-j: '0' is out of range", "from 1 to 1000"),
      (
        ["--limit-rate=2X", "u"], "--limit-rate: '2X' is not a rate",
        "use bytes per second such as 500k or 1.5M, or off; a schedule is '08:00,2M 19:00,off'"
      ),
      (
        ["--limit-rate=https://me:secret@h/", "u"], "--limit-rate: 'https://…@h/' is not a rate",
        "use bytes per second such as 500k or 1.5M, or off; a schedule is '08:00,2M 19:00,off'"
      ),
      (
        ["--limit-rate-per-file=08:00,2M 24:00,off", "u"], "--limit-rate-per-file: '24:00' is not a time of day",
        "from 00:00 to 23:59, as in '08:00,2M 19:00,off'"
      ),
      (
        ["--limit-rate=08:00,2M", "19:00,off", "--limit-rate=8:00,1 2M", "u"],
        "--limit-rate: '2M' is not a time and a rate",
        "use HH:MM,RATE entries separated by spaces: '08:00,2M 19:00,off'"
      ),
      (
        ["--limit-rate=08:00,2M 8:00,off", "u"], "--limit-rate: '8:00' appears twice",
        "give one rate for each time of day"
      ),
      (["--changed-exit=256", "u"], "--changed-exit: '256' is out of range", "from 0 to 255"),
      (
        ["--changed-exit=8", "u"], "--changed-exit: '8' has another meaning",
        "choose a status that swiftget does not use, such as 10"
      ),
      (
        ["--changed-exit=10", "--check", "u"], "'--changed-exit' has no meaning with --check",
        "it has one for a download"
      ),
      (
        ["--deadline=25:00", "u"], "--deadline: '25:00' is not a time of day",
        "from 00:00 to 23:59; or a span such as 90m or 2h"
      ),
      (["--deadline=1d", "u"], "--deadline: '1d' is not a duration", "seconds, or with s, m or h: 1.5, 10s, 5m, 2h"),
      (
        ["--verify-command=scan", "-o-", "u"],
        "--verify-command judges a file before others see it, and standard output is none", "write to a file with -o"
      ),
      (["chek", "-i", "l"], "'chek' is neither a URL nor a verb", "did you mean 'swiftget check'?"),
      (["-i", "l", "manifets"], "'manifets' is neither a URL nor a verb", "did you mean 'swiftget manifest'?"),
      (["-T0", "u"], "-T: '0' is out of range", "from 0.1 to 86400 seconds"),
      (["-T0.00001", "u"], "-T: '0.00001' is out of range", "from 0.1 to 86400 seconds"),
      (
        ["-u", "secret", "u"], "--user: the password is missing",
        "use USER:PASSWORD, or --netrc if a netrc file has the password"
      ),
      (["-H", "Secret", "u"], "-H: the argument is not a header line", "'Name: value', without line breaks"),
      (
        ["-H", "A: secret\r\nB: c", "u"], "-H: the argument is not a header line", "'Name: value', without line breaks"
      ),
      (
        ["-H", "Range: bytes=0-", "u"], "-H: 'range' cannot be set", "swiftget sets it for every request; leave it out"
      ),
      (["--progress=x", "u"], "--progress: 'x' is not a valid value", "one of auto, bar, lines, json, none"),
      (["--color=x", "u"], "--color: 'x' is not a valid value", "one of auto, always, never"),
      (["--resolve=h:1:zz", "u"], "--resolve: 'h:1:zz' is not HOST:PORT:ADDRESS", "such as example.org:443:192.0.2.7"),
      (
        ["--proxy=foo://h:1", "u"], "--proxy: the argument is not the URL of a proxy",
        "such as http://proxy.example:8080; also https, socks4, socks5, socks5h"
      ),
      (["--resolve=h:0:a", "u"], "--resolve: 'h:0:a' is not HOST:PORT:ADDRESS", "such as example.org:443:192.0.2.7"),
      (["--dir=", "u"], "--dir: the argument is empty", nil),
      (
        ["-o", "https://me:secret@h/f", "u"], "-o: 'https://…@h/f' is a URL, not a path",
        "give URLs without an option; this option needs a local path"
      ),
      (["--http://me:secret@h", "u"], "unknown option '--http://…@h'", "swiftget --help lists all options"),
      (["--cert=:secret", "u"], "--cert: the argument is empty", nil),
      (["", "u"], "a URL is empty", nil),
      (["--base-url=b", "u"], "'--base-url' needs a list", "give the list with -i LIST"),
      (["-i-", "-i-"], "only one list can be read from standard input", nil),
      (
        ["--check", "-ihttps://me:secret@h/SUMS"], "--check reads no list from a URL: https://…@h/SUMS",
        "download the list first; --check uses no network"
      ),
      (
        ["-o", "x", "a", "b"], "'-o' needs exactly one URL",
        "for several files with their own names and checksums, use a list: swiftget -i LIST"
      ),
      (
        ["--mirror=m", "-i", "L", "a"], "'--mirror' needs exactly one URL",
        "for several files with their own names and checksums, use a list: swiftget -i LIST"
      ),
    ] as [([String], String, String?)])
  func `a wrong command line is reported without secrets`(
    arguments: [String], message: String, hint: String?
  ) {
    #expect(throws: Failure(.usage, message, hint: hint)) { try parse(arguments) }
    #expect(!message.contains("secret"))
  }
}

@Suite struct `Option values` {
  @Test(
    arguments: [
      ("0", 0), ("4096", 4096), ("100b", 100), ("1k", 1024), ("16KiB", 16384), ("1.5M", 1_572_864), ("2g", 2 << 30),
      ("1T", 1 << 40), ("0.0009k", 1), ("0.0001k", 1), ("0.5", 1), ("0.000000000000000001", 1),
      ("0.0", 0), ("0k", 0), ("0.0001T", 109_951_162), ("1.0005k", 1024), ("0.1234567890123456789", nil), ("", nil),
      ("-1", nil), ("1.", nil), (".", nil), (".5k", 512), ("1.2.3", nil), ("1MB", nil),
      ("1 M", nil), ("9223372036854775807", nil), ("9000000000000000", 9_000_000_000_000_000), ("99999999T", nil),
      ("0x10", nil),
    ] as [(String, Int64?)])
  func `sizes`(text: String, byteCount: Int64?) {
    #expect(OptionValues.size(Array(text.utf8)) == byteCount)
  }

  @Test(
    arguments: [
      ("500k/s", 512_000), ("0.0001k", 1), ("0.0001/s", 1), ("0/s", 0), ("1M", 1 << 20), ("/s", nil), ("1/s/s", nil),
    ] as [(String, Int64?)])
  func `rates`(text: String, bytesPerSecond: Int64?) {
    #expect(OptionValues.rate(Array(text.utf8)) == bytesPerSecond)
  }

  @Test(
    arguments: [
      ("30", 30_000), ("1.5", 1500), (".5", 500), ("10s", 10_000), ("5m", 300_000), ("2h", 7_200_000), ("0", 0),
      ("0.0", 0),
      ("0.0001", 1), ("0.00001m", 1), ("0.0015m", 90), ("1d", nil),
      ("1H", nil), ("", nil), ("s", nil), (".", nil), ("5.", nil), (".s", nil), ("9223372036854776", nil),
    ] as [(String, Int64?)])
  func `times`(text: String, milliseconds: Int64?) {
    #expect(OptionValues.duration(Array(text.utf8)) == milliseconds.map { .milliseconds($0) })
  }

  @Test(arguments: [
    ("A: b", true), ("X-Y_z:", true), ("A:\tb", true), ("A:ü", true), (": b", false), ("A b: c", false), ("A", false),
    ("A: b\nC: d", false), ("A: \u{1}", false),
  ])
  func `header lines`(text: String, isValid: Bool) {
    #expect((OptionValues.headerLine(Array(text.utf8)) != nil) == isValid)
  }

  @Test(arguments: [
    ("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("checksm", "checksum", 1), ("kitten", "sitting", 3),
  ])
  func `the distance of words`(a: String, b: String, distance: Int) {
    #expect(Suggestion.distance(Array(a.utf8), Array(b.utf8)) == distance)
    #expect(Suggestion.distance(Array(b.utf8), Array(a.utf8)) == distance)
  }
}
