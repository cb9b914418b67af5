import Glibc
import TestSupport
import Testing

/// Directories that a killed run of version 0.1.0 left behind, continued by this one. `Tests/PreviousVersion/make.py` made
/// them.
@Suite(.waiting) struct `Files of the previous version` {
  private static let fixtures =
    String(#filePath.dropLast("/CommandTests/Program/PreviousVersionTests.swift".count)) + "/PreviousVersion/"

  private let place: Workplace

  init() throws { place = try Workplace() }

  /// A whole file is 3 MB, of which each part file has more than 1 MB on stable storage.
  @Test(arguments: ["tags", "checksum", "mirrors", "pieces", "list", "atomic"])
  func `are continued after a kill`(name: String) throws {
    let run = try unpack(name)
    let service = FileService(Self.contents) { behaviour in
      guard !run.hasValidators else { return }
      behaviour.entityTag = .none
      behaviour.lastModified = nil
    }
    let server = try ScriptedServer(service)
    let result = try place.run(place.invocation(Self.through(server) + run.arguments))
    #expect(result.status == 0, "\(result.told)")
    var byteCount: Int64 = 0
    for file in run.files {
      let content = try #require(Self.contents["http://a.example/\(file.split(separator: "/").last!)"])
      #expect(place.holds(file, content), "\(file)")
      if content.byteCount > 100_000 { byteCount += content.byteCount - 1_000_000 }
    }
    #expect(!run.files.isEmpty && server.bodyBytesSent < byteCount, "\(server.bodyBytesSent)")
    let unfinished = try runProgram("/usr/bin/find", [place.directory.path, "-name", "*.swiftget*"])
    #expect(unfinished.outputText.isEmpty)
  }

  @Test func `of finished downloads are believed`() throws {
    _ = try unpack("finished")
    try mark()
    let server = try ScriptedServer(FileService(Self.contents))
    for (arguments, count) in [
      (["-i", "urls", "-d", "set"], 2), (["-i", "sums2", "--base-url", "http://a.example/", "-d", "many"], 2),
    ] {
      if arguments.contains("sums2") {
        let lines = try place.text("sums").split(separator: "\n").prefix(2)
        try place.directory.write("sums2", lines.joined(separator: "\n") + "\n")
      } else {
        try place.directory.write("urls", "http://a.example/small-0\nhttp://a.example/small-1\n")
      }
      let result = try place.run(place.invocation(Self.through(server) + ["-v"] + arguments))
      #expect(
        result.status == 0 && result.errorText.split(separator: "already there").count == count + 1, "\(result.told)")
    }
    #expect(server.requests.isEmpty)
  }

  @Test func `such as lock files and lists of failures are read`() throws {
    _ = try unpack("finished")
    let server = try ScriptedServer(FileService(Self.contents))
    let frozen = try place.run(
      place.invocation(Self.through(server) + ["-i", "urls", "-d", "new", "--frozen", "lock"]))
    #expect(frozen.status == 0 && place.directory.names(in: "new").count == 4, "\(frozen.told)")
    let failed = try place.run(place.invocation(Self.through(server) + ["-i", "failed"]))
    #expect(failed.status == 8 && failed.errorText.contains("missing"), "\(failed.told)")
    // Another content than that of the lock file is refused.
    let changed = FileService(["http://a.example/small-0": .bytes(Self.line("other", byteCount: 5000))])
    let other = try ScriptedServer(changed)
    try place.directory.write("urls", "http://a.example/small-0\n")
    let refused = try place.run(
      place.invocation(Self.through(other) + ["-i", "urls", "-d", "other", "--frozen", "lock"]))
    #expect(refused.status == 9 && !place.directory.names(in: "other").contains("small-0"), "\(refused.told)")
  }

  /// The name of an index depends on paths, so this run's own index makes way for that of the previous version.
  @Test func `such as the index of finished files hide no missing file`() throws {
    _ = try unpack("finished")
    let server = try ScriptedServer(FileService(Self.contents))
    var invocation = try place.invocation(
      Self.through(server) + ["-i", "sums", "--base-url", "http://a.example/", "-d", "many"])
    invocation.environment["HOME"] = place.directory.path
    #expect(try place.run(invocation).status == 0)
    let own = try runProgram(
      "/usr/bin/find", [place.directory.path(".cache/swiftget"), "-type", "f", "-not", "-name", ".*"])
    let names = own.outputText.split(separator: "\n")
    try #require(names.count == 1)
    try Content.bytes(try place.directory.read("index")).write(to: String(names[0]))
    #expect(unlink(place.directory.path("many/f-0500")) == 0)
    let again = try place.run(invocation)
    #expect(again.status == 0 && place.holds("many/f-0500", Self.contents["http://a.example/f-0500"]!), "\(again.told)")
    #expect(server.requests.filter { $0.path.hasSuffix("/f-0500") }.count == 2)
  }

  /// It was made in another directory, so that it is one that was moved, too.
  @Test func `such as a session of a process that was killed keep all that they had`() throws {
    _ = try unpack("session")
    func run(_ words: [String]) throws -> ProgramResult {
      var invocation = ProgramInvocation(try swiftgetPath(), words)
      invocation.directory = place.directory.path
      invocation.environment["XDG_STATE_HOME"] = place.directory.path("state")
      return try place.run(invocation)
    }
    func ctl(_ words: String...) throws -> ProgramResult { try run(["ctl", "-S", "night"] + words) }
    let list = try ctl("list", "--fields=number,state,group,priority,path")
    let data = place.directory.path("state/swiftget/night/data")
    #expect(
      list.outputText == """
        number\tstate\tgroup\tpriority\tpath
        1\tsucceeded\tmain\t0\t\(data)/small-0
        2\twaiting\tmain\t0\t\(data)/big-1
        3\tpaused\tlate\t7\t\(data)/small-1
        4\tcancelled\tmain\t0\t\(data)/small-2

        """, "\(list.told)")
    let shown = try ctl("show").outputText
    for text in ["jobs=4", "user_agent=before/1", "max-redirect = 7", "late: 1 file, paused, rate=2.0 MiB/s"] {
      #expect(shown.contains(text), "\(text) \(shown)")
    }
    #expect(try ctl("show", "3").outputText.contains("tries=3"))
    let server = try ScriptedServer(FileService(Self.contents))
    #expect(try ctl("set", "*", "proxy=http://127.0.0.1:\(server.port)").status == 0)
    #expect(try ctl("resume", "group:late").status == 0 && ctl("resume", "3").status == 0)
    let result = try run(["-S", "night"])
    #expect(result.status == 0, "\(result.told)")
    #expect(place.directory.names(in: "state/swiftget/night/data") == ["big-1", "small-0", "small-1"])
    for name in ["big-1", "small-1"] {
      #expect(place.holds("state/swiftget/night/data/\(name)", Self.contents["http://a.example/\(name)"]!), "\(name)")
    }
    // Half of the large file was there.
    #expect(server.bodyBytesSent < 2_200_000, "\(server.bodyBytesSent)")
    #expect(server.requests.allSatisfy { $0.header("User-Agent") == "before/1" })
  }

  /// Each line of `config` was accepted by itself.
  @Test func `such as lines of the configuration are understood`() throws {
    for (name, text) in [("netrc", "machine a login b password c\n"), ("jar", ""), ("cacert.pem", "")] {
      try place.directory.write(name, text)
      #expect(chmod(place.directory.path(name), 0o600) == 0)
    }
    let lines = String(decoding: try readFile(Self.fixtures + "config"), as: UTF8.self).split(separator: "\n")
    #expect(lines.count > 60)
    for line in lines {
      try place.directory.write("config", line + "\n")
      #expect(chmod(place.directory.path("config"), 0o600) == 0)
      let result = try place.run("--config", "config", "--dry-run", "http://a.example/x")
      #expect(result.status == 0, "\(line): \(result.told)")
    }
  }

  // MARK: What is in the fixtures

  private struct Run {
    var arguments: [String] = []
    var files: [String] = []
    var hasValidators = false
  }

  /// Unpacks a directory and reads how its run began.
  private func unpack(_ name: String) throws -> Run {
    let result = try runProgram(
      "/usr/bin/tar", ["-xzf", "\(Self.fixtures)\(name).tar.gz", "--no-same-owner", "-C", place.directory.path])
    try #require(result.status == 0, "\(result.told)")
    var run = Run()
    guard place.names.contains("run") else { return run }
    for line in try place.text("run").split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      switch words[0] {
      case "argument": run.arguments.append(words[1])
      case "file": run.files.append(words[1])
      default: run.hasValidators = true
      }
    }
    return run
  }

  /// Sets the marks that `marks` lists. They are believed only near the time when they were set, which is now.
  private func mark() throws {
    let script = """
      import os, time
      for line in open('marks'):
          file, name, value = line.rstrip('\\n').split(' ', 2)
          if name == 'user.swiftget.verified':
              words = value.split(' ')
              words[3] = str(int(time.time()))
              value = ' '.join(words)
          os.setxattr(file, name, value.encode())
      """
    let result = try runProgram("/usr/bin/python3", ["-c", script], directory: place.directory.path)
    try #require(result.status == 0, "\(result.told)")
  }

  private static func through(_ server: ScriptedServer) -> [String] {
    ["--no-config", "--proxy", "http://127.0.0.1:\(server.port)"]
  }

  /// The files of both hosts, by URL, as a proxy is asked for them.
  private static let contents: [String: Content] = {
    var files: [String: Content] = [:]
    let big = (1...3).map { ("big-\($0)", 3_000_000 + $0) }
    let small = (0..<4).map { ("small-\($0)", 5000) }
    let tiny = (0..<1000).map { ("f-" + String("000\($0)".suffix(4)), 64) }
    for (name, byteCount) in big + small + tiny {
      let content = Content.bytes(line(name, byteCount: byteCount))
      for host in ["a", "b"] { files["http://\(host).example/\(name)"] = content }
    }
    return files
  }()

  /// Lines of 64 bytes, all different.
  private static func line(_ name: String, byteCount: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount + 64)
    for number in 0..<(byteCount + 63) / 64 {
      let digits = String(number)
      let text = "\(name) \(String(repeating: "0", count: 8 - digits.count))\(digits) "
      bytes += text.utf8
      bytes += repeatElement(UInt8(ascii: "."), count: 63 - text.utf8.count)
      bytes.append(10)
    }
    return Array(bytes[..<byteCount])
  }
}
