import Glibc
import TestSupport
import Testing

/// `swiftget ctl add`.
@Suite(.waiting) struct `Adding from the shell` {
  private let rig: SessionWorkplace

  init() throws { rig = try SessionWorkplace() }

  /// Lines of tasks: number, id, name.
  private func rows(_ result: ProgramResult) -> [[String]] {
    result.outputText.split(separator: "\n").dropFirst()
      .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }

  @Test func `without a process the session keeps the files, and nothing begins`() throws {
    let added = try rig.ctl(
      "add", "--paused", "--group", "late", "--priority", "7", "-d", "data", rig.server.url("/a"), rig.server.url("/b"))
    #expect(added.status == 0 && added.outputText.hasPrefix("added 2 tasks\n"), "\(added.told)")
    #expect(rows(added).map { $0[0] } == ["1", "2"] && rows(added).map { $0[2] } == ["a", "b"], "\(added.told)")
    #expect(added.errorText.contains("no process works on session night"))
    #expect(added.errorText.contains("swiftget serve -S night"))
    let list = try rig.ctl("list", "--fields=id,state,group,priority,path").outputText
    for row in rows(added) {
      #expect(list.contains("\(row[1])\tpaused\tlate\t7\t\(rig.place.directory.path("data/\(row[2])"))"), "\(list)")
    }
    #expect(rig.server.requests.isEmpty && rig.place.names.isEmpty)
  }

  @Test func `the same files again are the same tasks`() throws {
    let first = try rig.ctl("add", rig.server.url("/a"), rig.server.url("/b"))
    let again = try rig.ctl("add", rig.server.url("/b"), rig.server.url("/c"))
    #expect(again.status == 0 && again.outputText.hasPrefix("added 1 task; 1 as before\n"), "\(again.told)")
    #expect(rows(again)[0] == rows(first)[1] && rows(again)[1][0] == "3", "\(again.told)")
  }

  @Test func `files that the session has keep what they have, and that is told`() throws {
    #expect(try rig.ctl("add", rig.server.url("/a"), rig.server.url("/b")).status == 0)
    #expect(try rig.ctl("cancel", "1").status == 0)
    let again = try rig.ctl("add", "--priority", "3", rig.server.url("/a"), rig.server.url("/b"), rig.server.url("/c"))
    #expect(again.outputText.hasPrefix("added 1 task; 1 begun again; 1 as before\n"), "\(again.told)")
    #expect(again.errorText.contains("2 tasks keep their priority\n"), "\(again.told)")
    let other = try rig.ctl("add", "--group", "late", "-t", "2", rig.server.url("/b"))
    #expect(other.errorText.contains("task 2 keeps its group and settings\n"), "\(other.told)")
    #expect(
      try rig.ctl("list", "--fields=state,priority,group").outputText.hasSuffix(
        "waiting\t0\tmain\nwaiting\t0\tmain\nwaiting\t3\tmain\n"))
  }

  @Test func `why nothing begins is told`() throws {
    #expect(try rig.ctl("add", rig.server.url("/slow")).status == 0)
    #expect(try rig.ctl("show", "1").outputText.contains("waiting: for a process that works on the session"))
    #expect(try rig.ctl("pause", "@all").status == 0)
    let service = try rig.serve()
    let paused = try rig.ctl("add", rig.server.url("/a"))
    #expect(paused.errorText.contains("session night is paused, so nothing begins\n"), "\(paused.told)")
    #expect(paused.errorText.contains("swiftget ctl -S night resume @all"), "\(paused.told)")
    #expect(try rig.ctl("resume", "@all").status == 0 && rig.ctl("pause", "group:late").status == 0)
    let late = try rig.ctl("add", "--group", "late", rig.server.url("/b"))
    #expect(late.errorText.contains("group late is paused"), "\(late.told)")
    let runs = try rig.ctl("add", rig.server.url("/c"))
    #expect(runs.errorText.isEmpty, "\(runs.told)")
    #expect(try rig.ctl("wait", "1", "2", "4").status == 0)
    rig.stop(service)
  }

  @Test func `files of a list are added, and a process begins them`() throws {
    try rig.place.directory.write("list", "\(rig.server.url("/a"))\n\(rig.server.url("/b"))\n out=renamed\n")
    let service = try rig.serve()
    let added = try rig.ctl("add", "-i", "list", "-d", "data", "--user-agent", "adder/1")
    #expect(added.status == 0 && rows(added).count == 2, "\(added.told)")
    #expect(!added.errorText.contains("no process"), "\(added.told)")
    #expect(try rig.ctl("wait", "@all").status == 0)
    #expect(rig.place.directory.names(in: "data") == ["a", "renamed"])
    #expect(rig.server.requests.allSatisfy { $0.header("User-Agent") == "adder/1" })
    rig.stop(service)
  }

  @Test func `a file whose target another task has is refused, and the others are added`() throws {
    #expect(try rig.ctl("add", "-o", "x", rig.server.url("/a")).status == 0)
    try rig.place.directory.write("list", "\(rig.server.url("/b"))\n out=x\n\(rig.server.url("/c"))\n")
    let added = try rig.ctl("add", "-i", "list")
    #expect(added.status == 1 && added.errorText.contains("x: "), "\(added.told)")
    #expect(rows(added).map { $0[2] } == ["c"], "\(added.told)")
  }

  private func mode(of name: String) throws -> Int {
    var status = stat()
    try #require(stat(rig.place.directory.path(name), &status) == 0)
    return Int(status.st_mode & 0o777)
  }

  /// Runs `ctl add` in a shell.
  private func addInShell(_ before: String, _ words: String) throws -> ProgramResult {
    var invocation = ProgramInvocation(
      "/bin/sh", ["-c", "\(before); exec '\(try swiftgetPath())' ctl -S night add \(words)"])
    invocation.directory = rig.place.directory.path
    invocation.environment["XDG_STATE_HOME"] = rig.home.path
    return try rig.place.run(invocation)
  }

  @Test func `new files have the rights of the shell that adds them, also after a restart`() throws {
    // The process of the tests has one umask, as that of the session.
    let service = try rig.serve()
    let slow = rig.server.url("/slow")
    #expect(try addInShell("umask 077", "-d private \(rig.server.url("/a")) \(slow)").status == 0)
    #expect(try addInShell("umask 0", "-d public \(rig.server.url("/a")) \(slow)").status == 0)
    #expect(try addInShell("umask 027", "--paused -d later \(rig.server.url("/a")) \(slow)").status == 0)
    #expect(try rig.ctl("wait", "./private/*", "./public/*").status == 0)
    rig.stop(service)
    let next = try rig.serve()
    #expect(try rig.ctl("resume", "./later/*").status == 0 && rig.ctl("wait", "@all").status == 0)
    rig.stop(next)
    for (directory, expected) in [("private", 0o600), ("public", 0o666), ("later", 0o640)] {
      for name in ["a", "slow"] {
        #expect(try mode(of: "\(directory)/\(name)") == expected, "\(directory)/\(name)")
      }
    }
  }

  @Test func `files come by the proxy of the shell that adds them`() throws {
    let proxy = try ScriptedServer { request in
      [.respond(200, body: Array("by the proxy: \(request.target)".utf8))]
    }
    let service = try rig.serve()
    let url = "http://127.0.0.1:\(proxy.port)"
    #expect(try addInShell("export http_proxy=\(url)", "-o variable \(rig.server.url("/a"))").status == 0)
    #expect(
      try addInShell("export all_proxy=\(url) no_proxy=127.0.0.1", "-o direct \(rig.server.url("/a"))").status == 0)
    #expect(try addInShell("export http_proxy=\(url)", "--no-proxy -o none \(rig.server.url("/a"))").status == 0)
    #expect(try rig.ctl("wait", "@all").status == 0)
    rig.stop(service)
    #expect(try rig.place.text("variable") == "by the proxy: \(rig.server.url("/a"))")
    #expect(
      try rig.place.text("direct") == "the first file\n" && rig.place.text("none") == "the first file\n"
        && proxy.requests.count == 1)
  }

  @Test func `secrets are not stored, and that is said`() throws {
    let added = try rig.ctl("add", "-u", "me:pass-w0rd", rig.server.url("/a"))
    #expect(added.status == 0 && added.errorText.contains("are not stored"), "\(added.told)")
    for name in rig.home.names(in: "swiftget/night") {
      #expect(!(try rig.home.read("swiftget/night/\(name)")).contains("pass-w0rd".utf8), "\(name)")
    }
  }

  @Test func `wrong command lines are refused, and make no session`() throws {
    for words in [
      ["add"], ["add", "--bogus", "x"], ["add", "--background", "http://h/x"], ["add", "-j", "2", "http://h/x"],
    ] {
      let result = try rig.place.run(rig.invocation(["ctl", "-S", "night"] + words))
      #expect(result.status == 2, "\(words): \(result.told)")
    }
    #expect(try rig.ctl("status").status == 4)
  }
}
