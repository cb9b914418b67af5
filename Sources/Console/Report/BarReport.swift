package import DownloadCore

/// The live display: active files and a total line at the bottom, finished files scroll up as permanent lines.
///
/// Every frame is one write. It hides the cursor and stops wrapping only for its own duration, so that even a
/// process that is killed leaves the terminal as it was. Between frames the cursor stands at the beginning of the
/// frame's last line, where a `^C` that the terminal echoes does no harm.
package final class BarReport: Report {
  /// At most five frames a second.
  private static let frameInterval = Duration.milliseconds(200)

  private let output: Output
  private let terminal: Terminal
  private var lines: ReportLines
  private var itemCount: Int?
  /// Permanent lines that wait for the next frame.
  private var pending: [UInt8] = []
  /// Columns of each line that is on the screen now.
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
      // What is on the screen now belongs to others: the next frame starts where the cursor is then.
      drawn = []
      return
    }
    let size = terminal.size()
    // Nothing at work: between the last file and the end, or a run that finds everything there.
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
    if pending.count >= 32 << 10 { draw([], terminal.size()) }
  }

  /// Replaces what is drawn by the pending lines and this frame.
  private func draw(_ frame: [String], _ size: Terminal.Size) {
    if frame.isEmpty, drawn.isEmpty, pending.isEmpty { return }
    var text = "\u{1b}[?25l" + toTop(size)
    if !pending.isEmpty || frame.isEmpty || size.columns != drawnColumns { text += "\u{1b}[J" }
    var bytes = Array(text.utf8)
    bytes.append(contentsOf: pending)
    pending.removeAll(keepingCapacity: true)
    // Each line clears what the frame before left to its right, the last one all below too.
    bytes.append(contentsOf: ("\u{1b}[?7l" + frame.joined(separator: "\u{1b}[K\n")).utf8)
    bytes.append(contentsOf: "\u{1b}[J\r\u{1b}[?7h\u{1b}[?25h".utf8)
    drawn = frame.map(DisplayWidth.of)
    drawnColumns = size.columns
    output.write(bytes)
  }

  /// To the first column of the frame's first line. On a terminal that became narrower, lines take several rows now.
  private func toTop(_ size: Terminal.Size) -> String {
    let columns = max(1, size.columns)
    let above = drawn.dropLast().reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
    return above > 0 ? "\r\u{1b}[\(min(above, max(1, size.rows - 1)))A" : "\r"
  }
}
