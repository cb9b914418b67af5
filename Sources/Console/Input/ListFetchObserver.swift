import DownloadCore
import DownloadEngine

/// Tells what happens while lists are downloaded: nothing, if nothing goes wrong.
final class ListFetchObserver: RunObserver {
  /// By item.
  private(set) var outcomes: [Int: Outcome] = [:]
  private let names: [[UInt8]]
  private let messages: Messages
  private let shown: ReportLines
  private let logged: ReportLines

  /// - Parameter names: of the lists, by item.
  init(names: [[UInt8]], _ invocation: Invocation, _ messages: Messages) {
    self.names = names
    self.messages = messages
    shown = ReportLines(level: invocation.reportLevel)
    logged = ReportLines(level: invocation.logLevel)
  }

  func itemStarted(_ item: Int, name: [UInt8], location: Location) {}

  func noticed(_ notice: Notice) {
    var notice = notice
    notice.name = notice.item.map { names[$0] }
    messages.standardError.write(shown.notice(notice))
    messages.log?.add(logged.notice(notice))
    messages.log?.flush()
  }

  func itemEnded(_ outcome: Outcome) { outcomes[outcome.item] = outcome }

  func statusAsked(_ progress: RunProgress) {
    noticed(Notice(item: nil, name: nil, level: .note, .status(progress)))
  }

  func progressed(_ progress: RunProgress) {}
}
