internal import DownloadCore
internal import DownloadEvents
internal import DownloadWords

/// The last lines of a run: the counts, then the failures by their kinds. Each failure is named once.
///
///     swiftget: 5 files downloaded, 1.2 MiB in 3.4 s (361 KiB/s), 2 already there, 2 failed
///     swiftget: 2 files failed: the server returned 404 Not Found
///       a.iso
///       b.iso
///
/// Many names stand above the counts, which would be scrolled away otherwise:
///
///     swiftget: 12 files failed: the server returned 404 Not Found
///       a.iso
///       …
///     swiftget: 5 files downloaded, 1.2 MiB in 3.4 s (361 KiB/s), 2 already there, 12 failed
///     swiftget: 12 failed: the server returned 404 Not Found
///     hint: --failed FILE lists all of them for another run
struct Recap {
  /// What depends on where the lines go and on the options.
  struct Style: Equatable {
    /// Whether a run with nothing to do has a line.
    var tellsIdleRuns = false
    /// Whether a run with failures says how to go on.
    var suggestsRepetition = false
    /// Whether `--failed` could have listed the failures.
    var suggestsFailedList = false
  }

  /// Seconds; keeps the rate of an immediate transfer finite.
  static let shortestTransfer = 0.001

  let style: Style
  let run: RunProgress
  /// Nil where it is not known.
  let itemCount: Int?
  let failures: FailureTally

  private var endedCount: Int { run.downloadedCount + run.keptCount + run.failedCount }
  /// A single file needs no counts, and its failure has just been told.
  private var isSingle: Bool { max(itemCount ?? 0, run.itemCount ?? 0, endedCount) <= 1 }

  /// Whether something failed, so that also a quiet run tells it.
  var isOfFailures: Bool { run.failedCount > 0 }

  /// Whether to say how to go on.
  var suggestsRepetition: Bool {
    style.suggestsRepetition && isOfFailures && !isSingle && !(hasManyNames && style.suggestsFailedList)
  }

  /// Whether the names and their kinds may be more lines than a small terminal has.
  private var hasManyNames: Bool { failures.count > FailureTally.mostNamed }

  /// Tells many names, as lines that stand above `text`, until `write` returns false.
  func listNames(_ write: (String) -> Bool) {
    guard hasManyNames, !isSingle else { return }
    for group in failures.ranked {
      guard write(Self.heading(group)) else { return }
      var toldCount = 0
      var isWanted = true
      failures.readNames(of: group) { name in
        toldCount += 1
        isWanted = write(Self.line(name))
        return isWanted
      }
      if isWanted, toldCount < group.count { isWanted = write("  … and \(group.count - toldCount) more\n") }
      guard isWanted else { return }
    }
  }

  /// Lines that end with a newline; empty where there is nothing to tell.
  var text: String {
    if run.downloadedCount + run.failedCount + run.unfinishedCount + run.unstartedCount == 0 { return idleLine }
    if isSingle { return "" }
    return counts + (hasManyNames ? kinds : failures.ranked.map(Self.lines).joined())
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

  private static func lines(_ group: FailureTally.Group) -> String {
    heading(group) + group.names.map(line).joined()
  }

  private static func heading(_ group: FailureTally.Group) -> String {
    Diagnostic(message: "\(Humanized.count(group.count, "file")) failed: \(group.kind.words)").text
  }

  private static func line(_ name: [UInt8]) -> String { "  " + Diagnostic.escaped(name) + "\n" }

  /// The kinds of failures whose names stand above.
  private var kinds: String {
    let ranked = failures.ranked
    let rest = ranked.dropFirst(FailureTally.mostKinds)
    var text = ranked.prefix(FailureTally.mostKinds).map { group in
      Diagnostic(message: "\(group.count) failed: \(group.kind.words)").text
    }.joined()
    if !rest.isEmpty {
      let count = rest.reduce(0) { $0 + $1.count }
      text += Diagnostic(message: "\(Humanized.count(count, "file")) failed for \(rest.count) other reasons").text
    }
    if style.suggestsFailedList { text += "hint: --failed FILE lists all of them for another run\n" }
    return text
  }
}
