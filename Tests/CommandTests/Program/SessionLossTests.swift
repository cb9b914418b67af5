import Foundation
import Glibc
import TestSupport
import Testing

/// Sessions whose files were damaged, and sessions that share what they should not.
@Suite(.waiting) struct `What a session may lose` {
  private let rig: SessionWorkplace

  init() throws { rig = try SessionWorkplace() }

  private var database: String { "swiftget/night/session.db" }

  @Test func `a task that cannot be read is missed aloud, and the others are done`() throws {
    #expect(try rig.ctl("add", rig.server.url("/a"), rig.server.url("/b")).status == 0)
    var bytes = try rig.home.read(database)
    // The row has a checksum.
    let place = try #require(bytes.firstRange(of: Array(rig.server.url("/b").utf8)))
    bytes[place.upperBound - 1] = UInt8(ascii: "c")
    try rig.home.write(database, bytes)
    let list = try rig.ctl("list", "--fields=number")
    #expect(list.status == 0 && list.outputText == "number\n1\n", "\(list.told)")
    #expect(list.errorText.contains("warning: session night: 1 task could not be read"), "\(list.told)")
    // Told once: it is not in the way any more.
    #expect(try rig.ctl("list").errorText.isEmpty)
    #expect(try rig.run("-S", "night").status == 0 && rig.place.names == ["a"])
  }

  @Test func `a database of no bytes is set aside, and that is said until somebody removes it`() throws {
    #expect(try rig.ctl("add", rig.server.url("/a")).status == 0)
    try rig.home.write(database, [])
    let first = try rig.ctl("list")
    #expect(first.status == 3 && first.errorText.contains("is damaged, and was set aside as"), "\(first.told)")
    let aside = try #require(rig.home.names(in: "swiftget/night").first { $0.contains("damaged") })
    let second = try rig.ctl("list")
    #expect(second.status == 4 && second.errorText.contains("/night/\(aside)"), "\(second.told)")
    let run = try rig.run("-S", "night", rig.server.url("/b"))
    #expect(run.status == 0 && run.errorText.contains("warning: session night: an earlier database"), "\(run.told)")
    #expect(run.errorText.contains(aside) && rig.place.names == ["b"], "\(run.told)")
    let service = try rig.serve()
    #expect(service.errorSoFar.contains("an earlier database was damaged"))
    #expect(try rig.ctl("show").outputText.contains("lost          an earlier database"))
    rig.stop(service)
    #expect(unlink(rig.home.path("swiftget/night/\(aside)")) == 0)
    let again = try rig.ctl("show")
    #expect(again.errorText.isEmpty && !again.outputText.contains("lost"), "\(again.told)")
  }

  /// A command with a runtime directory that several homes share.
  private func words(_ arguments: [String], in home: String) throws -> ProgramInvocation {
    var invocation = try rig.invocation(arguments)
    invocation.environment["XDG_STATE_HOME"] = rig.home.path(home)
    invocation.environment["XDG_RUNTIME_DIR"] = rig.home.path("run")
    return invocation
  }

  @Test func `sessions of one name in two homes do not meet at one socket`() throws {
    for name in ["run", "one", "two"] { #expect(mkdir(rig.home.path(name), 0o700) == 0) }
    func ctl(_ arguments: String..., in home: String) throws -> ProgramResult {
      try rig.place.run(words(["ctl", "-S", "night"] + arguments, in: home))
    }
    let first = try SpawnedProgram(words(["serve", "-S", "night"], in: "one"))
    #expect(eventually { first.errorSoFar.contains("works on session night") })
    // Without a process of its own it does not take the other one.
    let added = try ctl("add", rig.server.url("/b"), in: "two")
    #expect(added.status == 0 && added.errorText.contains("no process works"), "\(added.told)")
    #expect(try ctl("list", in: "one").outputText.split(separator: "\n").count == 1)
    let second = try SpawnedProgram(words(["serve", "-S", "night"], in: "two"))
    #expect(eventually { second.errorSoFar.contains("works on session night") })
    let sockets = rig.home.names(in: "run/swiftget")
    #expect(sockets.count == 2 && sockets.contains("night.sock"), "\(sockets)")
    #expect(try ctl("add", rig.server.url("/a"), in: "one").status == 0)
    for (home, path) in [("one", "a"), ("two", "b")] {
      #expect(try ctl("wait", "*", in: home).status == 0)
      let list = try ctl("list", "--fields=path", in: home)
      #expect(list.outputText == "path\n\(rig.place.directory.path(path))\n", "\(home) \(list.told)")
    }
    for process in [first, second] { rig.stop(process) }
    #expect(rig.home.names(in: "run/swiftget").isEmpty)
  }

  @Test func `a session is reached after the directory of its socket is gone`() throws {
    #expect(mkdir(rig.home.path("run"), 0o700) == 0)
    let service = try SpawnedProgram(words(["serve", "-S", "night"], in: "one"))
    #expect(eventually { service.errorSoFar.contains("works on session night") })
    // A log-out.
    #expect(rename(rig.home.path("run"), rig.home.path("gone")) == 0)
    #expect(unlink(rig.home.path("gone/swiftget/night.sock")) == 0)
    let added = try rig.place.run(words(["ctl", "-S", "night", "add", rig.server.url("/a")], in: "one"))
    #expect(added.status == 0 && !added.errorText.contains("no process"), "\(added.told)")
    #expect(try rig.place.run(words(["ctl", "-S", "night", "wait", "*"], in: "one")).status == 0)
    rig.stop(service)
    #expect(rig.place.names == ["a"] && !rig.home.names(in: "one/swiftget/night").contains("session.sock"))
  }

  @Test func `two sessions and a run without one share a file`() throws {
    try rig.place.directory.write("list", "\(rig.server.url("/slow"))\n")
    let programs = try [["-S", "night"], ["-S", "day"], ["--lock-wait", "60s"]].map { options in
      try SpawnedProgram(rig.invocation(options + ["-q", "-i", "list"]))
    }
    for program in programs { #expect(program.wait().status == 0, "\(program.errorSoFar)") }
    #expect(rig.place.holds("slow", longerMediumFile))
    #expect(rig.place.names == ["list", "slow"])
  }

  @Test(arguments: [nil, "user.slice", "linger", "systemd"])
  func `a run in the background says if a log-out may end it`(missing: String?) throws {
    let root = try TemporaryDirectory()
    let user = String(cString: try #require(getpwuid(geteuid())).pointee.pw_name)
    for path in ["proc/self", "run/systemd/system", "var/lib/systemd/linger"]
    where missing != "systemd" || path != "run/systemd/system" {
      try FileManager.default.createDirectory(atPath: root.path(path), withIntermediateDirectories: true)
    }
    let slice = missing == "user.slice" ? "system.slice/cron.service" : "user.slice/user-1000.slice/session-3.scope"
    try root.write("proc/self/cgroup", "0::/\(slice)\n")
    if missing == "linger" { try root.write("var/lib/systemd/linger/\(user)", "") }
    var invocation = try rig.invocation(["-S", "night", "--background", rig.server.url("/a")])
    invocation.environment["SWIFTGET_SYSTEM_ROOT"] = root.path
    let result = try rig.place.run(invocation)
    #expect(result.status == 0 && result.errorText.contains("1 file in session night"), "\(result.told)")
    #expect(result.errorText.contains("lingering is off") == (missing == nil), "\(result.told)")
    #expect(try rig.ctl("wait", "*").status == 0)
  }

  @Test func `a wait continues with the next process, and ends without one`() throws {
    #expect(try rig.ctl("add", rig.server.url("/a")).status == 0)
    #expect(try rig.ctl("pause", "@all").status == 0)
    let first = try rig.serve()
    let waits = try rig.start("ctl", "-S", "night", "wait", "1")
    // It has begun to wait when it is connected.
    usleep(300_000)
    first.kill(SIGKILL)
    _ = first.wait()
    let second = try rig.serve()
    #expect(try rig.ctl("resume", "@all").status == 0)
    #expect(waits.wait().status == 0, "\(waits.errorSoFar)")
    #expect(try rig.ctl("add", "--paused", rig.server.url("/b")).status == 0)
    let last = try rig.start("ctl", "-S", "night", "wait", "2")
    usleep(300_000)
    second.kill(SIGKILL)
    _ = second.wait()
    #expect(last.wait().status == 3 && last.errorSoFar.contains("swiftget serve"), "\(last.errorSoFar)")
  }

  @Test func `a finished file that somebody changed is kept, and one that is gone is fetched again`() throws {
    let service = try rig.serve()
    #expect(try rig.ctl("add", rig.server.url("/a")).status == 0 && rig.ctl("wait", "*").status == 0)
    for text in ["short", "a file of another program, longer than before"] {
      try rig.place.directory.write("a", text)
      #expect(try rig.ctl("resume", "1").status == 0)
      let ended = try rig.ctl("wait", "*")
      #expect(ended.status == 9 && rig.place.names == ["a"], "\(ended.told)")
      #expect(try rig.place.text("a") == text)
    }
    unlink(rig.place.directory.path("a"))
    #expect(try rig.ctl("retry", "1").status == 0 && rig.ctl("wait", "*").status == 0)
    #expect(try rig.place.text("a") == "the first file\n")
    rig.stop(service)
  }

  @Test func `limits beyond their range are refused, and nothing changes`() throws {
    #expect(try rig.ctl("add", rig.server.url("/a")).status == 0)
    for words in [["limit", "jobs=99999999999999"], ["limit", "connections=0"], ["set", "1", "connections=65"]] {
      let result = try rig.place.run(rig.invocation(["ctl", "-S", "night"] + words))
      #expect(result.status != 0 && !result.errorText.isEmpty, "\(words) \(result.told)")
    }
    #expect(try rig.ctl("limit").outputText == "session night: no limits\n")
  }

  @Test func `what completions ask makes no session and starts nothing`() throws {
    let result = try rig.ctl("list", "--selectors")
    #expect(result.status == 4 && rig.home.names(in: ".").isEmpty, "\(result.told)")
    #expect(try rig.run("ctl", "sessions", "--names").outputText.isEmpty && rig.home.names(in: ".").isEmpty)
  }
}
