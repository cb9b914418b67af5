internal import DownloadCore
internal import Glibc

/// Rates of the run and of its active files, for displays.
///
/// Recent bytes weigh more than older ones, for the run and for each file alike and over the same time, so that the
/// rates of the files add up to that of the run.
struct RateAverages {
  /// Bytes per second.
  struct Rates: Equatable {
    /// Over the last seconds.
    var rate = 0.0
    /// Over a longer time, or since the file began.
    var steadyRate = 0.0
  }

  /// Bytes, and the time that they took, of which older ones count less.
  private struct Sums {
    /// At the last measurement.
    var received: Int64 = 0
    var recentByteCount = 0.0
    var steadyByteCount = 0.0
    var steadySeconds = 0.0

    mutating func add(received total: Int64, span: Double) {
      let byteCount = Double(total - received)
      received = total
      recentByteCount = recentByteCount * exp(-span / RateAverages.memory) + byteCount
      let kept = exp(-span / RateAverages.steadyMemory)
      steadyByteCount = steadyByteCount * kept + byteCount
      steadySeconds = steadySeconds * kept + span
    }

    func rates(recentSeconds: Double) -> Rates {
      Rates(
        rate: recentSeconds > 0 ? recentByteCount / recentSeconds : 0,
        steadyRate: steadySeconds > 0 ? steadyByteCount / steadySeconds : 0)
    }
  }

  /// Seconds after which bytes count a third.
  private static let memory = 3.0
  private static let steadyMemory = 15.0
  /// Seconds; a shorter span tells nothing.
  private static let shortestSpan = 0.1

  private var total = Sums()
  private var items: [ItemHandle: Sums] = [:]
  /// The weight of the time that all of `recentByteCount` took.
  private var recentSeconds = 0.0
  private var measuredAt: Instant

  init(now: Instant) { measuredAt = now }

  /// - Parameters:
  ///   - total: bytes that the run has received.
  ///   - byItem: active items, and the bytes that each has received. Items that are missing are forgotten.
  mutating func measure(received total: Int64, byItem: some Sequence<(ItemHandle, Int64)>, now: Instant) {
    let span = (now - measuredAt).inSeconds
    guard span > Self.shortestSpan else { return }
    measuredAt = now
    recentSeconds = recentSeconds * exp(-span / Self.memory) + span
    self.total.add(received: total, span: span)
    var active: [ItemHandle: Sums] = [:]
    for (item, received) in byItem {
      var sums = items[item] ?? Sums()
      sums.add(received: received, span: span)
      active[item] = sums
    }
    items = active
  }

  var run: Rates { total.rates(recentSeconds: recentSeconds) }

  func rates(of item: ItemHandle) -> Rates { items[item]?.rates(recentSeconds: recentSeconds) ?? Rates() }
}
