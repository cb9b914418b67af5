internal import CommandOptions
internal import DownloadCore

/// Tells what happens while lists are downloaded: nothing, if nothing goes wrong.
final class ListFetchObserver: EventReceiver {
  private(set) var outcomes: [TaskID: Outcome] = [:]
  private let names: [[UInt8]]
  private let messages: Messages
  private let shown: RunLines
  private let logged: RunLines

  /// - Parameter names: of the lists, in their order.
  init(names: [[UInt8]], _ display: DisplayOptions, _ messages: Messages) {
    self.names = names
    self.messages = messages
    shown = RunLines(level: display.detailLevel)
    logged = RunLines(level: display.logLevel)
  }

  func itemStarted(_ task: TaskID, name: [UInt8], location: Location) {}

  func noticed(_ notice: Notice) {
    var notice = notice
    notice.name = notice.task.map { names[$0.position] }
    messages.standardError.write(shown.notice(notice))
    messages.log?.add(logged.notice(notice))
    messages.log?.flush()
  }

  func itemEnded(_ outcome: Outcome) { outcomes[outcome.task] = outcome }

  func statusAsked(_ progress: RunProgress) {
    noticed(Notice(task: nil, name: nil, level: .note, .status(progress)))
  }

  var progressInterval: Duration? { nil }
  func progressed(_ progress: RunProgress) {}
}
