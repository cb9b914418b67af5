/// What one mirror's faults have cost a file so far, and when the mirror may be asked again.
struct MirrorAttempts: Sendable {
  /// Attempts in a row that recorded nothing worth mentioning.
  private(set) var fruitlessCount = 0
  /// Bytes of progress since the last counted attempt.
  private(set) var recordedByteCount: Int64 = 0
  /// When the last attempt was counted.
  private var countedAt = Instant(nanoseconds: .min)
  /// No request before this time.
  private(set) var notBefore = Instant.zero
  /// Kept connections in a row that were closed before an answer.
  private var unansweredCount = 0
  /// What the host had served when it last pushed back on this file; -1 before.
  private var servedSeen: Int64 = -1
  private var pushbackCount = 0
  /// When a pushback was last taken for congestion.
  private var congestedAt = Instant(nanoseconds: .min)

  /// Newly recorded bytes that count as progress.
  static let progressByteCount = Retries.progressByteCount
  /// Closed kept connections in a row that are repeated at once.
  private static let mostUnanswered = 3
  /// Pushbacks in a row that pass as congestion.
  private static let mostPushbacks = 12

  var hasProgress: Bool { recordedByteCount >= Self.progressByteCount }

  /// Bytes that were never recorded before came from the mirror.
  mutating func recorded(_ byteCount: Int64) { recordedByteCount += byteCount }

  mutating func answered() { unansweredCount = 0 }

  /// Progress wipes out the attempts that had none.
  ///
  /// - Parameter isComplete: nothing is missing any more; then a few bytes are progress.
  /// - Returns: whether there was any.
  mutating func settle(isComplete: Bool) -> Bool {
    guard hasProgress || (recordedByteCount > 0 && isComplete) else { return false }
    fruitlessCount = 0
    return true
  }

  /// Whether this fault may be repeated at once without counting: a kept connection's end, a few times in a row.
  mutating func mayRepeatAtOnce(_ fault: TransferFault) -> Bool {
    guard fault.kind == .unanswered else { return false }
    unansweredCount += 1
    return unansweredCount <= Self.mostUnanswered
  }

  /// Whether a pushback is only due to how many ask at once, and so no attempt: others have been served since the last.
  ///
  /// - Parameters:
  ///   - fault: a refused connection says nothing of this file; an answer or a reset may, so that a dozen in a row
  ///     are an attempt in any case.
  ///   - servedCount: what the host has served so far.
  ///   - othersActive: the host's transfers besides this one.
  mutating func isCongestion(
    _ fault: TransferFault, servedCount: Int64, othersActive: Int, startedAt: Instant, now: Instant
  ) -> Bool {
    // What was asked for together is refused together.
    if othersActive > 0, startedAt < congestedAt { return true }
    defer { servedSeen = servedCount }
    guard othersActive > 0, servedCount > servedSeen else { return false }
    guard fault.kind == .hostSilent || pushbackCount < Self.mostPushbacks else { return false }
    congestedAt = now
    if fault.kind == .hostSilent { return true }
    pushbackCount += 1
    return true
  }

  /// When a counted attempt may be followed by the next.
  ///
  /// - Parameter random: in 0..<1.
  func backoff(_ retries: Retries, now: Instant, random: Double) -> Instant {
    now + retries.wait(fruitlessCount: fruitlessCount, recordedByteCount: recordedByteCount, random: random)
  }

  mutating func wait(until: Instant) { notBefore = max(notBefore, until) }

  /// Whether a fault of a transfer that began then belongs to an attempt that was counted already: those that were at
  /// work together and broke together are one attempt.
  func isCounted(startedAt: Instant) -> Bool { startedAt < countedAt }

  /// An attempt has ended in a fault.
  ///
  /// - Returns: whether it had progress.
  mutating func failed(now: Instant) -> Bool {
    countedAt = now
    pushbackCount = 0
    let hadProgress = hasProgress
    if !hadProgress { fruitlessCount += 1 }
    recordedByteCount = 0
    return hadProgress
  }

  /// One more attempt is left after all.
  mutating func grantLast(of tries: Int) { fruitlessCount = tries - 1 }
}
