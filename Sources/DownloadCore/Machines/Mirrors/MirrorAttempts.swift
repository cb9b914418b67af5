/// The attempts of a file at one mirror, and the earliest time of the next request.
struct MirrorAttempts: Sendable {
  /// Consecutive attempts without progress.
  private(set) var fruitlessCount = 0
  /// When the first of them failed.
  private(set) var fruitlessSince = Instant.zero
  /// Bytes of progress since the last counted attempt.
  private(set) var recordedByteCount: Int64 = 0
  /// When the last attempt was counted.
  private var countedAt = Instant(nanoseconds: .min)
  /// No request before this time.
  private(set) var notBefore = Instant.zero
  /// Consecutive kept connections that were closed before an answer.
  private var unansweredCount = 0
  /// The host's served count when it last throttled this file; -1 before.
  private var servedSeen: Int64 = -1
  private var throttledCount = 0
  /// When a throttled request last counted as congestion.
  private var congestedAt = Instant(nanoseconds: .min)

  /// Newly recorded bytes that count as progress.
  static let progressByteCount = Retries.progressByteCount
  /// The maximum number of consecutive closed kept connections whose requests are repeated at once.
  private static let mostUnanswered = 3
  /// The maximum number of consecutive throttled requests that count as congestion.
  private static let mostThrottled = 12

  var hasProgress: Bool { recordedByteCount >= Self.progressByteCount }

  /// The mirror supplied bytes that were never recorded before.
  mutating func recorded(_ byteCount: Int64) { recordedByteCount += byteCount }

  mutating func answered() { unansweredCount = 0 }

  /// Progress resets the count of attempts without progress.
  ///
  /// - Parameter isComplete: whether no byte is missing; then a few bytes are progress.
  /// - Returns: whether there was progress.
  mutating func noteProgress(isComplete: Bool) -> Bool {
    guard hasProgress || (recordedByteCount > 0 && isComplete) else { return false }
    fruitlessCount = 0
    return true
  }

  /// Whether the request may be repeated at once without counting: after a closed kept connection, a few times in a
  /// row.
  mutating func mayRepeatAtOnce(_ fault: TransferFault) -> Bool {
    guard fault.kind == .unanswered else { return false }
    unansweredCount += 1
    return unansweredCount <= Self.mostUnanswered
  }

  /// Whether a request was refused only because of the number of concurrent ones, which is no attempt: others were
  /// served since the last refusal.
  ///
  /// - Parameters:
  ///   - fault: a refused connection is independent of the file. An answer or a reset may not be, so a dozen in a row
  ///     count as an attempt.
  ///   - servedCount: the host's served count.
  ///   - othersActive: the host's transfers besides this one.
  mutating func isCongestion(
    _ fault: TransferFault, servedCount: Int64, othersActive: Int, startedAt: Instant, now: Instant
  ) -> Bool {
    // Requests that were active together are refused together.
    if othersActive > 0, startedAt < congestedAt { return true }
    defer { servedSeen = servedCount }
    guard othersActive > 0, servedCount > servedSeen else { return false }
    guard fault.kind == .unreachable || throttledCount < Self.mostThrottled else { return false }
    congestedAt = now
    if fault.kind == .unreachable { return true }
    throttledCount += 1
    return true
  }

  /// The earliest time of the next attempt after a counted one.
  ///
  /// - Parameter random: in 0..<1.
  func backoff(_ retries: Retries, now: Instant, random: Double) -> Instant {
    now + retries.wait(fruitlessCount: fruitlessCount, recordedByteCount: recordedByteCount, random: random)
  }

  mutating func wait(until: Instant) { notBefore = max(notBefore, until) }

  /// The next request may be sent at once.
  mutating func endWait() { notBefore = .zero }

  /// Whether a fault of a transfer with this start belongs to an attempt that was already counted: transfers that were
  /// active together and failed together are one attempt.
  func isCounted(startedAt: Instant) -> Bool { startedAt < countedAt }

  /// An attempt failed.
  ///
  /// - Returns: whether it had progress.
  mutating func failed(now: Instant) -> Bool {
    countedAt = now
    throttledCount = 0
    let hadProgress = hasProgress
    if !hadProgress {
      if fruitlessCount == 0 { fruitlessSince = now }
      fruitlessCount += 1
    }
    recordedByteCount = 0
    return hadProgress
  }

  /// Another transfer of the attempt that was counted last failed. What it brought is no progress of the next attempt.
  mutating func failedTogether() { recordedByteCount = 0 }

  /// Allows one more attempt.
  mutating func grantLast(of tries: Int) { fruitlessCount = tries - 1 }
}
