/// Has the whole screen of a terminal, and gives the shell's back at the end.
///
/// Only rows that have changed are written.
package final class ScreenPainter {
  private let terminal: Terminal
  private let write: ([UInt8]) -> Void
  private var shown: [String] = []
  private var size: Terminal.Size?
  private var shownProgress = ProgressSignal.none
  private var isEntered = false

  /// - Parameter write: writes bytes to the terminal at once.
  package init(_ terminal: Terminal, _ write: @escaping ([UInt8]) -> Void) {
    (self.terminal, self.write) = (terminal, write)
  }

  /// Takes the screen: the alternate one, without a cursor and without wrapping.
  package func enter() {
    guard !isEntered else { return }
    isEntered = true
    write(Array("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l".utf8))
    size = nil
  }

  /// Gives the screen back as it was.
  package func leave() {
    guard isEntered else { return }
    isEntered = false
    let signal = shownProgress == .none ? "" : ProgressSignal.none.sequence
    shownProgress = .none
    write(Array("\(signal)\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l".utf8))
  }

  /// Shows lines from the first row on, unless another job has the terminal.
  ///
  /// - Parameter size: of the terminal, for which the lines were made.
  package func show(_ lines: [String], _ size: Terminal.Size, _ progress: ProgressSignal) {
    guard isEntered, terminal.isForeground() else { return }
    var text = ""
    if size != self.size {
      text = "\u{1b}[H\u{1b}[2J"
      shown = []
      self.size = size
    }
    for row in 0..<max(lines.count, shown.count) {
      let line = row < lines.count ? lines[row] : ""
      if row < shown.count ? shown[row] == line : line.isEmpty { continue }
      text += "\u{1b}[\(row + 1);1H\(line)\u{1b}[K"
    }
    shown = lines
    if terminal.showsProgress, progress != shownProgress {
      text += progress.sequence
      shownProgress = progress
    }
    if !text.isEmpty { write(Array((Synchronized.begin + text + Synchronized.end).utf8)) }
  }
}
