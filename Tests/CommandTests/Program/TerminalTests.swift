import Glibc
import TestSupport
import Testing

/// The live display in tmux, whose scrollback shows what a frame leaves behind.
@Suite(.serialized, .waiting) struct `The display in tmux` {
  private let place: Workplace
  private let server: ScriptedServer

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(
      FileService([
        "/one.iso": mediumFile, "/two.iso": otherMediumFile, "/three.iso": longerMediumFile, "/g": .text("g"),
      ]) {
        $0.bytesPerSecondOfServer = 300_000
      })
  }

  private var files: [String] { ["/one.iso", "/two.iso", "/three.iso"].map { server.url($0) } }

  private func command(_ arguments: [String]) throws -> String {
    ([try swiftgetPath(), "-d", place.directory.path, "--limit-rate", "200K"] + arguments).joined(separator: " ")
  }

  /// Lines of active files.
  private func frame(_ lines: [String]) -> [String] { lines.filter { $0.contains("▕") && !$0.contains(" files, ") } }

  private func totals(_ lines: [String]) -> [String] { lines.filter { $0.contains(" files, ") } }

  @Test func `a display that starts in the top row leaves nothing in the scrollback`() throws {
    // The large files first, so that the frame changes when the small one is done.
    let screen = try Tmux(command(files + [server.url("/g")]), columns: 80, rows: 10)
    #expect(eventually { screen.lines.contains { $0.hasPrefix("swiftget: g: ") } }, "\(screen.lines)")
    pause(seconds: 0.7)
    let lines = screen.lines
    #expect(frame(lines).count == 3 && totals(lines).count == 1, "\(lines)")
    #expect(lines.first?.hasPrefix("swiftget: g: ") == true, "\(lines)")
  }

  @Test func `the shell's lines survive Ctrl-Z and fg`() throws {
    let screen = try Tmux.shell(columns: 80, rows: 24)
    screen.type("echo begin")
    screen.type(try command(files))
    #expect(eventually { frame(screen.lines).count == 3 }, "\(screen.lines)")
    screen.press("C-z")
    #expect(eventually { screen.lines.contains { $0.contains("Stopped") } }, "\(screen.lines)")
    #expect(frame(screen.lines).isEmpty, "\(screen.lines)")
    for number in 1...5 { screen.type("echo line-$((\(number) + 10))") }
    screen.type("fg")
    #expect(eventually { frame(screen.lines).count == 3 }, "\(screen.lines)")
    pause(seconds: 0.7)
    let shellLines = ["begin", "line-11", "line-12", "line-13", "line-14", "line-15"]
    #expect(screen.lines.filter(shellLines.contains) == shellLines, "\(screen.lines)")
    #expect(frame(screen.lines).count == 3 && totals(screen.lines).count == 1, "\(screen.lines)")
    screen.press("C-c")
    #expect(eventually { screen.lines.contains { $0.contains("to continue") } }, "\(screen.lines)")
    #expect(screen.lines.filter(shellLines.contains) == shellLines, "\(screen.lines)")
    #expect(frame(screen.lines).isEmpty && totals(screen.lines).isEmpty, "\(screen.lines)")
  }

  @Test func `a resize leaves no old frames and no holes in the shell's lines`() throws {
    let screen = try Tmux.shell(columns: 100, rows: 24)
    let shellLines = (11...18).map { "line-\($0)" }
    for number in 1...8 { screen.type("echo line-$((\(number) + 10))") }
    screen.type(try command(files))
    #expect(eventually { frame(screen.lines).count == 3 }, "\(screen.lines)")
    for (columns, rows) in [(60, 24), (120, 24), (64, 12), (64, 40), (200, 12), (70, 7), (90, 24)] {
      screen.resize(columns: columns, rows: rows)
      pause(seconds: 0.7)
      let lines = screen.lines
      #expect(frame(lines).count == 3 && totals(lines).count == 1, "\(columns) x \(rows): \(lines)")
      #expect(lines.filter(shellLines.contains) == shellLines, "\(columns) x \(rows): \(lines)")
    }
    screen.press("C-c")
    #expect(eventually { screen.lines.contains { $0.contains("to continue") } }, "\(screen.lines)")
    #expect(frame(screen.lines).isEmpty && totals(screen.lines).isEmpty, "\(screen.lines)")
  }

  @Test func `keys steer the run, and the terminal is as before after Ctrl-Z and at the end`() throws {
    let screen = try Tmux.shell("/bin/dash -i", columns: 100, rows: 24)
    #expect(screen.isCooked)
    screen.type(try command(files))
    #expect(eventually { frame(screen.lines).count == 3 && !screen.isCooked }, "\(screen.lines)")
    screen.press("C-z")
    #expect(eventually { screen.lines.contains { $0.contains("Stopped") } }, "\(screen.lines)")
    #expect(screen.isCooked)
    screen.type("bg")
    pause(seconds: 0.7)
    #expect(screen.isCooked, "the background does not take the terminal")
    screen.type("fg")
    #expect(eventually { frame(screen.lines).count == 3 && !screen.isCooked }, "\(screen.lines)")
    screen.press("p")
    #expect(eventually { screen.lines.contains("paused; p resumes") }, "\(screen.lines)")
    #expect(eventually { server.openConnections == 0 }, "\(screen.lines)")
    screen.press("p")
    #expect(eventually { frame(screen.lines).count == 3 && !screen.lines.contains("paused; p resumes") })
    screen.press("?")
    #expect(eventually { screen.lines.contains { $0.hasPrefix("swiftget: keys: p pauses") } }, "\(screen.lines)")
    screen.press("-")
    #expect(eventually { screen.lines.contains("swiftget: at most 8 connections for a file") }, "\(screen.lines)")
    screen.press("l")
    for key in ["1", "m", "Enter"] { screen.press(key) }
    #expect(eventually { screen.lines.contains("swiftget: the rate is limited to 1m") }, "\(screen.lines)")
    screen.press("s")
    #expect(eventually { screen.lines.contains { $0.hasPrefix("skip ") } }, "\(screen.lines)")
    screen.press("s")
    #expect(eventually { screen.lines.contains { $0.hasSuffix(".iso: cancelled") } }, "\(screen.lines)")
    screen.press("q")
    #expect(eventually { screen.lines.contains { $0.contains("to continue") } }, "\(screen.lines)")
    screen.type("echo status-$?")
    #expect(eventually { screen.lines.contains { $0.hasSuffix("status-130") } }, "\(screen.lines)")
    #expect(screen.isCooked && frame(screen.lines).isEmpty, "\(screen.lines)")
  }

  @Test func `a file that a key has skipped makes the status 1`() throws {
    let screen = try Tmux.shell("/bin/dash -i", columns: 100, rows: 24)
    screen.type(try command([files[0]]))
    #expect(eventually { frame(screen.lines).count == 1 && !screen.isCooked }, "\(screen.lines)")
    screen.press("s")
    screen.press("s")
    #expect(eventually { screen.lines.contains { $0.hasSuffix("one.iso: cancelled") } }, "\(screen.lines)")
    screen.type("echo status-$?")
    #expect(eventually { screen.lines.contains { $0.hasSuffix("status-1") } } && screen.isCooked, "\(screen.lines)")
    #expect(place.names.isEmpty, "\(place.names)")
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP]) func `the terminal is as before after a signal`(signal: Int32) throws {
    let screen = try Tmux.shell("/bin/dash -i", columns: 100, rows: 24)
    screen.type(try command(files))
    #expect(eventually { frame(screen.lines).count == 3 && !screen.isCooked }, "\(screen.lines)")
    kill(try #require(screen.child), signal)
    #expect(eventually { screen.lines.contains { $0.contains("to continue") } }, "\(screen.lines)")
    #expect(eventually { screen.isCooked })
  }

  @Test(arguments: [
    ("", "", true), ("NO_COLOR=1", "", false), ("", "--color=never", false), ("NO_COLOR=1", "--color", true),
    ("NO_COLOR=1", "--color=auto", false),
  ])
  func `bars have colours as the option says, or else the environment`(
    variable: String, option: String, isColoured: Bool
  ) throws {
    let screen = try Tmux("env \(variable) \(command([option, files[0]]))", columns: 100, rows: 24)
    let bar = { screen.colouredLines.first { $0.contains("▕") && $0.contains("██") } }
    #expect(eventually { bar() != nil }, "\(screen.lines)")
    #expect(bar()?.contains("\u{1b}[32m") == isColoured, "\(screen.colouredLines)")
  }

  @Test(arguments: ["-q", "-i - --progress bar", "--progress lines"])
  func `no key is read without a live display or where standard input is a list`(options: String) throws {
    let screen = try Tmux.shell("/bin/dash -i", columns: 100, rows: 24)
    let words = options.split(separator: " ").map(String.init)
    let list = options.hasPrefix("-i")
    try place.directory.write("list", files.joined(separator: "\n") + "\n")
    let program = try command(words + (list ? [] : files))
    screen.type(list ? "cat \(place.directory.path("list")) | \(program)" : program)
    #expect(eventually { server.bodyBytesSent > 100_000 })
    pause(seconds: 0.3)
    #expect(screen.isCooked)
    screen.press("C-c")
    screen.type("echo done-$((1 + 1))")
    #expect(eventually { screen.lines.contains { $0.hasSuffix("done-2") } }, "\(screen.lines)")
  }
}
