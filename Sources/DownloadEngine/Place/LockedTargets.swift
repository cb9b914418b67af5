internal import DownloadCore

/// When targets that other runs hold are looked at again. Their tasks wait in the queue.
///
/// They are looked at when nothing else is left to do: a target that is finished by then is kept, and one that was given
/// up is downloaded. Looks are repeated for the time of `--lock-wait`. Without it, they are repeated for a short time
/// after other work, because runs of one list finish together.
struct LockedTargets {
  /// The time of `--lock-wait`; nil where it is not given.
  var wait: Duration?
  private var firstRound: (time: Instant, patience: Duration)?
  /// The time of the next round; nil while there is other work.
  private(set) var nextRound: Instant?
  private var interval = Self.shortestInterval
  private var hasSaidSo = false
  /// Tasks that got a look beyond the time.
  private var lastLooks: Set<TaskID> = []

  /// The time between the first two looks; it grows by half each time.
  private static let shortestInterval = Duration.milliseconds(250)
  static let longestInterval = Duration.seconds(2)
  /// The time after the first round in which looks are repeated without `--lock-wait`.
  private static let patience = Duration.seconds(3)

  init(wait: Duration? = nil) { self.wait = wait }

  /// Another run holds the task's target.
  ///
  /// - Parameter hasAppeared: whether the other run has finished it since the last look. Then one more look, whatever the
  ///   time, finds it.
  /// - Returns: false if it was looked at often enough.
  mutating func mayWait(_ task: TaskID, hasAppeared: Bool = false, now: Instant) -> Bool {
    if let firstRound, now - firstRound.time >= firstRound.patience {
      return hasAppeared && lastLooks.insert(task).inserted
    }
    return true
  }

  /// Nothing else is left to do.
  ///
  /// - Parameter isFirstWork: whether no item has ended yet. Then one look is enough without `--lock-wait`.
  /// - Returns: whether it is time to look at all of them again.
  mutating func beginsRound(isFirstWork: Bool, now: Instant) -> Bool {
    if let nextRound, now < nextRound { return false }
    let first = firstRound ?? (now, wait ?? (isFirstWork ? .zero : Self.patience))
    firstRound = first
    // The last look is at the end of the time.
    let end = first.time + first.patience
    nextRound = now < end ? min(now + interval, end) : now + interval
    interval = min(interval + interval / 2, Self.longestInterval)
    return true
  }

  /// How long the wait for which `--lock-wait` asks may still take; once, after the first look.
  mutating func takeWait(now: Instant) -> Duration? {
    guard !hasSaidSo, let wait, wait > .zero, let firstRound else { return nil }
    hasSaidSo = true
    return firstRound.time + wait - now
  }
}
