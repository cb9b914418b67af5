package import DownloadCore
package import DownloadLists
package import DownloadWords

/// Shows a run to the user.
///
/// All calls are on the command's first thread. They fill a buffer, which is written a few times per second at most.
package protocol Display: EventReceiver {
  /// The first call.
  /// - Parameter itemCount: nil where the number of items is unknown.
  func began(itemCount: Int?)
  /// The lists that were read before the run, in the order of the command line. Follows `began`.
  func read(_ lists: [ReadList])
  /// The terminal is about to be used by others: the process is to be stopped (Ctrl-Z), or a message follows. Removes
  /// the live display, which may return.
  func willStop()
  /// A line, with its newline, about what the user has asked for by a key.
  func tell(_ line: String)
  /// Shows a line below the live display until it is replaced; nil removes it.
  func show(prompt: String?)
  /// Whether a failure was printed with this hint, which is not printed again.
  func hasShown(hint: String) -> Bool
  /// The last call. Removes the live display.
  /// - Parameter interrupted: a signal ended the run; the same command continues it.
  func ended(summary: RunProgress, status: ExitStatus, interrupted: Bool)
}

extension Display {
  package func read(_ lists: [ReadList]) {}

  package func willStop() {}

  // Only a live display has keys.
  func tell(_ line: String) {}
  func show(prompt: String?) {}

  func statusAsked(_ progress: RunProgress) {
    noticed(Notice(task: nil, name: nil, level: .note, .status(progress)))
  }
}
