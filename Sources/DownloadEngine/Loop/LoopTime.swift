internal import DownloadCore

/// The time of the loop: what is due at regular intervals, and how busy the loop is.
struct LoopTime {
  /// The time at which the loop woke up; all events of one round have this time.
  private(set) var now: Instant
  private var nextTick: Instant
  private var nextProgress: Instant
  private var nextSpaceCheck: Instant
  private var load: LoopLoad

  private static let tickInterval: Duration = .milliseconds(10)
  private static let idleInterval: Duration = .milliseconds(200)
  private static let spaceCheckInterval: Duration = .seconds(1)

  init(now: Instant) {
    self.now = now
    nextTick = now
    nextProgress = now
    nextSpaceCheck = now
    load = LoopLoad(now: now)
  }

  /// Events are served from now on.
  mutating func woke(now: Instant) { self.now = now }

  /// When the loop has to wake at the latest on its own account.
  ///
  /// - Parameters:
  ///   - hasTransfers: without them nothing is looked at often.
  ///   - looks: whether something else needs a look from time to time.
  ///   - wantsProgress: whether the progress is wanted.
  func deadline(hasTransfers: Bool, looks: @autoclosure () -> Bool, wantsProgress: @autoclosure () -> Bool) -> Instant {
    if hasTransfers { return nextTick }
    let look = looks() ? now + Self.idleInterval : .distantFuture
    return wantsProgress() ? max(nextTick, min(look, nextProgress)) : max(nextTick, look)
  }

  /// Whether a tick is due; what is not told by events is looked at then.
  var isTickDue: Bool { now >= nextTick }

  mutating func beginTick() { nextTick = now + Self.tickInterval }

  /// Whether the progress is due to be told; true once each time.
  mutating func takeProgress(every interval: Duration) -> Bool { Self.take(&nextProgress, every: interval, now: now) }

  /// Whether a look at the free space is due; true once each time.
  mutating func takeSpaceCheck() -> Bool { Self.take(&nextSpaceCheck, every: Self.spaceCheckInterval, now: now) }

  private static func take(_ next: inout Instant, every interval: Duration, now: Instant) -> Bool {
    guard now >= next else { return false }
    next = now + interval
    return true
  }

  /// Whether the loop itself limits the rate.
  mutating func isSaturated(waitedTime: Duration) -> Bool { load.isSaturated(waitedTime: waitedTime, now: now) }
}
