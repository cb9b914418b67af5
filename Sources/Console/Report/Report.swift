package import DownloadCore

/// How a run is shown, as `--progress` names it.
package enum ProgressStyle: String, Sendable, CaseIterable {
  /// A bar on a terminal, lines elsewhere.
  case auto
  case bar, lines, json
  /// Failures and warnings only.
  case none
}

/// Shows a run to whoever started it: the engine's observer with a beginning and an end.
///
/// All calls come on the loop's thread and only fill a buffer; it is written at most a few times a second.
package protocol Report: RunObserver {
  /// - Parameter itemCount: nil where the list was not counted.
  func began(itemCount: Int?)
  /// The last call; leaves a terminal clean.
  /// - Parameter interrupted: a signal ended the run, so the same command would go on.
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

/// How much is told in lines.
package enum ReportLevel: Int, Comparable, Sendable {
  case failures, warnings, normal, details

  package static func < (a: ReportLevel, b: ReportLevel) -> Bool { a.rawValue < b.rawValue }
}

extension Invocation {
  package var reportLevel: ReportLevel {
    if isQuiet { return .failures }
    if verbosity > 0 { return .details }
    return progress == .none ? .warnings : .normal
  }

  /// The report that the options and the terminal call for.
  /// - Parameter terminal: nil where standard error is no terminal that can move its cursor.
  package func makeReport(standardOutput: Output, standardError: Output, terminal: Terminal?) -> any Report {
    if progress == .json {
      if writesToStandardOutput { return JSONReport(output: standardError, words: nil) }
      let words = LinesReport(output: standardError, level: min(reportLevel, .warnings))
      return JSONReport(output: standardOutput, words: words)
    }
    let wantsBar = progress == .auto || progress == .bar
    if wantsBar, let terminal, reportLevel >= .normal {
      return BarReport(output: standardError, terminal: terminal, level: reportLevel)
    }
    return LinesReport(output: standardError, level: reportLevel)
  }
}
