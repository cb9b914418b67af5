internal import DownloadCore
internal import DownloadWords

/// The live display: active files and a total line at the bottom; finished files scroll up as permanent lines.
///
/// Every frame is one write. It hides the cursor and turns wrapping off only within that write, so that a killed
/// process leaves the terminal usable. Between frames the cursor is at the start of the frame's first line: everything
/// from there on belongs to the display, whatever a resize does to the lines, and what others have written above the
/// cursor stays.
final class BarReport: Report {
  /// At most five frames per second.
  private static let frameInterval = Duration.milliseconds(200)

  private let output: Output
  private let terminal: Terminal
  private let showsConnections: Bool
  private var lines: ReportLines
  private var itemCount: Int?
  private var forecast = Forecast()
  private var silences = Silences()
  private var columns = StickyColumns()
  /// Permanent lines to be written with the next frame.
  private var pending: [UInt8] = []
  /// The size of the terminal when the frame on it was drawn; nil where there is none.
  private var drawnSize: Terminal.Size?
  private var lastFrame: Duration?
  private var prompt: String?

  /// - Parameter showsConnections: false where there is no network.
  init(
    output: Output, terminal: Terminal, level: ReportLevel, style: Recap.Style = Recap.Style(),
    showsConnections: Bool = true
  ) {
    self.showsConnections = showsConnections
    self.output = output
    self.terminal = terminal
    lines = ReportLines(level: level, style: style)
  }

  func began(itemCount: Int?) {
    self.itemCount = itemCount
    lines.began(itemCount: itemCount)
  }

  func itemStarted(_ task: TaskID, name: [UInt8], location: Location) {
    add(lines.started(name: name, location: location))
  }
  func noticed(_ notice: Notice) { add(lines.notice(notice)) }
  func itemEnded(_ outcome: Outcome) { add(lines.ended(outcome)) }
  func hasShown(hint: String) -> Bool { lines.hasShown(hint: hint) }
  func tell(_ line: String) { add(line) }
  func show(prompt: String?) { self.prompt = prompt }

  func progressed(_ progress: RunProgress) {
    if let lastFrame, progress.elapsed - lastFrame < Self.frameInterval { return }
    lastFrame = progress.elapsed
    forecast.update(progress, itemCount: itemCount)
    silences.update(progress)
    guard terminal.isForeground() else {
      // Another job uses the screen. The next frame starts at the cursor.
      drawnSize = nil
      return
    }
    let size = terminal.size()
    // No active file: the run is ending, or every file exists already.
    let isIdle = showsConnections && progress.active.isEmpty && progress.downloadedCount + progress.failedCount == 0
    let frame = BarFrame(
      size: size, isUnicode: terminal.isUnicode, hasColours: terminal.hasColours, showsConnections: showsConnections,
      prompt: prompt)
    let nameWidth = columns.nameWidth(frame.nameWidth(of: progress), at: size)
    draw(
      isIdle && prompt == nil
        ? []
        : frame.lines(
          progress, itemCount: itemCount, forecast: forecast, silences: silences, nameWidth: nameWidth), size)
  }

  /// The display leaves the screen to the shell.
  func willStop() {
    guard terminal.isForeground() else { return }
    draw([], terminal.size())
  }

  func ended(summary: RunProgress, status: ExitStatus, interrupted: Bool) {
    draw([], terminal.size())
    output.writeLong { lines.listFailures(summary, $0) }
    pending.append(contentsOf: lines.summary(summary, interrupted: interrupted).utf8)
    draw([], terminal.size())
  }

  private func add(_ text: String) {
    pending.append(contentsOf: text.utf8)
    if pending.count >= Output.batchByteCount { draw([], terminal.size()) }
  }

  /// Replaces the frame on the screen by the pending lines and this frame.
  private func draw(_ frame: [String], _ size: Terminal.Size) {
    if frame.isEmpty, drawnSize == nil, pending.isEmpty { return }
    var text = "\u{1b}[?25l\r"
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
    bytes.append(contentsOf: "\u{1b}[?25h".utf8)
    drawnSize = frame.isEmpty ? nil : size
    output.write(bytes)
  }

  /// Clears the cursor's row and those below, and leaves the cursor where it is, which is the start of its row.
  ///
  /// tmux moves what `ESC[J` clears from the home position into its scrollback, so the rows below are cleared from
  /// the second one on.
  private static func clearBelow(_ size: Terminal.Size) -> String {
    size.rows > 1 ? "\u{1b}[K\u{1b}7\u{1b}[B\u{1b}[J\u{1b}8" : "\u{1b}[K"
  }
}

/// What keeps its width from frame to frame.
private struct StickyColumns {
  private var size: Terminal.Size?
  private var widestName = 0

  /// The width of the column of names: it grows with wider names, and shrinks only with the terminal.
  mutating func nameWidth(_ wanted: Int, at size: Terminal.Size) -> Int {
    if size.columns != self.size?.columns { widestName = 0 }
    self.size = size
    widestName = max(widestName, wanted)
    return widestName
  }
}
