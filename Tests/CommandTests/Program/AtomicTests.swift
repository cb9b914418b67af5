import Glibc
import TestSupport
import Testing

/// `--atomic`.
@Suite(.waiting) struct `Files that appear together` {
  private let place: Workplace
  private let service: FileService
  private let server: ScriptedServer
  private static let old = ["a": "old a", "b": "same", "mine": "mine"]
  private static let new = ["a": "new a", "b": "same", "c": "new c", "d/e": "new e", "mine": "mine"]

  init() throws {
    place = try Workplace()
    service = FileService([
      "/a": .text("new a"), "/b": .text("same"), "/c": .text("new c"), "/d/e": .text("new e"), "/later/f": .text("f"),
      "/slow": mediumFile,
    ])
    server = try ScriptedServer(service)
    var list = ""
    for (name, text) in Self.new where name != "mine" { list += "\(try Content.text(text).hexDigest())  \(name)\n" }
    try place.directory.write("list", list)
    try makeOld()
  }

  private func makeOld() throws {
    try place.directory.makeDirectory("set")
    for (name, text) in Self.old { try place.directory.write("set/\(name)", text) }
  }

  private var arguments: [String] { ["--atomic", "-d", "set", "-i", "list", "--base-url", server.url("/")] }

  private func run(_ more: String...) throws -> ProgramResult { try place.run(place.invocation(arguments + more)) }

  private func files(_ directory: String = "set") -> [String: String] {
    var found: [String: String] = [:]
    for name in place.directory.names(in: directory) {
      if let text = try? place.text("\(directory)/\(name)") {
        found[name] = text
      } else {
        for (inner, text) in files("\(directory)/\(name)") { found["\(name)/\(inner)"] = text }
      }
    }
    return found
  }

  @Test func `replace the directory when all are there`() throws {
    let result = try run()
    #expect(result.status == 0 && files() == Self.new && place.names == ["list", "set"], "\(result.told)")
    #expect(result.errorText.contains("published: set has the new set"))
    // What was right was not downloaded.
    #expect(!server.requests.contains { $0.target == "/b" })
    let count = server.requests.count
    let again = try run("--changed-exit", "10")
    #expect(again.status == 0 && server.requests.count == count && place.names == ["list", "set"], "\(again.told)")
  }

  @Test func `leave the directory with their list, where that is asked for`() throws {
    let cache = try TemporaryDirectory()
    func run(_ more: String...) throws -> ProgramResult {
      var invocation = try place.invocation(arguments + more)
      invocation.environment["XDG_CACHE_HOME"] = cache.path
      return try place.run(invocation)
    }
    #expect(try run().status == 0 && files() == Self.new)
    try place.directory.write("set/x.swiftget-bad", "mine, too")
    let lines = try place.text("list").split(separator: "\n")
    try place.directory.write(
      "list", lines.filter { !$0.contains("c") || $0.hasSuffix("a") }.joined(separator: "\n") + "\n")
    let kept = try place.text("list").split(separator: "\n").map { String($0.dropFirst(66)) }
    let result = try run("--prune")
    #expect(result.status == 0, "\(result.told)")
    let expected = Self.new.filter { kept.contains($0.key) || $0.key == "mine" }
    #expect(expected.count < Self.new.count)
    #expect(files() == expected.merging(["x.swiftget-bad": "mine, too"]) { $1 }, "\(result.told)")
    #expect(try run("--prune", "--shard", "1/2").status == 2)
    #expect(try place.run("--prune", "-i", "list", "--base-url", server.url("/")).status == 2)
  }

  @Test func `do not appear if one fails, and the next run goes on`() throws {
    try place.directory.write("list", try place.text("list") + "\(try Content.text("f").hexDigest())  f\n")
    let result = try run("--report", "report", "--failed", "failed")
    #expect(result.status == 8 && files() == Self.old, "\(result.told)")
    #expect(result.errorText.contains("nothing is published: set is as it was before"))
    #expect(place.names == ["failed", "list", "report", "set", "set.swiftget-next"])
    #expect(try place.text("report").contains(#""status":8,"published":false,"#))
    let plan = try run("--dry-run")
    #expect(plan.outputText.contains("f: fetch") && plan.outputText.contains("a: skip"), "\(plan.outputText)")
    let count = server.requests.count
    service.change { $0.redirects = ["/f": "/later/f"] }
    let second = try run("--changed-exit", "10", "--report", "report")
    #expect(try place.text("report").contains(#""status":10,"published":true,"#))
    #expect(second.status == 10 && files() == Self.new.merging(["f": "f"]) { $1 }, "\(second.told)")
    #expect(server.requests.dropFirst(count).allSatisfy { $0.target.hasSuffix("/f") })
    #expect(place.names == ["failed", "list", "report", "set"])
  }

  /// Downloads a list of which one file is missing on the server, and leaves the others for the next run.
  private func fail() throws {
    service.change { $0.redirects = ["/c": "/absent"] }
    let failed = try run("--failed", "failed")
    #expect(failed.status == 8 && files() == Self.old, "\(failed.told)")
    #expect(files("set.swiftget-next/new") == ["a": "new a", "d/e": "new e"])
  }

  private func run(list: String, _ more: String...) throws -> ProgramResult {
    try place.run(place.invocation(["--atomic", "-d", "set", "-i", list, "--base-url", server.url("/")] + more))
  }

  @Test func `are those of one list, not of another one that failed`() throws {
    try fail()
    try place.directory.write("other", "\(server.url("/later/f"))\n")
    let other = try run(list: "other")
    #expect(other.status == 0 && files() == Self.old.merging(["f": "f"]) { $1 }, "\(other.told)")
    #expect(place.names == ["failed", "list", "other", "set"])
    service.change { $0.redirects = [:] }
    let result = try run()
    #expect(result.status == 0 && files() == Self.new.merging(["f": "f"]) { $1 }, "\(result.told)")
  }

  @Test func `are those of the whole list when what had failed is downloaded`() throws {
    try fail()
    // It fails once more.
    let again = try run(list: "failed", "--failed", "again")
    #expect(again.status == 8 && files() == Self.old, "\(again.told)")
    service.change { $0.redirects = [:] }
    let count = server.requests.count
    let result = try run(list: "again")
    #expect(result.status == 0 && files() == Self.new && server.requests.count == count + 1, "\(result.told)")
    #expect(place.names == ["again", "failed", "list", "set"])
  }

  @Test func `are not a part of a list after the list failed`() throws {
    try fail()
    let texts = try place.text("list").split(separator: "\n").map { $0 + "\n" }
    for name in ["a", "d/e"] {
      try place.directory.write("part", texts.filter { $0.hasSuffix(" \(name)\n") }.joined())
      let part = try run(list: "part")
      #expect(part.status == 2 && part.errorText.contains("unfinished set of set"), "\(part.told)")
      #expect(part.errorText.contains("remove set.swiftget-next to start over"))
      #expect(files("set.swiftget-next/new") == ["a": "new a", "d/e": "new e"])
    }
    // Without the dead line the list is another one, which has all that is there.
    try place.directory.write("part", texts.filter { !$0.hasSuffix(" c\n") }.joined())
    let count = server.requests.count
    let rest = try run(list: "part")
    var new = Self.new
    new["c"] = nil
    #expect(rest.status == 0 && files() == new && server.requests.count == count, "\(rest.told)")
  }

  @Test func `are those of one shard`() throws {
    func shard(_ number: Int, _ more: String...) throws -> ProgramResult {
      try place.run(place.invocation(arguments + ["--shard", "\(number)/2"] + more))
    }
    // The names of each shard.
    var names: [Set<String>] = []
    for number in 1...2 {
      let plan = try place.run(place.invocation(arguments.dropFirst() + ["--shard", "\(number)/2", "--dry-run"]))
      names.append(
        Set(plan.outputText.split(separator: "\n").compactMap { $0.split(separator: ":").first.map(String.init) }))
    }
    #expect(names.allSatisfy { $0.count > 0 } && names[0].union(names[1]) == ["a", "b", "c", "d/e"])
    let failing = names[0].contains("c") ? 1 : 2
    service.change { $0.redirects = ["/c": "/absent"] }
    #expect(try shard(failing).status == 8)
    #expect(try shard(3 - failing).status == 0)
    let expected = Self.new.filter { names[2 - failing].contains($0.key) || $0.key == "mine" }
    #expect(files() == Self.old.merging(expected) { $1 })
    service.change { $0.redirects = [:] }
    #expect(try shard(failing).status == 0 && files() == Self.new)
  }

  @Test func `are one set with what a run left that was killed, and not with files of an older version`() throws {
    // Without a record.
    try place.directory.makeDirectory("set.swiftget-next")
    try place.directory.makeDirectory("set.swiftget-next/new")
    try place.directory.write("set.swiftget-next/new/left", "left")
    try place.directory.write("set.swiftget-next/new/a", "new a")
    let result = try run()
    #expect(result.status == 0 && files() == Self.new, "\(result.told)")
    #expect(!server.requests.contains { $0.target == "/a" })
  }

  @Test func `do not appear after a signal, and leave nothing if there is nothing`() throws {
    try place.directory.write("list", "\(try mediumFile.hexDigest())  slow\n")
    service.change { $0.bytesPerSecondOfServer = 1_000_000 }
    let program = try SpawnedProgram(place.invocation(arguments))
    #expect(eventually { server.requests.contains { $0.target == "/slow" } })
    pause(seconds: 1.5)
    program.kill(SIGINT)
    let result = program.wait()
    #expect(result.status == 130 && files() == Self.old, "\(result.told)")
    #expect(place.names == ["list", "set", "set.swiftget-next"])
    service.change { $0.bytesPerSecondOfServer = nil }
    let second = try run()
    #expect(second.status == 0 && place.holds("set/slow", mediumFile), "\(second.told)")
    try place.directory.write("list", "\(try Content.text("f").hexDigest())  f\n")
    #expect(try run().status == 8)
    #expect(place.names == ["list", "set"])
  }

  @Test func `are the first ones in a new directory`() throws {
    let result = try place.run(
      "--atomic", "-d", "new/set", "-i", "list", "--base-url", server.url("/"), "--log", "log", "-q")
    #expect(result.status == 0 && result.errorText.isEmpty, "\(result.told)")
    #expect(files("new") == ["set/a": "new a", "set/b": "same", "set/c": "new c", "set/d/e": "new e"])
    #expect(try place.text("log").contains("published: new/set has the new set"))
  }

  @Test func `have hooks when others see them`() throws {
    try place.script("note", "printf '%s\\n' \"$(cat \"$SWIFTGET_PATH\")\" >> notes")
    let hooks = ["--on-complete", "./note", "--on-failure", "touch failed"]
    try place.directory.write("list", try place.text("list") + "\(try Content.text("f").hexDigest())  f\n")
    let first = try place.run(place.invocation(arguments + hooks))
    #expect(first.status == 8 && place.names.contains("failed") && !place.names.contains("notes"), "\(first.told)")
    service.change { $0.redirects = ["/f": "/later/f"] }
    let second = try place.run(place.invocation(arguments + hooks + ["--if-exists", "replace"]))
    #expect(second.status == 0, "\(second.told)")
    #expect(
      try Set(place.text("notes").split(separator: "\n")) == ["new a", "same", "new c", "new e", "f"], "\(second.told)")
  }

  @Test func `are those that the lock file names`() throws {
    let result = try run("--lock", "lock")
    #expect(result.status == 0, "\(result.told)")
    let frozen = try run("--frozen", "lock")
    #expect(frozen.status == 0 && files() == Self.new, "\(frozen.told)")
  }

  @Test func `belong to one run, for which others wait if they are asked to`() throws {
    service.change { $0.bytesPerSecondOfServer = 2_000_000 }
    try place.directory.write("slow", "\(try mediumFile.hexDigest())  slow\n")
    let first = try place.start("--atomic", "-d", "set", "-i", "slow", "--base-url", server.url("/"))
    #expect(eventually { server.requests.contains { $0.target == "/slow" } })
    let second = try run()
    #expect(second.status == 75 && second.errorText.contains("another run of swiftget"), "\(second.told)")
    let told = try run("--report", "report")
    #expect(try told.status == 75 && ReadReport(place.text("report")).items.allSatisfy { $0.outcome == "not_started" })
    unlink(place.directory.path("report"))
    let third = try run("--lock-wait", "50")
    #expect(first.wait().status == 0 && third.status == 0, "\(third.told)")
    try #require(unlink(place.directory.path("set/slow")) == 0)
    #expect(files() == Self.new && place.names == ["list", "set", "slow"])
  }

  @Test func `are waited for until a signal, the deadline or the end of the time`() throws {
    try place.directory.write("slow", "\(try mediumFile.hexDigest())  slow\n")
    service.change { $0.bytesPerSecondOfServer = 10_000 }
    let first = try place.start("--atomic", "-d", "set", "-i", "slow", "--base-url", server.url("/"))
    #expect(eventually { server.requests.contains { $0.target == "/slow" } })
    let late = try run("--lock-wait", "1000", "--deadline", "1")
    #expect(late.status == 75 && late.errorText.contains("the deadline of the run has passed"), "\(late.told)")
    let short = try run("--lock-wait", "1")
    #expect(short.status == 75 && short.errorText.contains("another run of swiftget prepares"), "\(short.told)")
    let last = try place.start(
      "--atomic", "-d", "set", "-i", "list", "--base-url", server.url("/"), "--lock-wait", "1000")
    #expect(eventually { last.errorSoFar.contains("waiting up to 16m40s for another run") }, "\(last.errorSoFar)")
    last.kill(SIGUSR1)
    #expect(eventually { last.errorSoFar.ranges(of: "waiting up to").count == 2 }, "\(last.errorSoFar)")
    last.kill(SIGINT)
    let result = last.wait()
    #expect(result.status == 130, "\(result.told)")
    first.kill()
    _ = first.wait()
    #expect(files() == Self.old)
  }

  @Test func `are in a directory that the run may replace`() throws {
    let url = server.url("/a")
    for (arguments, text) in [
      (["--atomic", url], "the working directory is in ."),
      (["--atomic", "-d", "..", url], "the working directory is in .."),
      (["--atomic", "-d", "set", "-o", "x", url], "--atomic contradicts --output"),
      (["--atomic", "-d", "set", "--check", "-i", "list"], "'--atomic' has no meaning with --check"),
      (["--atomic", "-d", "set", "-i", "elsewhere"], "outside of the one that --atomic publishes"),
    ] {
      try place.directory.write("elsewhere", "\(url)\n dir=/tmp/elsewhere\n")
      let result = try place.run(place.invocation(arguments))
      #expect(result.status == 2 && result.errorText.contains(text), "\(result.told)")
      #expect(files() == Self.old && !place.names.contains("set.swiftget-next"))
    }
  }

  /// Kills the run at each call that changes names, and looks at the directory.
  @Test func `are all old or all new whenever the run is killed`() throws {
    guard try runProgram("/usr/bin/strace", ["-qq", "-o", "/dev/null", "/bin/true"]).status == 0 else {
      return print("not run, for nothing may be traced here")
    }
    let calls = "linkat,renameat,renameat2,unlinkat,mkdirat,fsync,syncfs,fchmod"
    var seen: Set<String> = []
    var number = 0
    while true {
      number += 1
      let scratch = try `Files that appear together`()
      var invocation = try scratch.place.invocation(scratch.arguments)
      invocation.arguments =
        [
          "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e", "inject=\(calls):signal=KILL:when=\(number)",
          invocation.path,
        ] + invocation.arguments
      invocation.path = "/usr/bin/strace"
      invocation.environment["ASAN_OPTIONS"] = "detect_leaks=0"
      let result = try SpawnedProgram(invocation).wait()
      let found = scratch.files()
      #expect(found == Self.old || found == Self.new, "killed at call \(number): \(found)")
      seen.insert(found == Self.old ? "old" : "new")
      let second = try scratch.run()
      #expect(second.status == 0 && scratch.files() == Self.new, "after call \(number): \(second.told)")
      #expect(scratch.place.names == ["list", "set"], "after call \(number)")
      if result.signal == nil {
        #expect(result.status == 0, "\(result.told)")
        break
      }
    }
    #expect(number > 10 && seen == ["old", "new"], "\(number)")
  }
}
