package import DownloadCore

/// The live display: active files and a total line at the bottom; finished files scroll up as permanent lines.
///
/// Every frame is one write. It hides the cursor and turns wrapping off only within that write, so that a killed
/// process leaves the terminal usable. Between frames the cursor is at the start of the frame's last line, where an
/// echoed `^C` does no harm.
package final class BarReport: Report {
  /// At most five frames per second.
  private static let frameInterval = Duration.milliseconds(200)

  private let output: Output
  private let terminal: Terminal
  private var lines: ReportLines
  private var itemCount: Int?
  /// Permanent lines to be written with the next frame.
  private var pending: [UInt8] = []
  /// The width of each line on the screen, in columns.
  private var drawn: [Int] = []
  private var drawnColumns = 0
  private var lastFrame: Duration?

  package init(output: Output, terminal: Terminal, level: ReportLevel) {
    self.output = output
    self.terminal = terminal
    lines = ReportLines(level: level)
  }

  package func began(itemCount: Int?) {
    self.itemCount = itemCount
    lines.began(itemCount: itemCount)
  }

  package func itemStarted(_ item: Int, name: [UInt8], location: Location) {
    add(lines.started(name: name, location: location))
  }
  package func noticed(_ notice: Notice) { add(lines.notice(notice)) }
  package func itemEnded(_ outcome: Outcome) { add(lines.ended(outcome)) }

  package func progressed(_ progress: RunProgress) {
    if let lastFrame, progress.elapsed - lastFrame < Self.frameInterval { return }
    lastFrame = progress.elapsed
    guard terminal.isForeground() else {
      // Another job uses the screen. The next frame starts at the cursor.
      drawn = []
      return
    }
    let size = terminal.size()
    // No active file: the run is ending, or every file exists already.
    let isIdle = progress.active.isEmpty && progress.downloadedCount + progress.failedCount == 0
    let frame =
      isIdle ? [] : BarFrame(size: size, isUnicode: terminal.isUnicode).lines(progress, itemCount: itemCount)
    draw(frame, size)
  }

  package func ended(summary: RunProgress, status: ExitStatus, interrupted: Bool) {
    pending.append(contentsOf: lines.summary(summary, interrupted: interrupted).utf8)
    draw([], terminal.size())
  }

  private func add(_ text: String) {
    pending.append(contentsOf: text.utf8)
    if pending.count >= Output.batchByteCount { draw([], terminal.size()) }
  }

  /// Replaces the frame on the screen by the pending lines and this frame.
  private func draw(_ frame: [String], _ size: Terminal.Size) {
    if frame.isEmpty, drawn.isEmpty, pending.isEmpty { return }
    var text = "\u{1b}[?25l" + toTop(size)
    if !pending.isEmpty || frame.isEmpty || size.columns != drawnColumns { text += "\u{1b}[J" }
    var bytes = Array(text.utf8)
    bytes.append(contentsOf: pending)
    pending.removeAll(keepingCapacity: true)
    // Each line clears the rest of its row; the last one clears everything below, too.
    bytes.append(contentsOf: ("\u{1b}[?7l" + frame.joined(separator: "\u{1b}[K\n")).utf8)
    bytes.append(contentsOf: "\u{1b}[J\r\u{1b}[?7h\u{1b}[?25h".utf8)
    drawn = frame.map(DisplayWidth.of)
    drawnColumns = size.columns
    output.write(bytes)
  }

  /// Moves to the start of the frame's first line. On a terminal that became narrower, a line takes several rows.
  private func toTop(_ size: Terminal.Size) -> String {
    let columns = max(1, size.columns)
    let above = drawn.dropLast().reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
    return above > 0 ? "\r\u{1b}[\(min(above, max(1, size.rows - 1)))A" : "\r"
  }
}
