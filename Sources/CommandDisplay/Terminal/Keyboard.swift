internal import Glibc

/// Standard input as a keyboard: keys arrive as they are typed, and are not shown.
///
/// The terminal's mode is ours only while the process is in the foreground and `take` was the last call; `giveBack` puts
/// the mode back that was found. Signals stay: Ctrl-C and Ctrl-Z do what they always do. The first thread only.
package final class Keyboard {
  private let terminal: Int32
  private var isLost = false
  /// The mode that was found, while ours is set.
  private var found: termios?

  /// - Parameter terminal: standard input.
  /// - Returns: nil where it is not the terminal that controls the process.
  package init?(terminal: Int32 = STDIN_FILENO) {
    guard isatty(terminal) == 1, tcgetpgrp(terminal) >= 0 else { return nil }
    self.terminal = terminal
  }

  deinit { giveBack() }

  /// What is readable when a key was typed; nil while others have the terminal.
  package var descriptor: Int32? { found == nil ? nil : terminal }

  private var isForeground: Bool { tcgetpgrp(terminal) == getpgrp() }

  /// Takes the terminal, if the process is in the foreground. A shell that has had it meanwhile may have set its mode.
  package func take() {
    guard isForeground, !isLost else { return found = nil }
    var mode = termios()
    guard tcgetattr(terminal, &mode) == 0, found == nil || mode.c_lflag & tcflag_t(ICANON) != 0 else { return }
    let before = mode
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    // A read does not wait.
    withUnsafeMutableBytes(of: &mode.c_cc) { bytes in
      bytes[Int(VMIN)] = 0
      bytes[Int(VTIME)] = 0
    }
    if tcsetattr(terminal, TCSANOW, &mode) == 0 { found = before }
  }

  /// Gives the terminal back to the shell. In the background it has it already.
  package func giveBack() {
    guard var mode = found else { return }
    found = nil
    if isForeground { tcsetattr(terminal, TCSANOW, &mode) }
  }

  /// The terminal has hung up, and no key will come.
  package func lose() {
    giveBack()
    isLost = true
  }

  /// The keys that were typed.
  package func read() -> [UInt8] {
    guard found != nil, isForeground else { return [] }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(terminal, &bytes, bytes.count)
    return count > 0 ? Array(bytes.prefix(count)) : []
  }
}
