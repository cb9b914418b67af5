internal import DownloadCore
internal import DownloadWords

/// One line per downloaded or failed item, without control characters, for logs, pipes and cron.
///
/// Lines are buffered until `flush`; failures and warnings are written at once. A long run tells its totals from time to
/// time.
final class LinesDisplay: Display {
  private let output: Output
  private var lines: RunLines
  private var pending: [UInt8] = []
  /// When the totals are told next.
  private var totals = TotalsSchedule()

  init(output: Output, level: DetailLevel, style: Recap.Style = Recap.Style()) {
    self.output = output
    lines = RunLines(level: level, style: style)
  }

  func began(itemCount: Int?) { lines.began(itemCount: itemCount) }

  func itemStarted(_ task: TaskID, name: [UInt8], location: Location) {
    add(lines.started(name: name, location: location))
  }

  func noticed(_ notice: Notice) {
    add(lines.notice(notice))
    if notice.level == .warning { flush() }
  }

  func itemEnded(_ outcome: Outcome) {
    add(lines.ended(outcome))
    if case .failed = outcome.result { flush() }
  }

  func hasShown(hint: String) -> Bool { lines.hasShown(hint: hint) }

  var progressInterval: Duration? { lines.level >= .normal ? TotalsSchedule.shortestInterval : nil }

  func progressed(_ progress: RunProgress) {
    guard lines.level >= .normal, totals.isDue(at: progress.elapsed) else { return }
    statusAsked(progress)
    flush()
  }

  func ended(summary: RunProgress, status: ExitStatus, interrupted: Bool) {
    flush()
    output.writeLong { lines.listFailures(summary, $0) }
    add(lines.summary(summary, interrupted: interrupted))
    flush()
  }

  private func add(_ text: String) {
    pending.append(contentsOf: text.utf8)
    if pending.count >= Output.batchByteCount { flush() }
  }

  func flush() {
    guard !pending.isEmpty else { return }
    output.write(pending)
    pending.removeAll(keepingCapacity: true)
  }
}
