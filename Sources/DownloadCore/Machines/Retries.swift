/// The rules of retries: what is repeated, how many attempts there are, and how long each one waits.
///
/// `TransferFault.kind` says what a fault means. `remedy` decides; the run reports the decision to the host
/// (`HostGovernor`) and to the file (`FileMachine.faulted`), which count failures and keep the times.
package struct Retries: Hashable, Sendable {
  /// What the run does about a fault.
  package enum Remedy: Hashable, Sendable {
    /// Sends the same request at once and counts nothing.
    case repeatAtOnce
    /// The host accepts no more transfers than it serves. The request waits for its turn; no attempt is counted.
    case lowerLimit
    /// As `lowerLimit`, but an attempt is counted: nothing shows that the host serves others.
    case lowerLimitAndCount
    /// A connection broke while others are served, which may be a limit of the host; no attempt is counted.
    case lowerLimitOnTrial
    /// The host is retried as a whole, for all its items; no attempt of the file is counted.
    case retryHost
    /// Counts an attempt of the mirror.
    case count
    /// Sends no further request to the mirror.
    case giveUp
  }

  /// Attempts in a row without progress until a mirror or a host is given up; at least 1.
  package var tries: Int
  /// The longest wait between two attempts, whatever the backoff or a `Retry-After` says.
  package var longestWait: Duration
  /// As `FileSettings.patience`.
  package var patience: Duration?

  private static let firstWait: Duration = .seconds(1)
  /// Newly recorded bytes that count as progress.
  package static let progressByteCount: Int64 = 4096
  /// A transfer that recorded this much was served well: its fault is the connection's, not the server's.
  package static let ampleByteCount: Int64 = 64 << 10

  package init(tries: Int, longestWait: Duration, patience: Duration? = nil) {
    self.tries = max(1, tries)
    self.longestWait = longestWait
    self.patience = patience
  }

  // MARK: What is repeated

  /// Decides what is done about a fault.
  ///
  /// - Parameters:
  ///   - isServed: whether the transfer received content. A connection that breaks then was not refused.
  ///   - mayRepeatAtOnce: whether the request may be repeated once more without counting; asked at most once.
  ///   - isCongestion: whether the host refuses only because of how many requests are active; asked at most once.
  package static func remedy(
    for fault: TransferFault, isServed: Bool, mayRepeatAtOnce: () -> Bool, isCongestion: () -> Bool
  ) -> Remedy {
    switch fault.kind {
    case .permanent: return .giveUp
    case .unanswered: return mayRepeatAtOnce() ? .repeatAtOnce : .count
    case .unreachable: return isCongestion() ? .lowerLimit : .retryHost
    case .throttled: return isCongestion() ? .lowerLimit : .lowerLimitAndCount
    case .transient:
      switch fault {
      case .emptyReply, .reset: return !isServed && isCongestion() ? .lowerLimitOnTrial : .count
      default: return .count
      }
    }
  }

  /// Whether failures in a row are enough to give up.
  ///
  /// - Parameters:
  ///   - failures: at least 1.
  ///   - since: when the first of them was.
  func areUsedUp(failures: Int, since: Instant, fault: TransferFault, now: Instant) -> Bool {
    if let patience, fault.isOutage { return now - since >= patience }
    return failures >= (fault.isUnknownHost ? min(tries, Self.unknownHostTries) : tries)
  }

  /// Attempts for a name that the resolver does not know.
  private static let unknownHostTries = 2

  // MARK: How long it waits

  /// When the next attempt of a mirror may start after one that is counted.
  ///
  /// - Parameters:
  ///   - backoff: what the mirror's attempts so far ask for.
  ///   - recordedByteCount: bytes that the failed transfer recorded.
  ///   - othersDeliver: whether the file has other transfers. Nothing is wrong with the server then, if this one was
  ///     served well.
  package func nextAttempt(
    backoff: Instant, recordedByteCount: Int64, othersDeliver: Bool, retryAfter: Duration?, now: Instant
  ) -> Instant {
    let start = recordedByteCount >= Self.ampleByteCount && othersDeliver ? now : backoff
    return wait(for: retryAfter).map { max(start, now + $0) } ?? start
  }

  /// The wait after a counted attempt.
  ///
  /// - Parameters:
  ///   - fruitlessCount: attempts in a row without progress, before this one.
  ///   - recordedByteCount: progress since the attempt before.
  ///   - random: in 0..<1.
  package func wait(fruitlessCount: Int, recordedByteCount: Int64, random: Double) -> Duration {
    if recordedByteCount >= Self.ampleByteCount { return .zero }
    if recordedByteCount >= Self.progressByteCount { return .milliseconds(Int64(100 + 150 * random)) }
    return backoff(failures: fruitlessCount + 1, random: random)
  }

  /// The wait after this many failures in a row: exponential backoff with jitter.
  ///
  /// One second, doubled each time, at most `longestWait`. A random part of it between a half and all is taken, so that
  /// many clients do not return together.
  /// - Parameters:
  ///   - failures: 1, 2, …
  ///   - random: in 0..<1.
  package func backoff(failures: Int, random: Double) -> Duration {
    let exponent = max(0, min(failures - 1, 20))
    let full = min(Self.firstWait * (1 << exponent), longestWait)
    return Duration.nanoseconds(Int64(Double(full.wholeNanoseconds) * (0.5 + 0.5 * min(max(random, 0), 1))))
  }

  /// What a `Retry-After` asks for, at most `longestWait`; nil where there is none.
  package func wait(for retryAfter: Duration?) -> Duration? {
    retryAfter.map { min(max($0, .zero), longestWait) }
  }

  /// The wait of a request that was refused while others are served: the limit on the host keeps it from insisting, so
  /// the wait is only to separate it from those that were refused with it.
  package static func waitAfterRefusal(roundTrip: Duration, random: Double) -> Duration {
    max(.milliseconds(20), roundTrip * 2) + .milliseconds(Int64(40 * random))
  }
}

extension FileSettings {
  package var retries: Retries { Retries(tries: tries, longestWait: retryWait, patience: patience) }
}
