internal import DownloadCore
internal import DownloadEvents
internal import DownloadLists
internal import DownloadWords

/// Passes a run on to its display, and tells it in the log beside that, whatever the display is: by the lines of
/// `LinesDisplay`, or by the events of `JSONDisplay` without the progress.
final class LoggedDisplay: Display {
  private let display: any Display
  private let log: RunLog
  private let level: DetailLevel
  private var lines: RunLines
  private var events: JSONEvents

  /// - Parameter directory: the absolute path that names are relative to; nil where no file is written.
  init(
    display: any Display, log: RunLog, level: DetailLevel, style: Recap.Style = Recap.Style(),
    directory: [UInt8]? = nil
  ) {
    self.display = display
    self.log = log
    self.level = level
    lines = RunLines(level: level, style: style)
    events = JSONEvents(directory: directory, .command)
  }

  private func add(_ line: @autoclosure () -> String, _ event: @autoclosure () -> JSONObject?) {
    switch log.format {
    case .lines: log.add(line())
    case .json: if let event = event() { log.add(event) }
    }
  }

  func began(itemCount: Int?) {
    display.began(itemCount: itemCount)
    lines.began(itemCount: itemCount)
    let files = itemCount.map { ": " + Humanized.count($0, "file") } ?? ""
    add(Diagnostic(message: "the run begins" + files).text, events.began(itemCount: itemCount))
    log.flush()
  }

  func read(_ lists: [ReadList]) {
    display.read(lists)
    for list in lists { add("", events.read(list)) }
  }

  func willStop() { display.willStop() }

  func tell(_ line: String) { display.tell(line) }
  func show(prompt: String?) { display.show(prompt: prompt) }
  func hasShown(hint: String) -> Bool { display.hasShown(hint: hint) }

  func itemStarted(_ task: TaskID, name: [UInt8], location: Location) {
    display.itemStarted(task, name: name, location: location)
    add(
      lines.started(name: name, location: location),
      level >= .details ? events.itemStarted(task, name: name, location: location) : nil)
  }

  func noticed(_ notice: Notice) {
    display.noticed(notice)
    add(lines.notice(notice), level >= .details || notice.level != .detail ? events.noticed(notice) : nil)
    if notice.level == .warning { log.flush() }
  }

  func itemEnded(_ outcome: Outcome) {
    display.itemEnded(outcome)
    add(lines.ended(outcome), level >= .details || outcome.result != .kept ? events.itemEnded(outcome) : nil)
    if case .failed = outcome.result { log.flush() }
  }

  var progressInterval: Duration? { display.progressInterval }
  func progressed(_ progress: RunProgress) { display.progressed(progress) }

  func flush() {
    display.flush()
    log.flush()
  }

  func ended(summary: RunProgress, status: ExitStatus, interrupted: Bool) {
    display.ended(summary: summary, status: status, interrupted: interrupted)
    if log.format == .lines {
      lines.listFailures(summary) { line in
        log.add(line)
        return true
      }
    }
    add(
      lines.summary(summary, interrupted: interrupted),
      events.ended(summary: summary, status: status, interrupted: interrupted))
    log.flush()
  }
}
