internal import DownloadCore
internal import DownloadWords

/// Shows nothing, for a log or records without a display of theirs.
final class SilentDisplay: Display {
  var progressInterval: Duration? { nil }

  func began(itemCount: Int?) {}
  func itemStarted(_ task: TaskID, name: [UInt8], location: Location) {}
  func noticed(_ notice: Notice) {}
  func itemEnded(_ outcome: Outcome) {}
  func progressed(_ progress: RunProgress) {}
  func hasShown(hint: String) -> Bool { false }
  func ended(summary: RunProgress, status: ExitStatus, interrupted: Bool) {}
}
