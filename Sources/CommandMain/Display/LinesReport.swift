package import DownloadWords
package import DownloadCore

/// One line per downloaded or failed item, without control characters, for logs, pipes and cron.
///
/// Lines are buffered until `flush`; failures and warnings are written at once.
package final class LinesReport: Report {
  private let output: Output
  private var lines: ReportLines
  private var pending: [UInt8] = []

  init(output: Output, level: ReportLevel, style: Recap.Style = Recap.Style()) {
    self.output = output
    lines = ReportLines(level: level, style: style)
  }

  package func began(itemCount: Int?) { lines.began(itemCount: itemCount) }

  package func itemStarted(_ task: TaskID, name: [UInt8], location: Location) {
    add(lines.started(name: name, location: location))
  }

  package func noticed(_ notice: Notice) {
    add(lines.notice(notice))
    if notice.level == .warning { flush() }
  }

  package func itemEnded(_ outcome: Outcome) {
    add(lines.ended(outcome))
    if case .failed = outcome.result { flush() }
  }

  package func hasShown(hint: String) -> Bool { lines.hasShown(hint: hint) }

  package var progressInterval: Duration? { nil }
  package func progressed(_ progress: RunProgress) {}

  package func ended(summary: RunProgress, status: ExitStatus, interrupted: Bool) {
    flush()
    output.writeLong { lines.listFailures(summary, $0) }
    add(lines.summary(summary, interrupted: interrupted))
    flush()
  }

  private func add(_ text: String) {
    pending.append(contentsOf: text.utf8)
    if pending.count >= Output.batchByteCount { flush() }
  }

  package func flush() {
    guard !pending.isEmpty else { return }
    output.write(pending)
    pending.removeAll(keepingCapacity: true)
  }
}
