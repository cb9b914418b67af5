internal import CommandControl
internal import CommandDisplay
internal import CommandOptions
internal import DownloadScratch
internal import DownloadWords
internal import Glibc

/// What a run with a session shows: ends as they come, and on a terminal the bars of a run.
final class QueueDisplay {
  private let options: DisplayOptions
  private let session: String
  private let output: Output
  private let terminal: Terminal?
  private let painter: FramePainter?
  private var bars = LiveBars()
  private var prompt: String?
  /// Names are shown relative to this directory, which ends with a slash.
  private let base: String

  /// - Parameter output: standard error. The log, if there is one, has lines of its own.
  init(_ options: DisplayOptions, _ session: String, _ output: Output) {
    (self.options, self.session, self.output) = (options, session, output)
    let terminal = options.wantsBar ? Terminal(descriptor: STDERR_FILENO, hasColours: options.colours.isGiven) : nil
    self.terminal = terminal
    painter = terminal.map { FramePainter($0) { output.write($0) } }
    base = String(decoding: AbsolutePath.of(directory: []), as: UTF8.self) + "/"
  }

  /// Whether there is a terminal, on which somebody may look at it.
  let isInteractive = isatty(STDERR_FILENO) == 1

  func take(_ news: SessionWork.News?) {
    switch news {
    case .progress(let progress):
      guard let terminal, let painter else { break }
      if progress.active.contains(where: { $0.connectionCount > 0 }) { prompt = nil }
      bars.show(progress, itemCount: progress.itemCount, prompt: prompt, on: terminal, by: painter)
    case .ended(let end): tell(end)
    case .allPaused:
      prompt = "all tasks are paused; 'swiftget ctl -S \(session) resume --all' resumes them"
    case .stopped, nil: break
    }
  }

  private func tell(_ end: SessionWork.TaskEnd) {
    let name = Diagnostic.escaped(end.path.hasPrefix(base) ? String(end.path.dropFirst(base.count)) : end.path)
    if let failure = end.failure { return tell(Diagnostic(message: "\(name): \(failure)")) }
    guard let size = end.size, painter != nil else { return }
    let digest = end.digest.map { ", \($0.prefix { $0 != ":" }) verified" } ?? ""
    tell(Diagnostic(message: "\(name): \(Humanized.size(size))\(digest)"))
  }

  /// Shows a line, above the bars.
  func tell(_ diagnostic: Diagnostic) {
    guard let painter else { return output.write(diagnostic.text) }
    painter.add(diagnostic.text)
  }

  /// Removes the bars, which may return.
  func remove() { painter?.remove() }

  /// Removes the bars for good.
  ///
  /// - Parameter totals: the last line.
  func end(_ totals: String?) {
    painter?.remove()
    if let totals, !options.isQuiet { output.write("\(session): \(totals)\n") }
  }
}
