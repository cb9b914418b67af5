/// The consequence of a fault: a pause, an attempt, no more ranges, or the loss of the mirror.
extension FileMachine {
  /// The consequence of a fault for the file, decided with the host's state.
  package enum FaultHandling: Hashable, Sendable {
    /// Retried at this time without counting an attempt.
    case postponed(until: Instant)
    /// Counts an attempt of the mirror and retries no earlier than this time.
    case counted(notBefore: Instant)
    /// No further request to this mirror.
    case final
  }

  /// Progress resets the count of attempts without progress.
  mutating func noteProgress(of mirror: Int) {
    if mirrors[mirror].attempts.noteProgress(isComplete: done.byteCount == completeLength ?? .max) {
      mirrors[mirror].redirects.madeProgress()
    }
  }

  /// Whether the request may be repeated at once without counting.
  package mutating func mayRepeatAtOnce(_ fault: TransferFault, mirror: Int) -> Bool {
    mirrors[mirror].attempts.mayRepeatAtOnce(fault)
  }

  /// Whether the request was refused only because of the number of concurrent ones, which is no attempt.
  package mutating func isCongestion(
    _ fault: TransferFault, servedCount: Int64, othersActive: Int, mirror: Int, startedAt: Instant, now: Instant
  ) -> Bool {
    mirrors[mirror].attempts.isCongestion(
      fault, servedCount: servedCount, othersActive: othersActive, startedAt: startedAt, now: now)
  }

  /// The earliest time of the next attempt after a counted one.
  package func backoff(mirror: Int, now: Instant, random: Double) -> Instant {
    mirrors[mirror].attempts.backoff(settings.retries, now: now, random: random)
  }

  /// - Parameters:
  ///   - startedAt: when the failed transfer started.
  ///   - isFruitlessRange: whether it requested a range and brought almost nothing of it.
  package mutating func faulted(
    _ fault: TransferFault, mirror: Int, startedAt: Instant, isFruitlessRange: Bool = false, handling: FaultHandling,
    now: Instant, _ actions: inout [RunAction]
  ) {
    // Consulting the host may have ended the item.
    guard phase == .running else { return }
    lastFault = fault
    defer { if phase == .running { retryCount += 1 } }
    var hadProgress = false
    switch handling {
    case .postponed(let until):
      mirrors[mirror].attempts.wait(until: until)
    case .counted(let notBefore):
      let wasAskedForRanges = !mirrors[mirror].ranges.isAvoided
      if isFruitlessRange {
        mirrors[mirror].ranges.wasFruitless(startedAt: startedAt, tries: settings.tries, now: now)
        // Linked mirrors serve nothing but ranges.
        if mirrors[mirror].isLinked, mirrors[mirror].ranges.isAvoided { return expel(mirror, fault, &actions) }
      }
      noteProgress(of: mirror)
      if mirrors[mirror].attempts.isCounted(startedAt: startedAt) {
        mirrors[mirror].attempts.failedTogether()
        break
      }
      hadProgress = mirrors[mirror].attempts.failed(now: now)
      mirrors[mirror].attempts.wait(until: notBefore)
      if mirrors[mirror].attempts.fruitlessCount >= settings.tries,
        !waitsAfterTries(mirror, fault, wasAskedForRanges: wasAskedForRanges, now: now, &actions)
      {
        return
      }
      actions.append(.notice(item: item, .detail, .retrying(fault)))
    case .final:
      // While the same URL is served to other transfers, a refusal is not a property of the file.
      if fault.isRefusal, segments.isServing(mirror), !mirrors[mirror].isLinked {
        return rangeWasRefused(by: mirror, &actions)
      }
      expel(mirror, fault, &actions)
      return
    }
    // Another mirror need not wait. A mirror with progress stays current.
    if active.isEmpty, !hadProgress { mirrors.pass(mirror) }
  }

  /// All tries have been used. The mirror is expelled, unless it may still work with one connection or without ranges, or
  /// an outage is waited for.
  ///
  /// - Returns: whether it is as after any failed attempt.
  private mutating func waitsAfterTries(
    _ mirror: Int, _ fault: TransferFault, wasAskedForRanges: Bool, now: Instant, _ actions: inout [RunAction]
  ) -> Bool {
    if mirrors[mirror].isLinked {
      expel(mirror, fault, &actions)
      return false
    }
    // If it serves one transfer, it only refuses further ones.
    if segments.isServing(mirror) {
      mirrors[mirror].attempts.grantLast(of: settings.tries)
      mirrors[mirror].ranges.failedFurther()
      reachFurther(mirror, &actions)
      return false
    }
    // A mirror that fails at ranges is asked for the whole before it is given up.
    if wasAskedForRanges, mirrors[mirror].ranges.areSuspect {
      mirrors[mirror].ranges.exhausted()
      mirrors[mirror].attempts.grantLast(of: settings.tries)
      return false
    }
    let attempts = mirrors[mirror].attempts
    if !settings.retries.areUsedUp(
      failures: attempts.fruitlessCount, since: attempts.fruitlessSince, fault: fault, now: now)
    {
      return true
    }
    expel(mirror, fault, &actions)
    return false
  }

  /// Sends no further request to the mirror. The item fails if no other is left.
  ///
  /// - Parameter remark: tells it; nil says that the mirror is left because of the fault.
  mutating func expel(_ mirror: Int, _ fault: TransferFault, remark: Remark? = nil, _ actions: inout [RunAction]) {
    guard mirrors[mirror].isLeft else { return }
    guard mirrors.expel(mirror, fault, version) else { return fail(error(for: fault, mirror: mirror), &actions) }
    segments.stopAll(of: mirror, &actions)
    // The user knows nothing of linked mirrors.
    let level = mirrors[mirror].isLinked ? Notice.Level.detail : .note
    actions.append(.notice(item: item, level, remark ?? .leavingMirror(mirrors[mirror].redirects.original, fault)))
  }

  /// The item's failure for a fault that is final.
  func error(for fault: TransferFault, mirror: Int) -> Failure {
    let attempts = mirrors[mirror].attempts.fruitlessCount
    let fault = hasLeftStream ? fault.afterStream : fault
    return Failure(
      .transfer(
        fault, at: mirrors[mirror].redirects.original, attempts: fault.kind == .permanent ? 0 : attempts,
        redirectedTo: fault.isRefusal ? mirrors[mirror].redirects.otherOrigin : nil))
  }
}
