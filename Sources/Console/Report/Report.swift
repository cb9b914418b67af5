package import DownloadCore

/// Shows a run to the user.
///
/// All calls are on the loop's thread. They fill a buffer, which is written a few times per second at most.
package protocol Report: RunObserver {
  /// The first call.
  /// - Parameter itemCount: nil where the number of items is unknown.
  func began(itemCount: Int?)
  /// The last call. Removes the live display.
  /// - Parameter interrupted: a signal ended the run; the same command continues it.
  func ended(summary: RunProgress, status: ExitStatus, interrupted: Bool)
}

extension Report {
  package func statusAsked(_ progress: RunProgress) {
    let count = progress.itemCount.map { " of \($0)" } ?? ""
    var text = "\(progress.downloadedCount + progress.keptCount)\(count) files done"
    if progress.failedCount > 0 { text += ", \(progress.failedCount) failed" }
    text += ", \(Humanized.size(progress.doneByteCount)) in place, \(progress.active.count) at work"
    text += " over \(progress.connectionCount) connections at \(Humanized.rate(progress.rate))"
    noticed(Notice(item: nil, name: nil, level: .note, text: text))
  }
}
