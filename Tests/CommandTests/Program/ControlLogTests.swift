import Glibc
import TestSupport
import Testing

/// `swiftget ctl log`.
@Suite(.waiting) struct `The log of a session` {
  private let rig: SessionWorkplace

  init() throws { rig = try SessionWorkplace() }

  /// Fields of lines: number, time, state, path, reason.
  private func rows(_ text: String) -> [[String]] {
    text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }

  private func names(_ text: String) -> [String] {
    rows(text).map { row in row.count > 3 ? "\(row[2]) \(row[3].split(separator: "/").last ?? "")" : "\(row)" }
  }

  /// One file after the other, so that the order is known.
  private func fetch(_ names: [String]) throws {
    for name in names { _ = try rig.run("-S", "night", "--tries", "1", rig.server.url("/\(name)")) }
  }

  @Test func `ends stand in their order, with a reason, whether or not a process works on the session`() throws {
    try fetch(["b", "missing", "a"])
    let expected = ["succeeded b", "failed missing", "succeeded a"]
    let idle = try rig.ctl("log")
    #expect(idle.status == 0 && names(idle.outputText) == expected, "\(idle.told)")
    let service = try rig.serve()
    let log = try rig.ctl("log")
    #expect(log.outputText == idle.outputText, "\(log.told)")
    rig.stop(service)
    let numbers = rows(log.outputText).compactMap { Int($0[0]) }
    #expect(numbers.count == 3 && numbers == numbers.sorted())
    #expect(rows(log.outputText)[1][4].contains("404"), "\(log.told)")
    #expect(names(try rig.ctl("log", "state:succeeded").outputText) == ["succeeded b", "succeeded a"])
    #expect(names(try rig.ctl("log", "--since", "\(numbers[0])").outputText) == Array(expected[1...]))
    #expect(names(try rig.ctl("log", "--since", "1h").outputText) == expected)
    #expect(try rig.ctl("log", "--since", "2999-01-01").outputText.isEmpty)
    #expect(names(try rig.ctl("log", "--since", rows(log.outputText)[2][1]).outputText) == ["succeeded a"])
    #expect(try rig.ctl("log", "--since", "soon").status == 2)
    let json = try rig.ctl("log", "--json").outputText.split(separator: "\n")
    #expect(json.count == 3 && json[1].contains(#""seq":\#(numbers[1])"#) && json[1].contains(#""state":"failed""#))
  }

  @Test func `it follows a session over restarts of the process, and no end is missing or told twice`() throws {
    try fetch(["a"])
    let log = try rig.start("ctl", "-S", "night", "log", "-f")
    #expect(eventually { log.errorSoFar.contains("no process works on session night") })
    #expect(names(log.outputSoFar) == ["succeeded a"])
    let first = try rig.serve()
    #expect(try rig.ctl("add", rig.server.url("/b")).status == 0)
    #expect(eventually { names(log.outputSoFar).contains("succeeded b") }, "\(log.outputSoFar)")
    first.kill(SIGKILL)
    _ = first.wait()
    // It ends before the log has found this process.
    try fetch(["missing"])
    let second = try rig.serve()
    #expect(try rig.ctl("add", rig.server.url("/c")).status == 0)
    #expect(eventually { names(log.outputSoFar).contains("succeeded c") }, "\(log.outputSoFar)")
    #expect(names(log.outputSoFar) == ["succeeded a", "succeeded b", "failed missing", "succeeded c"])
    rig.stop(second)
    log.kill(SIGINT)
    #expect(log.wait().signal == SIGINT || log.wait().status == 130)
  }

  @Test func `a selector holds for the ends to come`() throws {
    let service = try rig.serve()
    let log = try rig.start("ctl", "-S", "night", "log", "-f", "group:late")
    #expect(try rig.ctl("add", rig.server.url("/a")).status == 0)
    #expect(try rig.ctl("wait", "@all").status == 0)
    #expect(try rig.ctl("add", "--group", "late", rig.server.url("/b")).status == 0)
    #expect(eventually { !log.outputSoFar.isEmpty })
    #expect(try rig.ctl("add", "--group", "late", rig.server.url("/c")).status == 0)
    #expect(eventually { names(log.outputSoFar) == ["succeeded b", "succeeded c"] }, "\(log.outputSoFar)")
    log.kill(SIGKILL)
    _ = log.wait()
    rig.stop(service)
  }

  @Test func `without a session it fails`() throws { #expect(try rig.ctl("log").status == 4) }

  @Test func `a service tells of files that fail, and show says when a task tries again and what helps`() throws {
    let service = try rig.serve()
    let closed = "http://127.0.0.1:\(try LoopbackSocket.freePort())/x"
    let added = try rig.ctl("add", "-t", "1", rig.server.url("/missing"), rig.server.url("/a"))
    #expect(added.status == 0, "\(added.told)")
    #expect(try rig.ctl("add", closed).status == 0)
    #expect(eventually { service.errorSoFar.contains("/missing: ") && service.errorSoFar.contains("404") })
    let cause = ", after: connection refused"
    #expect(eventually { (try? rig.ctl("show", "3").outputText.contains(cause)) == true })
    let failed = try rig.ctl("show", "1").outputText
    #expect(failed.contains("swiftget ctl -S night retry 1"), "\(failed)")
    #expect(try rig.ctl("list", "running").errorText.contains("state:running"))
    rig.stop(service)
    #expect(!service.errorSoFar.contains("/a: "))
  }
}
