internal import DownloadCore
internal import DownloadEvents
internal import DownloadScratch
internal import DownloadWords

/// The permanent lines of a run. Each ends with a newline; an empty text means no line.
struct RunLines {
  let level: DetailLevel
  private let style: Recap.Style
  private var itemCount: Int?
  private var failures: FailureTally
  private var shownHints: Set<String> = []

  /// - Parameter stores: for the names of failed files.
  init(level: DetailLevel, style: Recap.Style = Recap.Style(), stores: TemporaryStores = TemporaryStores()) {
    self.level = level
    self.style = style
    failures = FailureTally(stores.make())
  }

  mutating func began(itemCount: Int?) { self.itemCount = itemCount }

  func started(name: [UInt8], location: Location) -> String {
    level >= .details ? Diagnostic(name: name, message: "from \(location.redacted)").text : ""
  }

  func notice(_ notice: Notice) -> String {
    let isShown =
      switch (notice.level, notice.remark) {
      // It was asked for.
      case (_, .status): true
      // A failure, though not of a file. `HookQueue` tells the first ones only.
      case (_, .commandFailed): true
      case (.detail, _): level >= .details
      case (.note, _): level >= .normal
      case (.warning, _): level >= .warnings
      }
    guard isShown else { return "" }
    let text = NoticeMessages.text(notice.remark)
    return Diagnostic(name: notice.name, message: notice.level == .warning ? "warning: \(text)" : text).text
  }

  func hasShown(hint: String) -> Bool { shownHints.contains(hint) }

  mutating func ended(_ outcome: Outcome) -> String {
    switch outcome.result {
    case .downloaded:
      return level >= .normal ? Diagnostic(name: outcome.name, message: Self.transfer(outcome)).text : ""
    case .kept:
      guard level >= .details else { return "" }
      return Diagnostic(name: outcome.name, message: "already there" + Self.verification(outcome)).text
    case .failed(let error):
      // The summary reports the interruption once for all files.
      if error.code == .interrupted, level < .details { return "" }
      guard failures.admits(error, of: outcome.name) || level >= .details else { return "" }
      var diagnostic = Diagnostic(error, of: outcome)
      if let hint = diagnostic.hint?.text(in: .command), !shownHints.insert(hint).inserted { diagnostic.hint = nil }
      return diagnostic.text
    case .withdrawn(.cancelled):
      return level >= .normal ? Diagnostic(name: outcome.name, message: "cancelled").text : ""
    case .withdrawn(.removed):
      return level >= .normal ? Diagnostic(name: outcome.name, message: "removed from the run").text : ""
    case .unfinished: return ""
    }
  }

  /// Tells the names of failed files, where they are many, as lines that stand above the summary, until `write` returns
  /// false.
  func listFailures(_ run: RunProgress, _ write: (String) -> Bool) { recap(run).listNames(write) }

  /// The last lines. Quiet runs have them only where something failed.
  func summary(_ run: RunProgress, interrupted: Bool) -> String {
    let recap = recap(run)
    var text = level >= .normal || recap.isOfFailures ? recap.text : ""
    if interrupted, level >= .normal {
      text += "swiftget: interrupted; run the same command again to continue\n"
    } else if level >= .normal, recap.suggestsRepetition {
      text += "hint: run the same command again for the files that failed; it keeps the others\n"
    }
    return text
  }

  private func recap(_ run: RunProgress) -> Recap {
    Recap(style: style, run: run, itemCount: itemCount, failures: failures)
  }

  /// `1.2 GiB in 3.4 s (361 MiB/s), sha256 verified`
  private static func transfer(_ outcome: Outcome) -> String {
    var text = Humanized.size(outcome.byteCount)
    // Bytes of earlier runs are reported separately. A difference of up to 1 % is repeated or repaired bytes.
    if outcome.transfers.received.total < outcome.byteCount - outcome.byteCount / 100 {
      text += ", \(Humanized.size(outcome.transfers.received.total)) of it now,"
    }
    let seconds = max(outcome.elapsed.inSeconds, Recap.shortestTransfer)
    text += " in \(Humanized.duration(outcome.elapsed))"
    text += " (\(Humanized.rate(Double(outcome.transfers.received.total) / seconds)))"
    return text + verification(outcome)
  }

  private static func verification(_ outcome: Outcome) -> String {
    outcome.verified.map { verified in
      let source = verified.source == .server ? "told by the server" : "given"
      return ", \(verified.digest.algorithm.rawValue) verified (\(source))"
    } ?? ""
  }
}
