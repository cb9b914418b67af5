internal import CommandControl
internal import CommandOptions
internal import DownloadWords
internal import Glibc

/// What a run with a session shows: failures as they come, and on a terminal one line of totals.
final class QueueDisplay {
  private let options: DisplayOptions
  private let session: String
  private let messages: Messages
  private let terminal: Terminal?
  private var line: String?

  init(_ options: DisplayOptions, _ session: String, _ messages: Messages) {
    (self.options, self.session, self.messages) = (options, session, messages)
    terminal = options.isQuiet ? nil : Terminal(descriptor: STDERR_FILENO)
  }

  /// Whether there is a terminal, on which somebody may look at it.
  let isInteractive = isatty(STDERR_FILENO) == 1

  func take(_ news: SessionWork.News?) {
    switch news {
    case .totals(let totals): show("\(session): \(totals)")
    case .failed(let path, let message):
      clear()
      messages.write(Diagnostic(message: "\(Diagnostic.escaped(path)): \(message)"))
      if let line { show(line) }
    case .allPaused:
      guard isInteractive else { break }
      show("\(session): all tasks are paused; 'swiftget ctl -S \(session) resume --all' goes on")
    case nil: break
    }
  }

  /// The last totals stay.
  func end() {
    guard let line else { return }
    clear()
    messages.write(line + "\n", isShown: !options.isQuiet)
  }

  private func show(_ text: String) {
    line = text
    guard let terminal, terminal.isForeground() else { return }
    let ellipsis = terminal.isUnicode ? "…" : "..."
    let fitted = DisplayWidth.truncated(text, to: max(1, terminal.size().columns - 1), ellipsis: ellipsis)
    messages.standardError.write("\r\u{1b}[K" + fitted)
  }

  private func clear() {
    if terminal != nil, line != nil { messages.standardError.write("\r\u{1b}[K") }
  }
}
