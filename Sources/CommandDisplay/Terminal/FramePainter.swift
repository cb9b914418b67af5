/// Keeps a frame of lines at the bottom of what a terminal shows; permanent lines scroll up above it.
///
/// Every frame is one write. It hides the cursor and turns wrapping off only within that write, so that a killed process
/// leaves the terminal usable. Between frames the cursor is at the start of the frame's first line: everything from there on
/// belongs to the display, whatever a resize does to the lines, and what others have written above the cursor stays.
package final class FramePainter {
  private let terminal: Terminal
  private let write: ([UInt8]) -> Void
  /// Permanent lines to be written with the next frame.
  private var pending: [UInt8] = []
  /// The size of the terminal when the frame on it was drawn; nil if there is none.
  private var drawnSize: Terminal.Size?
  private var drawnProgress = ProgressSignal.none

  /// Permanent lines that are written without waiting for a frame.
  private static let batchByteCount = 32 << 10

  /// - Parameter write: writes bytes to the terminal at once.
  package init(_ terminal: Terminal, _ write: @escaping ([UInt8]) -> Void) {
    (self.terminal, self.write) = (terminal, write)
  }

  /// Adds permanent lines, each with its newline. They are written with the next frame.
  package func add(_ text: String) {
    pending.append(contentsOf: text.utf8)
    if pending.count >= Self.batchByteCount { remove() }
  }

  /// Replaces the frame by this one, unless another job has the terminal.
  ///
  /// - Parameter frame: lines for a terminal of `size`; empty for no frame.
  package func show(_ frame: [String], _ size: Terminal.Size, _ progress: ProgressSignal = .none) {
    guard terminal.isForeground() else {
      // Another job uses the screen. The next frame starts at the cursor.
      drawnSize = nil
      return
    }
    draw(frame, size, progress)
  }

  /// Removes the frame, and writes the permanent lines that there are.
  package func remove() { draw([], terminal.size(), .none) }

  private func draw(_ frame: [String], _ size: Terminal.Size, _ progress: ProgressSignal) {
    if frame.isEmpty, drawnSize == nil, pending.isEmpty, drawnProgress == .none { return }
    var text = Synchronized.begin + "\u{1b}[?25l\r"
    if !pending.isEmpty || frame.isEmpty || size != drawnSize { text += Self.clearBelow(size) }
    var bytes = Array(text.utf8)
    bytes.append(contentsOf: pending)
    pending.removeAll(keepingCapacity: true)
    if !frame.isEmpty {
      // Each line clears its whole row first: a terminal that has become narrower, and does not say so yet, may have
      // wrapped the row, and would join it with the next one later. The last line clears everything below, too. It has
      // text, so that the cursor is not at home there.
      bytes.append(contentsOf: ("\u{1b}[?7l\u{1b}[K" + frame.joined(separator: "\n\u{1b}[K") + "\u{1b}[J\r").utf8)
      if frame.count > 1 { bytes.append(contentsOf: "\u{1b}[\(frame.count - 1)A".utf8) }
      bytes.append(contentsOf: "\u{1b}[?7h".utf8)
    }
    if terminal.showsProgress, progress != drawnProgress {
      bytes.append(contentsOf: progress.sequence.utf8)
      drawnProgress = progress
    }
    bytes.append(contentsOf: ("\u{1b}[?25h" + Synchronized.end).utf8)
    drawnSize = frame.isEmpty ? nil : size
    write(bytes)
  }

  /// Clears the cursor's row and those below, and leaves the cursor where it is, which is the start of its row.
  ///
  /// tmux moves what `ESC[J` clears from the home position into its scrollback, so the rows below are cleared from
  /// the second one on.
  private static func clearBelow(_ size: Terminal.Size) -> String {
    size.rows > 1 ? "\u{1b}[K\u{1b}7\u{1b}[B\u{1b}[J\u{1b}8" : "\u{1b}[K"
  }
}

/// Synchronised updates (DEC private mode 2026): a terminal that knows them shows what stands between these at once, and
/// others ignore them.
package enum Synchronized {
  package static let begin = "\u{1b}[?2026h"
  package static let end = "\u{1b}[?2026l"
}
