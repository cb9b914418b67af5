internal import DownloadCore

/// Requests whose targets another run holds.
///
/// They are looked at again when nothing else is left to do: a target that is finished by then is kept, and one that was
/// given up is downloaded. After other work looks are repeated for a short time, because runs of one list finish
/// together.
struct LockedTargets {
  /// To be looked at in this round.
  private var due: [DownloadRequest] = []
  /// Held by another run when they were last looked at.
  private var held: [DownloadRequest] = []
  private var firstRound: (time: Instant, patience: Duration)?
  /// The time of the next round; nil while there is other work.
  private(set) var nextRound: Instant?

  /// The time between two looks.
  private static let interval = Duration.milliseconds(250)
  /// The time after the first round in which looks are repeated.
  private static let patience = Duration.seconds(3)

  var isEmpty: Bool { due.isEmpty && held.isEmpty }

  var count: Int { due.count + held.count }

  /// Another run holds the request's target.
  /// - Returns: false if it was looked at often enough.
  mutating func hold(_ request: DownloadRequest, now: Instant) -> Bool {
    if let firstRound, now - firstRound.time >= firstRound.patience { return false }
    held.append(request)
    return true
  }

  /// Nothing else is left to do.
  ///
  /// - Parameter isFirstWork: whether no item has ended yet. Then one look is enough.
  /// - Returns: whether a round begins.
  mutating func startRound(isFirstWork: Bool, now: Instant) -> Bool {
    guard due.isEmpty, !held.isEmpty else { return false }
    if let nextRound, now < nextRound { return false }
    firstRound = firstRound ?? (now, isFirstWork ? .zero : Self.patience)
    nextRound = now + Self.interval
    due = held.reversed()
    held = []
    return true
  }

  /// The next request to look at again.
  mutating func next() -> DownloadRequest? { due.popLast() }
}
