internal import DownloadCore

/// Requests whose targets another run holds.
///
/// They are looked at again when nothing else is left to do: a target that is finished by then is kept, and one that was
/// given up is downloaded. Looks are repeated for the time of `--lock-wait`. Without it, they are repeated for a short
/// time after other work, because runs of one list finish together.
struct LockedTargets {
  /// The time of `--lock-wait`; nil where it is not given.
  private let wait: Duration?
  /// To be looked at in this round.
  private var due: [DownloadRequest] = []
  /// Held by another run when they were last looked at.
  private var held: [DownloadRequest] = []
  private var firstRound: (time: Instant, patience: Duration)?
  /// The time of the next round; nil while there is other work.
  private(set) var nextRound: Instant?
  private var interval = Self.shortestInterval
  private var hasSaidSo = false
  /// Items that got a look beyond the time.
  private var lastLooks: Set<Int> = []

  /// The time between the first two looks; it grows by half each time.
  private static let shortestInterval = Duration.milliseconds(250)
  private static let longestInterval = Duration.seconds(2)
  /// The time after the first round in which looks are repeated without `--lock-wait`.
  private static let patience = Duration.seconds(3)

  init(wait: Duration? = nil) { self.wait = wait }

  var isEmpty: Bool { due.isEmpty && held.isEmpty }

  var count: Int { due.count + held.count }

  /// Another run holds the request's target.
  ///
  /// - Parameter hasAppeared: whether the other run has finished it since the last look. Then one more look, whatever the
  ///   time, finds it.
  /// - Returns: false if it was looked at often enough.
  mutating func hold(_ request: DownloadRequest, hasAppeared: Bool = false, now: Instant) -> Bool {
    if let firstRound, now - firstRound.time >= firstRound.patience {
      guard hasAppeared, lastLooks.insert(request.item).inserted else { return false }
    }
    held.append(request)
    return true
  }

  /// Nothing else is left to do.
  ///
  /// - Parameter isFirstWork: whether no item has ended yet. Then one look is enough without `--lock-wait`.
  /// - Returns: whether a round begins.
  mutating func startRound(isFirstWork: Bool, now: Instant) -> Bool {
    guard due.isEmpty, !held.isEmpty else { return false }
    if let nextRound, now < nextRound { return false }
    let first = firstRound ?? (now, wait ?? (isFirstWork ? .zero : Self.patience))
    firstRound = first
    // The last look is at the end of the time.
    let end = first.time + first.patience
    nextRound = now < end ? min(now + interval, end) : now + interval
    interval = min(interval + interval / 2, Self.longestInterval)
    due = held.reversed()
    held = []
    return true
  }

  /// The next request to look at again.
  mutating func next() -> DownloadRequest? { due.popLast() }

  /// The requests that are waited for as `--lock-wait` asks, and how long that may take; once, after the first look.
  mutating func takeWait(now: Instant) -> (count: Int, atMost: Duration)? {
    guard !hasSaidSo, due.isEmpty, !held.isEmpty, let wait, wait > .zero, let firstRound else { return nil }
    hasSaidSo = true
    return (held.count, firstRound.time + wait - now)
  }
}
