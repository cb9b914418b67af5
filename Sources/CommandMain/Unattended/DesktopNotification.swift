internal import DownloadCore
internal import DownloadEngine
internal import DownloadWords

/// The notification of `--notify`, by the program `notify-send`. Without it, or where it fails, nothing happens.
enum DesktopNotification {
  /// How long it may take.
  private static let timeLimit = Duration.seconds(5)

  /// Runs `notify-send`, and waits for it unless a signal comes.
  static func show(_ result: RunResult) {
    // They must be blocked before the thread starts.
    let signals = SignalWatch(ProcessSetup.handledSignals + ProcessSetup.stopSignals)
    let runner = ChildRunner(SingleCommand(command(result)), timeLimit: timeLimit)
    guard runner.start() else { return }
    runner.add()
    runner.finish(hearing: signals)
  }

  static func command(_ result: RunResult) -> ChildCommand {
    let words = ["notify-send", "-a", "swiftget", "--", title(result.status), body(result)]
    return ChildCommand(words: words.map { Array($0.utf8) }, isSilent: true)
  }

  private static func title(_ status: ExitStatus) -> String {
    switch status {
    case .success, .changed: "Download finished"
    case .interrupted, .terminated: "Download interrupted"
    default: "Download failed"
    }
  }

  /// Numbers only: desktops read the text as markup.
  private static func body(_ result: RunResult) -> String {
    guard let progress = result.progress else { return "exit status \(result.status.rawValue)" }
    var parts = ["\(Humanized.count(progress.downloadedCount, "file")) downloaded"]
    if progress.keptCount > 0 { parts.append("\(progress.keptCount) already there") }
    if progress.failedCount > 0 { parts.append("\(progress.failedCount) failed") }
    return parts.joined(separator: ", ")
  }
}

/// A command that is run once, and of whose end nobody wants to hear.
private final class SingleCommand: ChildSource {
  private let command: ChildCommand

  init(_ command: ChildCommand) { self.command = command }

  func next() -> (tag: Int, command: ChildCommand)? { (0, command) }
  func ended(_ tag: Int, _ end: ChildEnd) {}
  func dropped(_ count: Int) {}
}
