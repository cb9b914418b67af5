import DownloadCore
import TestSupport
import Testing

@testable import CommandOptions
@testable import DownloadLists
@testable import DownloadWords

@Suite struct `Standing options` {
  private static let url = "https://h/a"

  private static func standing(file: String, variable: String? = nil) throws -> StandingOptions {
    let environment = Environment(variable.map { ["SWIFTGET_OPTIONS": $0] } ?? [:])
    let file = ConfigurationFile(
      place: ConfigurationPlace(path: Array("config".utf8), isNamed: false), text: Array(file.utf8), isExposed: false)
    return StandingOptions(
      ofFile: ConfigurationParser.findings(file),
      ofVariable: try StandingOptions.read(CommandLineScanner([]), environment, notedIn: DecidingInputs()).ofVariable,
      warning: nil)
  }

  private func invocation(
    file: String = "", variable: String? = nil, _ arguments: [String] = []
  ) throws -> Invocation {
    let words = (arguments + [Self.url]).map { Array($0.utf8) }
    let standing = try Self.standing(file: file, variable: variable)
    guard case .run(let invocation) = try Command(arguments: words, standing: standing) else {
      throw Failure(.other, "no run")
    }
    return invocation
  }

  private func errors(file: String = "", variable: String? = nil) -> [String] {
    do { _ = try invocation(file: file, variable: variable) } catch let error as UsageErrors {
      return error.errors.map(\.message)
    } catch { return ["\(error)"] }
    return []
  }

  @Test func `are those of the command line, then of the variable, then of the file`() throws {
    let file =
      "\u{feff}# comment\r\n\r\njobs = 1\r\n  tries=1\n\tuser-agent = a = b #c \nnetrc\nno-sync = true\nno-resume = false\n"
    let found = try invocation(file: file, variable: "--tries 2 -x '3' --user-agent \"d  e\"", ["-x", "4"])
    #expect(
      found.settings.limits.jobs == 1 && found.settings.file.tries == 2 && found.settings.file.maxConnections == 4)
    #expect(
      found.settings.transport.userAgent == "d  e" && found.settings.secrets.usesNetrc && !found.settings.target.syncs)
    #expect(found.settings.target.resumes)
    #expect(try invocation(file: file).settings.transport.userAgent == "a = b #c")
    #expect(try invocation(file: "quiet", ["-v"]).display.verbosity == 1)
  }

  @Test func `are dropped where they contradict one that counts more`() throws {
    let template = "output-template = {host}/{name}\n"
    for found in [
      try invocation(file: template, ["-o", "x"]), try invocation(variable: "--output-template {name}", ["-o", "x"]),
      try invocation(file: template, variable: "--content-disposition", ["-o", "x"]),
    ] {
      #expect(found.naming.template == nil && found.naming.output == Array("x".utf8))
    }
    for (file, variable, arguments) in [
      ("content-disposition", nil, ["--output-template", "{n}"]), ("content-disposition", "--output-template {n}", []),
      ("force-directories\ncontent-disposition", "--output-template {n}", []),
      ("", "--content-disposition --force-directories", ["--output-template", "{n}"]),
      ("strip-components = 2", nil, ["--output-template", "{n}"]),
      ("output-template = {n}", nil, ["--strip-components=0"]),
    ] as [(String, String?, [String])] {
      let found = try invocation(file: file, variable: variable, arguments)
      #expect(
        found.naming.template != nil && !found.settings.target.takesSuggestedNames && !found.naming.makesDirectories)
      #expect(found.naming.strippedComponentCount == 0)
    }
    for arguments in [["--content-disposition"], ["--force-directories"], ["--strip-components", "1"]] {
      #expect(try invocation(file: template, arguments).naming.template == nil, "\(arguments)")
    }
    let found = try invocation(file: "content-disposition", ["--frozen", "l"])
    #expect(!found.settings.target.takesSuggestedNames)
  }

  @Test func `are refused where they contradict each other in one place, which is told`() {
    let words = "--output-template contradicts --content-disposition"
    #expect(errors(file: "content-disposition\noutput-template = {n}\n") == ["the configuration: \(words)"])
    #expect(errors(variable: "--output-template {n} --content-disposition") == ["SWIFTGET_OPTIONS: \(words)"])
  }

  @Test func `add header lines, and replace those of the same name that count less`() throws {
    let file = "header = A: 1\nheader = A: 2\nheader = B: 1\n"
    #expect(try invocation(file: file).settings.transport.headers == ["A: 1", "A: 2", "B: 1"])
    let found = try invocation(file: file, variable: "-H 'b: 3' -H 'C: 3'", ["-H", "c: 4", "-H", "C: 5"])
    #expect(found.settings.transport.headers == ["A: 1", "A: 2", "b: 3", "c: 4", "C: 5"])
  }

  @Test func `name the netrc file that is read, until something that counts more says otherwise`() throws {
    let file = "netrc-file = f\n[host h]\nnetrc-file = g\n"
    func place(_ file: String, variable: String? = nil, _ arguments: [String] = []) throws -> [NetrcPlace?] {
      let settings = try invocation(file: file, variable: variable, arguments).settings
      return [settings.secrets.netrc, settings.transport.hosts.settings(for: "h").netrc]
    }
    #expect(try place(file) == [.named("f"), .named("g")])
    #expect(try place(file, ["--netrc"]) == [.usual, nil] && place(file, variable: "--netrc") == [.usual, nil])
    #expect(try place(file, ["--no-netrc"]) == [nil, nil] && place(file, variable: "--no-netrc") == [nil, nil])
    #expect(try place(file, ["--no-netrc=true"]) == [nil, nil])
    #expect(try place("no-netrc\n" + file, ["--netrc"]) == [.usual, nil])
    #expect(try place(file, ["--no-netrc", "--netrc-file", "x"]) == [.named("x"), nil])
    #expect(try place(file, ["--netrc-file", "x", "--no-netrc", "--netrc"]) == [.usual, nil])
    // Within one place the named file counts.
    #expect(try place("", ["--netrc-file", "x", "--netrc"])[0] == .named("x"))
    #expect(try place("netrc-file = f\nnetrc\n")[0] == .named("f"))
  }

  @Test func `of hosts count more than those of the file, and less than others`() throws {
    let file = """
      header = A: 1
      user = u:1
      [host *.h]
      header = A: 2
      header = B: 2
      user = u:2
      max-connections-per-host = 2
      """
    let found = try invocation(file: file).settings
    #expect(
      found.transport.headers == ["A: 1"] && found.secrets.user == "u:1" && found.limits.maxConnectionsPerHost == 64)
    let host = found.transport.hosts.settings(for: "x.h")
    #expect(host.headers == ["A: 2", "B: 2"] && host.user == "u:2" && host.maxConnections == 2)
    let other = try invocation(
      file: file, variable: "--header 'a: 3'", ["-u", "u:4", "--max-connections-per-host", "5"]
    ).settings
    #expect(
      other.transport.headers == ["a: 3"] && other.secrets.user == "u:4" && other.limits.maxConnectionsPerHost == 5)
    let remaining = other.transport.hosts.settings(for: "x.h")
    #expect(remaining.headers == ["B: 2"] && remaining.user == nil && remaining.maxConnections == nil)
  }

  @Test(arguments: [
    ("jobs = 0", "config:1: jobs: '0' is out of range"), ("\njobs = 1\nx", "config:3: 'x' is not an option"),
    ("user foo:secret", "config:1: '=' is missing behind 'user'"),
    ("user: foo:secret", "config:1: '=' is missing behind 'user'"),
    ("passwd\tsecret = 1", "config:1: '=' is missing behind 'passwd'"),
    ("job = 1", "config:1: 'job' is not an option"), ("--jobs = 1", "config:1: '--jobs' is not an option"),
    ("jobs", "config:1: 'jobs' needs a value: jobs = N"), ("netrc = yes", "config:1: 'netrc' takes no value"),
    ("check", "config:1: 'check' cannot stand in a configuration file"),
    ("input-file = x", "config:1: 'input-file' cannot stand"), ("output = x", "config:1: 'output' cannot stand"),
    ("config = x", "config:1: 'config' cannot stand"), ("[host]", "config:1: this is no section"),
    ("[hosts x]", "config:1: this is no section"), ("[host x", "config:1: this is no section"),
    ("[host http://x/]", "config:1: 'http://x/' is not the name of a host"),
    ("[host x]\njobs = 1", "config:2: 'jobs' cannot be set for a host"),
    ("user = a\u{1}b", "config:1: the line contains"), ("user = name", "--user: the password is missing"),
    ("[host x]\nuser = name", "--user: the password is missing"),
  ])
  func `that are wrong are told with their line`(file: String, message: String) {
    #expect(errors(file: file).count == 1 && errors(file: file)[0].hasPrefix(message), "\(errors(file: file))")
    #expect(!errors(file: file)[0].contains("secret"))
  }

  @Test(arguments: ["x", "jobs = 0"])
  func `that are wrong on many lines are told as often as wrong lines of lists`(line: String) {
    let found = errors(file: (1...50).map { "# \($0)\n\(line)\n" }.joined())
    #expect(found.count == UsageErrors.mostOfFile && found.last?.hasPrefix("config:40: ") == true, "\(found)")
  }

  @Test(arguments: [
    ("-U 'a", "SWIFTGET_OPTIONS: a ' has no counterpart"),
    ("-q; rm", "SWIFTGET_OPTIONS: ';' is not in quotation marks"),
    ("-i list", "SWIFTGET_OPTIONS: '-i' cannot stand here"),
    ("https://h/b", "SWIFTGET_OPTIONS: it has a word that is no option"),
    ("--nonsense", "SWIFTGET_OPTIONS: unknown option"), ("-j 0", "SWIFTGET_OPTIONS: -j: '0' is out of range"),
    ("-j", "SWIFTGET_OPTIONS: option '-j' needs an argument"),
  ])
  func `of the variable that are wrong are told`(variable: String, message: String) {
    let found = errors(variable: variable)
    #expect(found.count == 1 && found[0].hasPrefix(message), "\(found)")
  }

  @Test func `that are for downloads only do not contradict other commands`() throws {
    let standing = try Self.standing(
      file: "content-disposition\nsplay = 5m\non-exit = true\nnotify\ndir = downloads\nstrict\n",
      variable: "--lock-wait 1h")
    let commands = [
      ["--check", Self.url], ["--spider", Self.url], ["--dry-run", Self.url], ["--write-manifest", "gnu", "d"],
      [Self.url],
    ]
    for words in commands { _ = try Command(arguments: words.map { Array($0.utf8) }, standing: standing) }
    let refused = [
      ["--spider", "--splay=5m", Self.url], ["--spider", "--notify", Self.url], ["--strict", Self.url],
    ]
    for words in refused.map({ $0.map { Array($0.utf8) } }) {
      #expect(throws: UsageErrors.self) { try Command(arguments: words) }
    }
  }

  @Test func `are looked for where the environment says`() {
    func path(_ variables: [String: String]) -> String? {
      ConfigurationFile.usualPath(Environment(variables)).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(path(["XDG_CONFIG_HOME": "/x", "HOME": "/h"]) == "/x/swiftget/config")
    #expect(path(["XDG_CONFIG_HOME": "x", "HOME": "/h"]) == "/h/.config/swiftget/config")
    #expect(path(["XDG_CONFIG_HOME": "", "HOME": "/h"]) == "/h/.config/swiftget/config")
    #expect(path([:]) == nil && path(["HOME": ""]) == nil && path(["HOME": "h"]) == nil)
  }

  @Test func `are chosen by the command line`() {
    func choice(_ words: String...) -> ConfigurationChoice {
      StandingOptions.choice(CommandLineScanner(words.map { Array($0.utf8) }))
    }
    let named = ConfigurationChoice.named(Array("a".utf8))
    #expect(choice("u") == .usual && choice("--config", "a", "u") == named)
    #expect(choice("--config=a", "--no-config") == .none && choice("--no-config", "--config=a") == named)
    #expect(choice("--config=a", "-h") == .useless && choice("-V") == .useless)
    #expect(choice("--generate", "man") == .useless)
  }
}
