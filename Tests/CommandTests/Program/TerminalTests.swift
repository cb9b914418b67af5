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
  private func frame(_ lines: [String]) -> [String] { lines.filter { $0.contains("▕") } }

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
    #expect(eventually { screen.lines.contains { $0.contains("to go on") } }, "\(screen.lines)")
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
    #expect(eventually { screen.lines.contains { $0.contains("to go on") } }, "\(screen.lines)")
    #expect(frame(screen.lines).isEmpty && totals(screen.lines).isEmpty, "\(screen.lines)")
  }
}

/// A tmux server of its own with one window. Ends with the object.
private final class Tmux {
  private let socket = "swiftget-\(getpid())-\(UInt32.random(in: 0 ... .max))"

  /// - Parameter command: run by a shell in place of a user's one.
  init(_ command: String, columns: Int, rows: Int) throws {
    let result = try runProgram(
      "/usr/bin/tmux",
      [
        "-L", socket, "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "-e", "PS1=shell> ",
        command,
      ])
    guard result.status == 0 else { throw TestSupportError("tmux: \(result.errorText)") }
  }

  static func shell(columns: Int, rows: Int) throws -> Tmux {
    let tmux = try Tmux("/bin/bash --norc --noprofile", columns: columns, rows: rows)
    _ = eventually { tmux.lines.contains { $0.hasPrefix("shell>") } }
    return tmux
  }

  deinit { _ = try? runProgram("/usr/bin/tmux", ["-L", socket, "kill-server"]) }

  @discardableResult
  private func tell(_ arguments: String...) -> String {
    (try? runProgram("/usr/bin/tmux", ["-L", socket] + arguments))?.outputText ?? ""
  }

  /// The scrollback and the screen.
  var lines: [String] {
    tell("capture-pane", "-p", "-S", "-").split(separator: "\n").map { line in
      var line = String(line)
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }

  func type(_ command: String) {
    tell("send-keys", "-l", command)
    press("Enter")
  }

  func press(_ key: String) { tell("send-keys", key) }

  func resize(columns: Int, rows: Int) { tell("resize-window", "-x", "\(columns)", "-y", "\(rows)") }
}
