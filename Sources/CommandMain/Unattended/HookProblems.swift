internal import DownloadEvents
internal import DownloadWords

extension HookQueue.Tally {
  /// Hooks that failed and hooks that were not run, for the user.
  var problems: [Diagnostic] {
    [(failedCount, "failed"), (droppedCount, "not run")].filter { $0.0 > 0 }.map { number, what in
      Diagnostic(message: "\(number) of \(Humanized.count(count, "hook")) \(what)")
    }
  }
}
