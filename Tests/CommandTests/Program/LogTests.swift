import Glibc
import TestSupport
import Testing

/// Runs with `--log`.
@Suite(.waiting) struct `The log of a run` {
  private let place: Workplace
  private let server: ScriptedServer

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/f": mediumFile, "/g": .text("small\n")]))
  }

  /// The lines without their times, all of which must be well formed.
  private func lines(_ name: String = "log") throws -> [String] {
    try place.text(name).split(separator: "\n").map { line in
      let isStamped = line.prefixMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d /#) != nil
      #expect(isStamped, "\(line)")
      return String(line.dropFirst(26))
    }
  }

  @Test(arguments: [
    ["--progress", "bar"], ["--progress", "lines"], ["--progress", "json"], ["--progress", "none"], ["-q"], [],
  ])
  func `is the same whatever the display is`(display: [String]) throws {
    var invocation = try place.invocation(
      ["--log", "log"] + display + [server.url("/f"), server.url("/g"), server.url("/absent?sig=S3CR3T")])
    if display.last == "bar" { invocation.terminal = (80, 24) }
    let result = try place.run(invocation)
    #expect(result.status == 8, "\(result.told)")
    let lines = try lines()
    #expect(lines.first == "swiftget: the run begins: 3 files" && lines.last == "swiftget: the run ends with status 8")
    for words in [
      "swiftget: f: 5.7 MiB in ", "swiftget: g: 6 B in ", "swiftget: absent: ", "swiftget: 2 files downloaded",
    ] {
      #expect(lines.count { $0.hasPrefix(words) } == 1, "\(words): \(lines)")
    }
    #expect(!lines.contains { $0.contains("S3CR3T") || $0.contains("from http") || $0.contains("\u{1b}") })
    if display == ["-q"] { #expect(!result.errorText.contains("swiftget: f")) }
  }

  @Test func `is appended to, and has details with -v`() throws {
    try place.directory.write("log", "2026-01-01T00:00:00+00:00 before\n")
    #expect(try place.run("-v", "--log", "log", server.url("/g")).status == 0)
    #expect(try place.run("-q", "-l", "log", server.url("/g")).status == 0)
    let lines = try lines()
    #expect(lines.first == "before" && lines.contains("swiftget: g: from \(server.url("/g"))"))
    #expect(lines.filter { $0.contains("the run begins") }.count == 2)
    #expect(
      lines.suffix(3) == [
        "swiftget: the run begins: 1 file", "swiftget: the file is already there",
        "swiftget: the run ends with status 0",
      ])
  }

  @Test func `is a JSON object a line where that is wanted`() throws {
    let arguments = ["--log", "log", "--log-format", "json", server.url("/g"), server.url("/absent?sig=S3CR3T")]
    let result = try place.run(place.invocation(arguments))
    #expect(result.status == 8 && result.errorText.contains("swiftget: g: 6 B in "), "\(result.told)")
    #expect(try place.run("--log", "log", "--log-format=json", "-i", "none").status == 2)
    let script =
      "import json\nfor line in open('log'): print(json.loads(line)['type'], json.loads(line).get('status'))"
    let read = try runProgram("/usr/bin/python3", ["-c", script], directory: place.directory.path)
    #expect(
      read.outputText.split(separator: "\n") == [
        "start None", "item_end None", "item_end None", "end 8", "exit 8", "message None", "message None", "exit 2",
      ], "\(read.told)")
    #expect(try !place.text("log").contains("S3CR3T"))
    for (level, ends) in [([], 0), (["-v"], 1)] {
      let again = try place.run(
        place.invocation(level + ["--log", "again", "--log-format", "json", server.url("/g")]))
      #expect(again.status == 0, "\(again.told)")
      #expect(try place.text("again").split(separator: "\n").count { $0.contains("\"type\":\"item_end\"") } == ends)
    }
    for (name, options, isJSON) in [
      ("a.json", [], true), ("b.jsonl", [], true), ("c.json", ["--log-format", "lines"], false), (".jsonx", [], false),
    ] as [(String, [String], Bool)] {
      #expect(try place.run(place.invocation(["--log", name, server.url("/g")] + options)).status == 0)
      #expect(try place.text(name).hasPrefix("{") == isJSON, "\(name)")
    }
    let alone = try place.run("--log-format", "json", server.url("/g"))
    #expect(alone.status == 2 && alone.errorText.contains("'--log-format' needs --log"), "\(alone.told)")
  }

  @Test func `has what came before a hook when that runs`() throws {
    let content = Content.text("small\n")
    let requestCount = Locked(0)
    let wrongAtFirst = try ScriptedServer { request in
      let number = requestCount.withLock { count in
        count += 1
        return count
      }
      return [.respond(200, body: Array((number == 1 ? "wrong\n" : "small\n").utf8))]
    }
    let mended = try place.run(
      "--retry-wait", "0", "--log", "log", "--on-complete", "cp log warned", "--checksum",
      "sha256:\(try content.hexDigest())", wrongAtFirst.url("/f"))
    #expect(mended.status == 0 && requestCount.withLock { $0 } == 2, "\(mended.told)")
    #expect(try lines("warned").contains { $0.hasPrefix("swiftget: f: ") && $0.contains("sha256") })
    let failed = try place.run("--log", "log", "--on-failure", "cp log failed", server.url("/absent"))
    #expect(failed.status == 8, "\(failed.told)")
    #expect(try lines("failed").contains { $0.hasPrefix("swiftget: absent: ") })
  }

  @Test func `has what ends a run before or after its files`() throws {
    #expect(try place.run("--log", "log", "-i", "none").status == 2)
    #expect(
      try lines() == [
        "swiftget: cannot open the list none: No such file or directory",
        "hint: check the name; - is standard input", "swiftget: the run ends with status 2",
      ])
    let result = try place.run("-q", "--log", "log", "-i", "/dev/null")
    #expect(result.status == 0 && result.errorText.isEmpty, "\(result.told)")
    #expect(try lines().contains("swiftget: warning: the list /dev/null contains no files"))
  }

  @Test func `that cannot be opened is refused before anything starts`() throws {
    for path in ["none/log", ".", "-"] {
      let result = try place.run("--log", path, server.url("/g"))
      #expect(result.status == 2 && result.errorText.hasPrefix("swiftget: --log: "), "\(result.told)")
      #expect(path == "-" || result.errorText.contains("cannot write \(path): "), "\(result.told)")
    }
    #expect(server.requests.isEmpty && place.names.isEmpty)
  }

  @Test func `that cannot be written is told once, and the run goes on`() throws {
    let result = try place.run("-q", "--log", "/dev/full", server.url("/f"), server.url("/g"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(
      result.errorText
        == "swiftget: warning: cannot write the log /dev/full: No space left on device; lines of it are lost\n")
  }

  @Test func `that is a pipe without a reader delays nothing`() throws {
    #expect(mkfifo(place.directory.path("pipe"), 0o600) == 0)
    let result = try place.run("-q", "--log", "pipe", server.url("/g"))
    #expect(result.status == 0 && place.holds("g", .text("small\n")), "\(result.told)")
  }
}
