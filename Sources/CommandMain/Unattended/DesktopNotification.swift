internal import DownloadCore
internal import DownloadEngine
internal import DownloadWords

/// The notification of `--notify`, by the program `notify-send`. Without it, or where it fails, nothing happens.
enum DesktopNotification {
  /// How long it may take.
  private static let timeLimit = Duration.seconds(5)

  /// Runs `notify-send`, and waits for it unless a signal comes.
  ///
  /// - Parameter progress: of the run; nil where nothing was started.
  static func show(_ status: ExitStatus, _ progress: RunProgress?) {
    // They must be blocked before the thread starts.
    let signals = SignalWatch(ProcessSetup.handledSignals + ProcessSetup.stopSignals)
    let runner = ChildRunner(SingleCommand(command(status, progress)), timeLimit: timeLimit)
    guard runner.start() else { return }
    runner.add()
    runner.finish(hearing: signals)
  }

  static func command(_ status: ExitStatus, _ progress: RunProgress?) -> ChildCommand {
    let words = ["notify-send", "-a", "swiftget", "--", title(status), body(status, progress)]
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
  private static func body(_ status: ExitStatus, _ progress: RunProgress?) -> String {
    guard let progress else { return "exit status \(status.rawValue)" }
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
