internal import DownloadCore
internal import DownloadEvents
internal import DownloadLists
internal import DownloadWords

/// Passes a run on to its display and to recorders.
final class RecordedDisplay: Display {
  private let display: any Display
  private let recorders: [any RunRecorder]

  init(display: any Display, recorders: [any RunRecorder]) {
    self.display = display
    self.recorders = recorders
  }

  func began(itemCount: Int?) { display.began(itemCount: itemCount) }
  func read(_ lists: [ReadList]) { display.read(lists) }
  func willStop() { display.willStop() }
  func tell(_ line: String) { display.tell(line) }
  func show(prompt: String?) { display.show(prompt: prompt) }
  func hasShown(hint: String) -> Bool { display.hasShown(hint: hint) }
  func noticed(_ notice: Notice) { display.noticed(notice) }

  // What recorders have to tell comes without events.
  var progressInterval: Duration? { display.progressInterval ?? .milliseconds(200) }
  func flush() { display.flush() }

  func progressed(_ progress: RunProgress) {
    for recorder in recorders { recorder.takeNotices().forEach(display.noticed) }
    display.progressed(progress)
  }

  func statusAsked(_ progress: RunProgress) { display.statusAsked(progress) }
  func ended(summary: RunProgress, status: ExitStatus, interrupted: Bool) {
    display.ended(summary: summary, status: status, interrupted: interrupted)
  }

  func itemStarted(_ task: TaskID, name: [UInt8], location: Location) {
    display.itemStarted(task, name: name, location: location)
    for recorder in recorders { recorder.itemStarted(task) }
  }

  func itemEnded(_ outcome: Outcome) {
    display.itemEnded(outcome)
    for recorder in recorders { recorder.itemEnded(outcome) }
  }
}
