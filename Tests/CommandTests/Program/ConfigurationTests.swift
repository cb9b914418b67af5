import Glibc
import TestSupport
import Testing

/// The configuration file and `SWIFTGET_OPTIONS`.
@Suite(.waiting) struct `A configuration` {
  private struct Seen: Sendable {
    var project: [String]
    var authorization: String?
  }

  private let place: Workplace
  private let server: ScriptedServer
  private let seen = Locked<[Seen]>([])
  private static let content = Content.text("0123456789")

  init() throws {
    place = try Workplace()
    let files = FileService(["/a": Self.content])
    let seen = seen
    server = try ScriptedServer { request in
      let project = request.headers.filter { $0.name == "X-Project" }.map(\.value)
      seen.withLock { $0.append(Seen(project: project, authorization: request.header("Authorization"))) }
      return files.steps(for: request)
    }
    try place.directory.makeDirectory("c")
    try place.directory.makeDirectory("c/swiftget")
  }

  private var projects: [[String]] { seen.withLock { $0.map(\.project) } }
  private var authorizations: [String?] { seen.withLock { $0.map(\.authorization) } }
  /// Another host's name for the same server.
  private var local: String { server.url("/a").replacing("127.0.0.1", with: "localhost") }

  private func run(_ arguments: [String], config: String, options: String? = nil) throws -> ProgramResult {
    try place.directory.write("c/swiftget/config", config)
    chmod(place.directory.path("c/swiftget/config"), 0o600)
    var invocation = try place.invocation(arguments)
    invocation.environment["XDG_CONFIG_HOME"] = place.directory.path("c")
    invocation.environment["SWIFTGET_OPTIONS"] = options
    return try place.run(invocation)
  }

  @Test func `of the cookbook needs no permission but the usual ones`() throws {
    let root = String(#filePath.dropLast("Tests/CommandTests/Program/ConfigurationTests.swift".count))
    let text = String(decoding: try readFile(root + "docs/cookbook.md"), as: UTF8.self)
    let example = try #require(text.split(separator: "```\n").first { $0.contains("[host ") })
    try place.directory.write("mine", String(example))
    #expect(chmod(place.directory.path("mine"), 0o644) == 0)
    let result = try place.run("--config", "mine", server.url("/a"))
    #expect(result.status == 0 && !result.errorText.contains("warning"), "\(result.told)")
  }

  @Test func `holds for every run, as far as nothing counts more`() throws {
    let config = "dir = t\nheader = X-Project: 1\n"
    #expect(try run([server.url("/a")], config: config).status == 0 && place.holds("t/a", Self.content))
    let other = try run(["-d", "u", server.url("/a")], config: config, options: "-H 'X-Project: 2'")
    #expect(other.status == 0 && place.names.contains("u"), "\(other.told)")
    #expect(try run(["--no-config", "-d", "v", server.url("/a")], config: "nonsense").status == 0)
    #expect(projects == [["1"], ["2"], []])
    try place.directory.write("mine", "dir = w\n")
    let named = try run(["--config", "mine", server.url("/a")], config: "nonsense")
    #expect(named.status == 0 && place.names.contains("w"), "\(named.told)")
  }

  @Test(arguments: [
    ("verify-command = true", ["-o", "-", "URL"], "a file with -o; --verify-command stands in PLACE:2"),
    ("output-template = {n}", ["--failed", "f", "URL"], "such as {name}; --output-template stands in PLACE:2"),
    ("output-template = {host}/{name}", ["-i", "bag"], "--output-template; --output-template stands in PLACE:2"),
    ("strip-components = 1", ["-i", "bag"], "--output-template; --strip-components stands in PLACE:2"),
    ("dir = c", ["-i", "bag"], "leave out -d, or give -d bag; --dir stands in PLACE:2"),
    ("output-template = {host}/{name}", ["--check", "-i", "sums"], "download; --output-template stands in PLACE:2"),
    ("user = joe", ["URL"], "has the password; --user stands in PLACE:2"),
    ("log = sums", ["-i", "sums", "--base-url", "URL"], "a file of its own; --log stands in PLACE:2"),
    (
      "log = none/log", ["URL"],
      "--log: cannot write none/log: No such file or directory\nhint: --log stands in PLACE:2"
    ),
    ("save-cookies = a", ["URL"], "which no request has; --save-cookies stands in PLACE:2"),
    ("cacert = none", ["URL"], "No such file or directory\nhint: --cacert stands in PLACE:2"),
    ("netrc-file = none", ["URL"], "No such file or directory\nhint: --netrc-file stands in PLACE:2"),
  ])
  func `is told as the place of options that contradict what is asked for`(
    line: String, arguments: [String], words: String
  ) throws {
    try BagMaker(place).write()
    try place.directory.write("sums", "\(try Self.content.hexDigest())  a\n")
    let arguments = arguments.map { $0 == "URL" ? server.url("/a") : $0 }
    let config = place.directory.path("c/swiftget/config")
    let result = try run(arguments, config: "jobs = 2\n\(line)\n")
    #expect(result.status == 2, "\(result.told)")
    #expect(result.errorText.hasSuffix(words.replacing("PLACE", with: config) + "\n"), "\(result.told)")
    let parts = line.split(separator: " = ")
    let ofVariable = try run(arguments, config: "", options: "--\(parts[0]) '\(parts[1])'")
    #expect(ofVariable.errorText.hasSuffix(words.replacing("PLACE:2", with: "SWIFTGET_OPTIONS") + "\n"))
    // The command line alone has what stands there, too.
    let alone = try run(["--\(parts[0])", String(parts[1])] + arguments, config: line)
    #expect(alone.status == 2 && !alone.errorText.contains(" stands in "), "\(alone.told)")
    #expect(seen.withLock { $0.isEmpty })
  }

  @Test func `may have the format of a log for runs that have one`() throws {
    let config = "log-format = json\n"
    let result = try run([server.url("/a")], config: config)
    #expect(result.status == 0 && place.holds("a", Self.content), "\(result.told)")
    #expect(try run([server.url("/a")], config: "", options: "--log-format json").status == 0)
    #expect(try run(["--log", "log", server.url("/a")], config: config).status == 0)
    #expect(try place.text("log").hasPrefix("{"))
    let given = try run(["--log-format", "json", server.url("/a")], config: config)
    #expect(given.status == 2 && given.errorText.contains("'--log-format' needs --log"), "\(given.told)")
  }

  @Test func `has headers and credentials for hosts, which go nowhere else`() throws {
    let config = """
      header = X-Project: 1
      [host localhost]
      header = X-Project: 2
      user = u:S3CR3T
      """
    #expect(try run(["-4", "-o", "b", local], config: config).status == 0)
    #expect(try run(["-o", "c1", server.url("/a")], config: config).status == 0)
    #expect(try run(["-4", "-o", "d", "-u", "v:w", "-H", "X-Project: 3", local], config: config).status == 0)
    #expect(projects == [["2"], ["1"], ["3"]])
    #expect(authorizations == ["Basic dTpTM0NSM1Q=", nil, "Basic djp3"])
  }

  @Test func `has a netrc file for a host, which counts less than the command line`() throws {
    try place.directory.write("n", "machine localhost login u password S3CR3T\nmachine 127.0.0.1 login x password y\n")
    try place.directory.write("m", "machine localhost login v password w\n")
    let config = "[host localhost]\nnetrc-file = n\n"
    #expect(try run(["-4", "-o", "b", local], config: config).status == 0)
    #expect(try run(["-o", "c1", server.url("/a")], config: config).status == 0)
    #expect(try run(["-4", "-o", "d", "--netrc-file", "m", local], config: config).status == 0)
    #expect(authorizations == ["Basic dTpTM0NSM1Q=", nil, "Basic djp3"])
    let missing = try run([local], config: "[host localhost]\nnetrc-file = none\n")
    #expect(missing.status == 2 && missing.errorText.contains("cannot read none"), "\(missing.told)")
  }

  @Test func `limits the rate of a host`() throws {
    let files = FileService(["/big": mediumFile])
    let other = try ScriptedServer(files)
    let url = other.url("/big").replacing("127.0.0.1", with: "localhost")
    let config = "[host localhost]\nlimit-rate = 3M\n"
    // 6,000,001 bytes at 3 MiB/s take 1.9 s. A faster machine does not make it shorter.
    let limited = try run(["-4", "-o", "l", "--no-sync", url], config: config)
    #expect(limited.status == 0 && place.holds("l", mediumFile) && limited.wallSeconds > 1.7, "\(limited.told)")
  }

  @Test func `limits the requests of a host`() throws {
    let names = ["a", "b", "d", "e"]
    let files = FileService(Dictionary(uniqueKeysWithValues: names.map { ("/" + $0, Self.content) }))
    let other = try ScriptedServer(files)
    let urls = names.map { other.url("/" + $0).replacing("127.0.0.1", with: "localhost") }
    let config = "[host localhost]\nlimit-requests = 4/s\n"
    let limited = try run(["-4"] + urls, config: config)
    // The fourth request starts 0.75 s after the first one. A faster machine does not make it shorter.
    #expect(limited.status == 0 && limited.wallSeconds > 0.7, "\(limited.told)")
    let wrong = try run([local], config: "[host localhost]\nlimit-requests = x\n")
    #expect(wrong.status == 2 && wrong.errorText.contains("config:2: limit-requests"), "\(wrong.told)")
  }

  @Test func `gives nothing to a host that only a redirect names`() throws {
    let target = local
    let other = try ScriptedServer { _ in [.send(responseHead(302, [("Location", target), ("Content-Length", "0")]))] }
    let result = try run(
      ["-4", "-o", "b", other.url("/x")], config: "[host localhost]\nuser = u:S3CR3T\nheader = X-Project: 2\n")
    #expect(result.status == 0 && authorizations == [nil] && projects == [[]], "\(result.told)")
  }

  @Test func `that is wrong starts nothing, and help is given nevertheless`() throws {
    let result = try run([server.url("/a")], config: "jobs = 4\nnonsense = S3CR3T\n[host x]\ndir = y\n[host x:80]\n")
    let path = place.directory.path("c/swiftget/config")
    #expect(result.status == 2 && projects.isEmpty, "\(result.told)")
    #expect(result.errorText.contains("swiftget: \(path):2: 'nonsense' is not an option\n"), "\(result.told)")
    #expect(result.errorText.contains("swiftget: \(path):4: 'dir' cannot be set for a host\n"), "\(result.told)")
    #expect(!result.errorText.contains("S3CR3T"))
    #expect(result.errorText.contains("swiftget: \(path):5: 'x:80' has a port\n"), "\(result.told)")
    #expect(try run(["-h"], config: "nonsense").status == 0 && run(["--version"], config: "nonsense").status == 0)
    let missing = try place.run("--config", "none", server.url("/a"))
    #expect(missing.status == 2 && missing.errorText.contains("--config: cannot read none"), "\(missing.told)")
    #expect(try place.run("--config", "c", server.url("/a")).status == 2)
  }

  @Test func `at an unusable place does not end a run that does not name it`() throws {
    func run(_ variable: String, _ value: String, _ more: String...) throws -> ProgramResult {
      var invocation = try place.invocation(["-q", "-o", "x", server.url("/a")] + more)
      invocation.environment["XDG_CONFIG_HOME"] = nil
      invocation.environment[variable] = value
      return try place.run(invocation)
    }
    for value in ["/dev/null", "/dev/null/x", place.directory.path("absent")] {
      for variable in ["HOME", "XDG_CONFIG_HOME"] {
        let result = try run(variable, value, "-v")
        #expect(result.status == 0 && !result.errorText.contains("config"), "\(variable): \(result.told)")
      }
    }
    // A place that exists and cannot be read: a directory, and a link to itself.
    try place.directory.makeDirectory("d")
    try place.directory.makeDirectory("d/swiftget")
    let path = place.directory.path("d/swiftget/config")
    for makes in [{ mkdir(path, 0o755) }, { symlink("config", path) }] {
      #expect(makes() == 0)
      let told = try run("XDG_CONFIG_HOME", place.directory.path("d"), "-v")
      #expect(told.status == 0, "\(told.told)")
      #expect(told.errorText.ranges(of: "warning: no configuration is used: cannot read \(path): ").count == 1)
      let quiet = try run("XDG_CONFIG_HOME", place.directory.path("d"))
      #expect(quiet.status == 0 && quiet.errorText.isEmpty, "\(quiet.told)")
      let named = try run("HOME", "/", "--config", path)
      #expect(named.status == 2 && named.errorText.contains("--config: cannot read \(path)"), "\(named.told)")
      #expect(rmdir(path) == 0 || unlink(path) == 0)
    }
  }

  @Test func `with secrets that others may read is told`() throws {
    for (config, isTold) in [
      ("user = u:p", true), ("[host x]\nheader = A: b", true), ("proxy = http://u:p@h:1", true), ("jobs = 2", false),
      ("proxy = http://h:1", false),
    ] {
      try place.directory.write("mine", config + "\n")
      chmod(place.directory.path("mine"), 0o644)
      let told = try place.run("--config", "mine", "--dry-run", "https://h/a").errorText
      #expect(told.contains("other users can read the secrets in mine") == isTold, "\(config): \(told)")
      let quiet = try place.run("-q", "--config", "mine", "--dry-run", "https://h/a").errorText
      #expect(quiet.isEmpty, "\(quiet)")
      chmod(place.directory.path("mine"), 0o600)
      #expect(try !place.run("--config", "mine", "--dry-run", "https://h/a").errorText.contains("secrets"))
    }
  }
}
