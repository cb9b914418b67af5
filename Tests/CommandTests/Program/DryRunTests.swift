import Glibc
import TestSupport
import Testing

/// `--dry-run`.
@Suite(.waiting) struct `A dry run` {
  private let place: Workplace
  private let server: ScriptedServer
  private let requestCount = Locked(0)
  private static let content = Content.text("0123456789")
  private static let sum = "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"

  init() throws {
    place = try Workplace()
    let files = FileService(["/a": Self.content, "/medium": mediumFile])
    let requestCount = requestCount
    server = try ScriptedServer { request in
      requestCount.withLock { $0 += 1 }
      return files.steps(for: request)
    }
  }

  private func lines(_ arguments: String..., status: Int32 = 0) throws -> [String] {
    let count = requestCount.withLock { $0 }
    let before = try tree()
    let result = try place.run(place.invocation(["--dry-run"] + arguments))
    #expect(result.status == status, "\(arguments): \(result.told)")
    #expect(requestCount.withLock { $0 } == count, "\(arguments): a request")
    #expect(try tree() == before, "\(arguments): a change")
    return result.outputText.split(separator: "\n").map(String.init)
  }

  /// Names, modes, sizes and times of everything.
  private func tree() throws -> String {
    try runProgram("/usr/bin/find", [".", "-printf", "%p %m %s %T@ %C@ %n\n"], directory: place.directory.path)
      .outputText
  }

  private func list(_ lines: [String]) throws {
    try place.directory.write("list", lines.joined(separator: "\n") + "\n")
  }

  @Test func `tells what is fetched, skipped, hashed, asked for, replaced and refused`() throws {
    try list([
      "\(server.url("/a"))\n out=new/x/y", "\(server.url("/a"))\n out=kept",
      "\(server.url("/a"))#sha256=\(Self.sum)\n out=marked",
      "\(server.url("/a"))#sha256=\(Self.sum)\n out=hashed", "\(server.url("/a"))\n out=length",
      "\(server.url("/a"))\n out=directory", "\(server.url("/a"))\n out=link",
    ])
    try place.directory.makeDirectory("t")
    for name in ["kept", "marked"] {
      let arguments = name == "marked" ? ["--checksum", "sha256:\(Self.sum)"] : []
      #expect(try place.run(place.invocation(arguments + ["-o", name, "-d", "t", server.url("/a")])).status == 0)
    }
    for name in ["hashed", "length"] { try place.directory.write("t/\(name)", "0123456789") }
    try place.directory.makeDirectory("t/directory")
    #expect(symlink("length", place.directory.path("t/link")) == 0)
    #expect(
      try lines("-i", "list", "-d", "t", status: 3) == [
        "new/x/y: fetch", "kept: skip: there already", "marked: skip: verified by its mark (sha256)",
        "hashed: check: there; 10 B are hashed, and it is replaced if that does not match",
        "length: ask: there; kept if the server has 10 bytes, too",
        "directory: refuse: a directory has this name (list:11)",
        "link: refuse: a symbolic link has this name, and swiftget does not write through links (list:13)",
      ])
    #expect(
      try lines("-i", "list", "-d", "t", "--if-exists", "replace", status: 3).dropFirst().prefix(4) == [
        "kept: replace: the existing file is replaced", "marked: replace: the existing file is replaced",
        "hashed: replace: the existing file is replaced", "length: replace: the existing file is replaced",
      ])
    #expect(
      try lines("-i", "list", "-d", "t", "-N", "--include", "kept") == [
        "kept: ask: there; replaced if the server has a newer one"
      ])
    #expect(try lines("-q", "-i", "list", "-d", "t", "--include", "k*", "--include", "hashed").count == 1)
    #expect(try lines("-i", "list", "-d", "missing").allSatisfy { $0.hasSuffix(": fetch") })
    let some = try place.run(
      "--dry-run", "-i", "list", "-d", "t", "--include", "k*", "--include", "y", "--include", "length")
    #expect(
      some.errorText == "swiftget: dry run, nothing is downloaded: 1 file to skip, 1 to ask, 1 to fetch\n",
      "\(some.told)")
    #expect(try lines("-o", "-", server.url("/a")) == ["-: fetch: to standard output, a pipe or a device"])
    #expect(try lines("--content-disposition", server.url("/a")) == ["a: ask: the server gives the name"])
  }

  /// A run that was killed after it had recorded something.
  private func interrupt() throws {
    let run = try place.start("--limit-rate", "2M", "-d", "t", server.url("/medium"))
    #expect(
      try eventually {
        try place.run("--dry-run", "-d", "t", server.url("/medium")).outputText.contains("resume")
      })
    run.kill()
    _ = run.wait()
  }

  @Test func `tells what is resumed as the run then does it`() throws {
    try place.directory.makeDirectory("t")
    try interrupt()
    let told = try lines("-d", "t", server.url("/medium"))
    #expect(told.count == 1 && told[0].hasPrefix("medium: resume: ") && told[0].hasSuffix("% of 5.7 MiB is there"))
    let json = try lines("--progress", "json", "-d", "t", server.url("/medium"))
    let done = try #require(
      json.dropFirst().first?.firstMatch(of: /"action":"resume".*"bytes_done":([0-9]+),"size":6000001/)
    ).1
    #expect(
      try lines("--no-resume", "-d", "t", server.url("/medium")) == [
        "medium: fetch: starting over, as asked"
      ])
    #expect(chmod(place.directory.path("t/medium.swiftget-part"), 0o666) == 0)
    #expect(
      try lines("-d", "t", server.url("/medium")) == [
        "medium: fetch: starting over: other users could write to the part file"
      ])
    #expect(chmod(place.directory.path("t/medium.swiftget-part"), 0o600) == 0)
    let result = try place.run("-v", "-d", "t", server.url("/medium"))
    #expect(result.status == 0 && result.errorText.contains("resuming after \(done) bytes"), "\(result.told)")
    #expect(place.holds("t/medium", mediumFile))
  }

  @Test func `refuses what the run would refuse beside the target`() throws {
    try place.directory.makeDirectory("t")
    try place.directory.write("t/a.swiftget", "mine")
    try place.directory.write("t/b.swiftget-part", "mine")
    for name in ["a", "b"] {
      let told = try lines("-d", "t", "-o", name, server.url("/a"), status: 3)
      #expect(told.count == 1 && told[0].hasPrefix("\(name): refuse: "), "\(told)")
      let result = try place.run("-d", "t", "-o", name, server.url("/a"))
      #expect(result.status == 3)
    }
    #expect(chmod(place.directory.path("t"), 0o700) == 0)
    try place.directory.write("t/c.swiftget", String(repeating: "x", count: 9000))
    #expect(try lines("-d", "t", "-o", "c", server.url("/a"), status: 3)[0].hasPrefix("c: refuse: "))
  }

  @Test func `uses no network and is done alone`() throws {
    for arguments in [
      ["-i", server.url("/a")], ["--check", server.url("/a")],
    ] {
      #expect(try place.run(place.invocation(["--dry-run"] + arguments)).status == 2, "\(arguments)")
    }
    // It tries the command line of a download.
    let records = ["--lock", "l", "--failed", "f", "--report", "r", "--on-exit", "touch x"]
    #expect(try place.run(place.invocation(["--dry-run"] + records + [server.url("/a")])).status == 0)
    #expect(["l", "f", "r", "x"].allSatisfy { !fileExists(place.directory.path($0)) })
    try list([server.url("/a"), "nonsense"])
    #expect(try lines("--keep-going", "-i", "list", status: 2) == ["a: fetch"])
    #expect(try lines("--keep-going", "--shard", "1/2", "-i", "list", status: 2).count < 2)
    #expect(requestCount.withLock { $0 } == 0)
  }
}
