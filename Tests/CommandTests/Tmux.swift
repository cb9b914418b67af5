import Glibc
import TestSupport
import Testing

/// A tmux server of its own with one window. Ends with the object.
final class Tmux {
  private let socket = "swiftget-\(getpid())-\(UInt32.random(in: 0 ... .max))"

  /// - Parameter command: run by a shell in place of a user's one.
  init(_ command: String, columns: Int, rows: Int) throws {
    let result = try runProgram(
      "/usr/bin/tmux",
      [
        "-L", socket, "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", command,
      ])
    guard result.status == 0 else { throw TestSupportError("tmux: \(result.errorText)") }
  }

  /// - Parameter program: the shell. bash sets the mode of the terminal for its own line, dash leaves it as it is.
  static func shell(_ program: String = "/bin/bash --norc --noprofile", columns: Int, rows: Int) throws -> Tmux {
    let tmux = try Tmux("PS1='shell> ' \(program)", columns: columns, rows: rows)
    #expect(eventually { tmux.lines.contains { $0.hasPrefix("shell>") } })
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

  /// The screen alone, with blank lines, without colours.
  var screen: [String] {
    tell("capture-pane", "-p").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// As `lines`, with the sequences of colours.
  var colouredLines: [String] { tell("capture-pane", "-e", "-p", "-S", "-").split(separator: "\n").map(String.init) }

  /// Whether the cursor is shown, and the shell's own screen.
  var hasShellScreen: Bool { tell("display-message", "-p", "#{cursor_flag} #{alternate_on}").hasPrefix("1 0") }

  func type(_ command: String) {
    write(command)
    press("Enter")
  }

  /// - Parameter text: a tab is the key.
  func write(_ text: String) { tell("send-keys", "-l", text) }

  /// The program that the shell runs.
  var child: pid_t? {
    let shell = tell("display-message", "-p", "#{pane_pid}").filter { $0 != "\n" }
    return (try? runProgram("/usr/bin/pgrep", ["-P", shell]))?.outputText.split(separator: "\n").first.flatMap {
      pid_t($0)
    }
  }

  /// Whether the terminal shows what is typed, and gives it to programs in lines.
  var isCooked: Bool {
    let terminal = tell("display-message", "-p", "#{pane_tty}").filter { $0 != "\n" }
    let modes = (try? runProgram("/usr/bin/stty", ["-a", "-F", terminal]))?.outputText ?? ""
    return modes.contains(" icanon") && modes.contains(" echo ")
  }

  func press(_ key: String) { tell("send-keys", key) }

  func resize(columns: Int, rows: Int) { tell("resize-window", "-x", "\(columns)", "-y", "\(rows)") }
}
