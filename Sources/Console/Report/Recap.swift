import DownloadCore

/// The last lines of a run: the counts, then the failures by their kinds.
///
///     swiftget: 5 files downloaded, 1.2 MiB in 3.4 s (361 KiB/s), 2 already there, 12 failed
///     swiftget: 12 files failed: the server returned 404 Not Found
///       a.iso
///       … and 11 more
///     hint: --failed FILE lists all of them for another run
struct Recap {
  /// What depends on where the lines go and on the options.
  struct Style: Equatable {
    /// Whether a run with nothing to do has a line.
    var tellsIdleRuns = false
    /// Whether `--failed` could have listed the failures.
    var suggestsFailedList = false
  }

  /// Seconds; keeps the rate of an immediate transfer finite.
  static let shortestTransfer = 0.001

  let style: Style
  let run: RunProgress
  /// Nil where it is not known.
  let itemCount: Int?
  let failures: [FailureTally.Group]

  private var endedCount: Int { run.downloadedCount + run.keptCount + run.failedCount }
  /// A single file needs no counts, and its failure has just been told.
  private var isSingle: Bool { max(itemCount ?? 0, run.itemCount ?? 0, endedCount) <= 1 }

  /// Whether something failed, so that also a quiet run tells it.
  var isOfFailures: Bool { run.failedCount > 0 }

  /// Lines that end with a newline; empty where there is nothing to tell.
  var text: String {
    if run.downloadedCount + run.failedCount + run.unfinishedCount + run.unstartedCount == 0 { return idleLine }
    return isSingle ? "" : counts + groups
  }

  /// Of a run that has done nothing.
  private var idleLine: String {
    guard style.tellsIdleRuns, run.keptCount > 0, run.withdrawnCount == 0 else { return "" }
    let files = run.keptCount == 1 ? "the file is" : "all \(run.keptCount) files are"
    return Diagnostic(message: files + " already there").text
  }

  private var counts: String {
    var text = "\(Humanized.count(run.downloadedCount, "file")) downloaded"
    if run.receivedByteCount > 0 {
      let rate = Double(run.receivedByteCount) / max(run.elapsed.inSeconds, Self.shortestTransfer)
      text += ", \(Humanized.size(run.receivedByteCount)) in \(Humanized.duration(run.elapsed))"
      text += " (\(Humanized.rate(rate)))"
    }
    for (count, words) in [
      (run.keptCount, "already there"), (run.failedCount, "failed"), (run.withdrawnCount, "cancelled"),
      (run.unfinishedCount, "unfinished"), (run.unstartedCount, "not started"),
    ] where count > 0 { text += ", \(count) \(words)" }
    return Diagnostic(message: text).text
  }

  private var groups: String {
    let shown = failures.prefix(FailureTally.mostKinds)
    let rest = failures.dropFirst(FailureTally.mostKinds)
    var text = shown.map(Self.lines).joined()
    if !rest.isEmpty {
      let count = rest.reduce(0) { $0 + $1.count }
      text += Diagnostic(message: "\(Humanized.count(count, "file")) failed for \(rest.count) other reasons").text
    }
    let isCut = !rest.isEmpty || shown.contains { $0.count > $0.names.count }
    if isCut, style.suggestsFailedList { text += "hint: --failed FILE lists all of them for another run\n" }
    return text
  }

  private static func lines(_ group: FailureTally.Group) -> String {
    var text = Diagnostic(message: "\(Humanized.count(group.count, "file")) failed: \(group.kind.words)").text
    for name in group.names { text += "  " + Diagnostic.escaped(name) + "\n" }
    let others = group.count - group.names.count
    return others > 0 ? text + "  … and \(others) more\n" : text
  }
}
