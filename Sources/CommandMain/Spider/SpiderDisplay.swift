internal import CommandOptions
internal import DownloadCore
internal import DownloadEvents
internal import DownloadWords

/// The results of `--spider`: a line for each URL on standard output, or an object of `--progress json`. The log has those
/// of dead URLs.
final class SpiderDisplay: EventReceiver {
  private let output: Output
  private let messages: Messages
  private let isJSON: Bool
  private let isQuiet: Bool
  private let isVerbose: Bool
  private var pending: [UInt8] = []
  private var urlCount = 0
  private var deadCount = 0

  init(_ display: DisplayOptions, _ output: Output, _ messages: Messages) {
    self.output = output
    self.messages = messages
    isJSON = display.progress == .json
    isQuiet = display.isQuiet
    isVerbose = display.verbosity > 0
  }

  func began() { if isJSON { add(JSONObject(startOf: nil)) } }

  /// Tells how many URLs are dead.
  func ended(_ status: ExitStatus) {
    if isJSON { add(SpiderMessages.end(urlCount: urlCount, dead: deadCount, status)) }
    flush()
    messages.write(summary, isShown: !isQuiet && !isJSON)
  }

  private func add(_ object: JSONObject) { pending += object.line }

  private var summary: Diagnostic { SpiderMessages.summary(urlCount: urlCount, dead: deadCount) }

  func itemStarted(_ task: TaskID, name: [UInt8], location: Location) {}

  func noticed(_ notice: Notice) {
    if notice.level == .detail, !isVerbose { return }
    messages.write(Diagnostic(name: notice.name, message: NoticeMessages.text(notice.remark)), isShown: !isQuiet)
  }

  func itemEnded(_ outcome: Outcome) {
    urlCount += 1
    var isDead = false
    if case .failed = outcome.result { isDead = true }
    if isDead { deadCount += 1 }
    if isJSON {
      add(SpiderMessages.object(outcome))
    } else if isDead || !isQuiet {
      pending += SpiderMessages.line(outcome).utf8
    }
    if pending.count >= Output.batchByteCount { flush() }
    if isDead || isVerbose { log(outcome) }
  }

  private func log(_ outcome: Outcome) {
    guard let log = messages.log else { return }
    switch log.format {
    case .lines: log.add("swiftget: " + SpiderMessages.line(outcome))
    case .json: log.add(SpiderMessages.object(outcome))
    }
  }

  func statusAsked(_ progress: RunProgress) {
    messages.write(summary)
  }

  var progressInterval: Duration? { nil }
  func progressed(_ progress: RunProgress) {}

  func flush() {
    if !pending.isEmpty { output.write(pending) }
    pending = []
    messages.log?.flush()
  }
}
