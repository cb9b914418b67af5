internal import DownloadCore

/// Measures how busy the loop is. A loop that hardly waits limits the rate itself, and more connections do not help.
struct LoopLoad {
  private var checkedAt: Instant
  private var waitedBefore: Duration = .zero
  private var isBusy = false
  private static let span: Duration = .milliseconds(50)

  init(now: Instant) { checkedAt = now }

  /// Whether less than a tenth of the last span was left for waiting.
  ///
  /// - Parameter waitedTime: the time that the loop has waited since it began.
  mutating func isSaturated(waitedTime: Duration, now: Instant) -> Bool {
    let span = now - checkedAt
    if span >= Self.span {
      isBusy = waitedTime - waitedBefore < span / 10
      checkedAt = now
      waitedBefore = waitedTime
    }
    return isBusy
  }
}
