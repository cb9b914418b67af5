internal import DownloadCore

/// Tasks whose targets another run holds. They wait in the queue.
///
/// They are looked at again when nothing else is left to do: a target that is finished by then is kept, and one that was
/// given up is downloaded. Looks are repeated for the time of `--lock-wait`. Without it, they are repeated for a short
/// time after other work, because runs of one list finish together.
struct LockedTargets {
  /// The time of `--lock-wait`; nil where it is not given.
  private let wait: Duration?
  /// Held by another run when they were last looked at.
  private var held: [TaskID] = []
  private var firstRound: (time: Instant, patience: Duration)?
  /// The time of the next round; nil while there is other work.
  private(set) var nextRound: Instant?
  private var interval = Self.shortestInterval
  private var hasSaidSo = false
  /// Tasks that got a look beyond the time.
  private var lastLooks: Set<TaskID> = []

  /// The time between the first two looks; it grows by half each time.
  private static let shortestInterval = Duration.milliseconds(250)
  private static let longestInterval = Duration.seconds(2)
  /// The time after the first round in which looks are repeated without `--lock-wait`.
  private static let patience = Duration.seconds(3)

  init(wait: Duration? = nil) { self.wait = wait }

  var isEmpty: Bool { held.isEmpty }

  var count: Int { held.count }

  /// Another run holds the task's target.
  ///
  /// - Parameter hasAppeared: whether the other run has finished it since the last look. Then one more look, whatever the
  ///   time, finds it.
  /// - Returns: false if it was looked at often enough.
  mutating func hold(_ task: TaskID, hasAppeared: Bool = false, now: Instant) -> Bool {
    if let firstRound, now - firstRound.time >= firstRound.patience {
      guard hasAppeared, lastLooks.insert(task).inserted else { return false }
    }
    held.append(task)
    return true
  }

  /// Nothing else is left to do.
  ///
  /// - Parameter isFirstWork: whether no item has ended yet. Then one look is enough without `--lock-wait`.
  /// - Returns: the tasks to look at again; nil if it is not time yet.
  mutating func takeRound(isFirstWork: Bool, now: Instant) -> [TaskID]? {
    guard !held.isEmpty else { return nil }
    if let nextRound, now < nextRound { return nil }
    let first = firstRound ?? (now, wait ?? (isFirstWork ? .zero : Self.patience))
    firstRound = first
    // The last look is at the end of the time.
    let end = first.time + first.patience
    nextRound = now < end ? min(now + interval, end) : now + interval
    interval = min(interval + interval / 2, Self.longestInterval)
    defer { held = [] }
    return held
  }

  /// The tasks that are waited for as `--lock-wait` asks, and how long that may take; once, after the first look.
  mutating func takeWait(now: Instant) -> (count: Int, atMost: Duration)? {
    guard !hasSaidSo, !held.isEmpty, let wait, wait > .zero, let firstRound else { return nil }
    hasSaidSo = true
    return (held.count, firstRound.time + wait - now)
  }
}
