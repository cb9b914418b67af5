import Glibc
import TestSupport
import Testing

/// `swiftget ctl watch`, and the bars of runs with a session, in tmux.
@Suite(.serialized, .waiting) struct `Watching a session` {
  private let rig: SessionWorkplace

  init() throws {
    rig = try SessionWorkplace()
    // It takes minutes to send /slow.
    rig.service.change { $0.bytesPerSecondOfServer = 30_000 }
  }

  private func add(_ words: String...) throws {
    let result = try rig.place.run(rig.invocation(["ctl", "-S", "night", "add", "--connections", "1"] + words))
    #expect(result.status == 0, "\(result.told)")
  }

  /// A shell in which the session is watched.
  private func watch(columns: Int, rows: Int = 24) throws -> Tmux {
    let screen = try Tmux.shell("/bin/dash -i", columns: columns, rows: rows)
    screen.type(try rig.command("ctl", "-S", "night", "watch"))
    #expect(eventually { screen.screen.first?.hasPrefix("night") == true }, "\(screen.screen)")
    return screen
  }

  private func shows(_ screen: Tmux, _ text: String) -> Bool { screen.screen.contains { $0.contains(text) } }

  /// The line of a file in the list.
  private func row(_ screen: Tmux, _ name: String) -> String {
    screen.screen.dropFirst(2).first { $0.contains(name) && !$0.contains("file ") } ?? ""
  }

  @Test func `it shows a working session at every width, and leaving ends nothing`() throws {
    let service = try rig.serve()
    try add(rig.server.url("/slow"), rig.server.url("/a"), rig.server.url("/missing"))
    let screen = try watch(columns: 120)
    #expect(eventually { shows(screen, "running") && shows(screen, "succeeded  100%") }, "\(screen.screen)")
    #expect(
      eventually { shows(screen, "hosts:") && shows(screen, "██") && shows(screen, "failed missing") },
      "\(screen.screen)")
    #expect(!screen.isCooked)
    for (columns, hasPanel) in [(80, false), (40, false), (200, true), (100, true)] {
      screen.resize(columns: columns, rows: 24)
      #expect(
        eventually { shows(screen, "hosts:") == hasPanel && shows(screen, "slow") }, "\(columns): \(screen.screen)")
    }
    screen.press("?")
    #expect(eventually { shows(screen, "pause or resume the session") }, "\(screen.screen)")
    screen.press("?")
    screen.press("p")
    // The key means what the screen shows.
    #expect(eventually { row(screen, "slow").contains("paused") }, "\(screen.screen)")
    #expect(try rig.ctl("list", "--fields=state", "slow").outputText.contains("paused"))
    screen.press("p")
    #expect(eventually { row(screen, "slow").contains("running") }, "\(screen.screen)")
    screen.press("C-z")
    #expect(eventually { screen.hasShellScreen && screen.isCooked && shows(screen, "Stopped") }, "\(screen.screen)")
    screen.type("fg")
    #expect(eventually { !screen.hasShellScreen && !screen.isCooked && shows(screen, "slow") }, "\(screen.screen)")
    screen.press("q")
    #expect(eventually { screen.hasShellScreen && screen.isCooked }, "\(screen.screen)")
    screen.type("echo status-$?")
    #expect(eventually { shows(screen, "status-0") }, "\(screen.screen)")
    #expect(try rig.ctl("status").outputText.contains("1 running"))
    let again = try watch(columns: 100)
    #expect(eventually { row(again, "slow").contains("running") }, "\(again.screen)")
    again.press("c")
    #expect(eventually { shows(again, "press c again to cancel file 1") }, "\(again.screen)")
    again.press("c")
    #expect(eventually { row(again, "slow").contains("cancelled") }, "\(again.screen)")
    again.press("q")
    rig.stop(service)
  }

  @Test func `if the process is killed it shows what is stored, and continues with the next one`() throws {
    let service = try rig.serve()
    try add(rig.server.url("/slow"))
    let screen = try watch(columns: 80)
    #expect(eventually { shows(screen, "running") }, "\(screen.screen)")
    service.kill(SIGKILL)
    _ = service.wait()
    #expect(eventually { shows(screen, "no process works on the session") }, "\(screen.screen)")
    #expect(eventually { shows(screen, "waiting") && shows(screen, "slow") }, "\(screen.screen)")
    let next = try rig.serve()
    #expect(eventually { !shows(screen, "no process") && shows(screen, "running  ") }, "\(screen.screen)")
    // A signal ends it as q does.
    kill(try #require(screen.child), SIGTERM)
    #expect(eventually { screen.hasShellScreen && screen.isCooked }, "\(screen.screen)")
    rig.stop(next)
  }

  @Test func `a process that hangs holds up no key`() throws {
    let service = try rig.serve()
    try add(rig.server.url("/slow"))
    let screen = try watch(columns: 80)
    #expect(eventually { shows(screen, "running") }, "\(screen.screen)")
    service.kill(SIGSTOP)
    screen.press("p")
    screen.press("?")
    #expect(eventually { shows(screen, "pause or resume the session") }, "\(screen.screen)")
    screen.press("q")
    #expect(eventually { screen.hasShellScreen && screen.isCooked }, "\(screen.screen)")
    service.kill(SIGCONT)
    rig.stop(service)
  }

  @Test func `without a terminal it prints lines, without control characters`() throws {
    let service = try rig.serve()
    let watch = try rig.start("ctl", "-S", "night", "watch")
    #expect(eventually { watch.outputSoFar.contains("night: 0 files") }, "\(watch.outputSoFar)")
    try add(rig.server.url("/a"))
    #expect(eventually { watch.outputSoFar.contains("1 succeeded a") }, "\(watch.outputSoFar)")
    #expect(eventually { watch.outputSoFar.contains("night: 1 file: 1 succeeded") }, "\(watch.outputSoFar)")
    #expect(watch.outputSoFar.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0a })
    watch.kill(SIGKILL)
    _ = watch.wait()
    rig.stop(service)
    #expect(try rig.place.run(rig.invocation(["ctl", "-S", "none", "watch"])).status == 4)
  }

  @Test func `runs with a session have bars, their own and joined ones`() throws {
    let own = try Tmux.shell("/bin/dash -i", columns: 100, rows: 24)
    own.type(try rig.command("-S", "night", "--connections", "1", rig.server.url("/slow"), rig.server.url("/a")))
    func bars(_ screen: Tmux) -> Bool { screen.lines.contains { $0.hasPrefix("slow ") && $0.contains("▕██") } }
    #expect(eventually { bars(own) && own.lines.contains { $0.hasPrefix("swiftget: a: ") } }, "\(own.lines)")
    let joined = try Tmux.shell("/bin/dash -i", columns: 100, rows: 24)
    joined.type(try rig.command("-S", "night", rig.server.url("/slow")))
    #expect(eventually { bars(joined) }, "\(joined.lines)")
    joined.press("C-c")
    #expect(eventually { joined.lines.contains { $0.contains("continues with session night") } }, "\(joined.lines)")
    #expect(!bars(joined) && joined.hasShellScreen, "\(joined.lines)")
    own.press("C-c")
    #expect(eventually { own.lines.contains { $0.contains("keeps what is unfinished") } }, "\(own.lines)")
    #expect(!bars(own), "\(own.lines)")
  }
}
