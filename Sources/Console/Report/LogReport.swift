import DownloadCore

/// Passes a run on to its display, and tells it in the log beside that: the lines of `LinesReport`, whatever the
/// display is.
final class LogReport: Report {
  private let display: any Report
  private let log: RunLog
  private var lines: ReportLines

  init(display: any Report, log: RunLog, level: ReportLevel) {
    self.display = display
    self.log = log
    lines = ReportLines(level: level)
  }

  func began(itemCount: Int?) {
    display.began(itemCount: itemCount)
    lines.began(itemCount: itemCount)
    let files = itemCount.map { ": \($0) \($0 == 1 ? "file" : "files")" } ?? ""
    log.add(Diagnostic(message: "the run begins" + files).text)
    log.flush()
  }

  func read(_ lists: [ReadList]) { display.read(lists) }

  func willStop() { display.willStop() }

  func hasShown(hint: String) -> Bool { display.hasShown(hint: hint) }

  func itemStarted(_ item: Int, name: [UInt8], location: Location) {
    display.itemStarted(item, name: name, location: location)
    log.add(lines.started(name: name, location: location))
  }

  func noticed(_ notice: Notice) {
    display.noticed(notice)
    log.add(lines.notice(notice))
    if notice.level == .warning { log.flush() }
  }

  func itemEnded(_ outcome: Outcome) {
    display.itemEnded(outcome)
    log.add(lines.ended(outcome))
    if case .failed = outcome.result { log.flush() }
  }

  func progressed(_ progress: RunProgress) {
    display.progressed(progress)
    log.flush()
  }

  func ended(summary: RunProgress, status: ExitStatus, interrupted: Bool) {
    display.ended(summary: summary, status: status, interrupted: interrupted)
    log.add(lines.summary(summary, interrupted: interrupted))
    log.flush()
  }
}
