internal import CommandDisplay
internal import DownloadCore
internal import DownloadWords

/// The live display: active files and a total line at the bottom; finished files scroll up as permanent lines.
final class BarDisplay: Display {
  private let output: Output
  private let terminal: Terminal
  private let painter: FramePainter
  private var bars: LiveBars
  private var lines: RunLines
  private var itemCount: Int?
  private var prompt: String?

  /// - Parameter showsConnections: false where there is no network.
  init(
    output: Output, terminal: Terminal, level: DetailLevel, style: Recap.Style = Recap.Style(),
    showsConnections: Bool = true
  ) {
    self.output = output
    self.terminal = terminal
    painter = FramePainter(terminal) { output.write($0) }
    bars = LiveBars(showsConnections: showsConnections)
    lines = RunLines(level: level, style: style)
  }

  func began(itemCount: Int?) {
    self.itemCount = itemCount
    lines.began(itemCount: itemCount)
  }

  func itemStarted(_ task: TaskID, name: [UInt8], location: Location) {
    painter.add(lines.started(name: name, location: location))
  }
  func noticed(_ notice: Notice) { painter.add(lines.notice(notice)) }
  func itemEnded(_ outcome: Outcome) { painter.add(lines.ended(outcome)) }
  func hasShown(hint: String) -> Bool { lines.hasShown(hint: hint) }
  func tell(_ line: String) { painter.add(line) }
  func show(prompt: String?) { self.prompt = prompt }

  func progressed(_ progress: RunProgress) {
    bars.show(progress, itemCount: itemCount, prompt: prompt, on: terminal, by: painter)
  }

  /// The display leaves the screen to the shell.
  func willStop() {
    guard terminal.isForeground() else { return }
    painter.remove()
  }

  func ended(summary: RunProgress, status: ExitStatus, interrupted: Bool) {
    painter.remove()
    output.writeLong { lines.listFailures(summary, $0) }
    painter.add(lines.summary(summary, interrupted: interrupted))
    painter.remove()
  }
}
