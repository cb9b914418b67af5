package import DownloadCore

/// Progress that a terminal shows in its tab or task bar (OSC 9;4, a sequence of ConEmu). Other terminals may take it for a
/// desktop notification, so only those get it that are known to understand it.
package enum ProgressSignal: Equatable, Sendable {
  case none
  /// 0 to 100.
  case percent(Int)
  /// Some files have failed; 0 to 100.
  case failing(Int)
  /// The end is not known.
  case unknown

  /// - Parameter itemCount: nil if it is not known.
  package init(_ run: RunProgress, itemCount: Int?) {
    let ended = run.downloadedCount + run.keptCount + run.failedCount
    guard let itemCount = itemCount ?? run.itemCount, itemCount > 0 else {
      self = .unknown
      return
    }
    let percent: Int
    if let known = run.knownByteCount, known > 0, ended + run.active.count >= itemCount {
      percent = Int(Double(min(run.doneByteCount, known)) / Double(known) * 100)
    } else {
      percent = min(ended, itemCount) * 100 / itemCount
    }
    self = run.failedCount > 0 ? .failing(percent) : .percent(percent)
  }

  /// The control sequence. It ends with ST: some terminals based on VTE do not take BEL.
  package var sequence: String {
    let fields =
      switch self {
      case .none: "0"
      case .percent(let percent): "1;\(percent)"
      case .failing(let percent): "2;\(percent)"
      case .unknown: "3"
      }
    return "\u{1b}]9;4;\(fields)\u{1b}\\"
  }

  private static let programs: Set = ["WezTerm", "ghostty", "mintty"]
  /// Konsole 26.04 and VTE 0.80 are the first ones.
  private static let leastKonsole = 260_400
  private static let leastVTE = 8000

  /// Whether the terminal that these variables describe shows it. Inside tmux and screen it is none of these: they set
  /// `TERM_PROGRAM` and `TERM` to their own names.
  package static func isUnderstood(_ environment: (String) -> String?) -> Bool {
    let isInside = environment("TMUX") != nil || environment("STY") != nil
    if isInside || environment("TERM")?.hasPrefix("screen") == true { return false }
    func number(_ name: String) -> Int { environment(name).flatMap { Int($0) } ?? 0 }
    if environment("WT_SESSION") != nil || environment("ConEmuANSI") == "ON" { return true }
    if number("KONSOLE_VERSION") >= leastKonsole || number("VTE_VERSION") >= leastVTE { return true }
    guard let program = environment("TERM_PROGRAM") else { return false }
    // Older versions of iTerm2 show a notification; those that know it name P among their features.
    if program == "iTerm.app" { return environment("TERM_FEATURES")?.contains("P") == true }
    return programs.contains(program)
  }
}
