/// What a fault costs: a pause, an attempt, ranges, or the mirror.
extension FileMachine {
  /// How a fault is to be taken, decided with what is known of the host.
  package enum FaultHandling: Hashable, Sendable {
    /// Not this file's fault: again at that time, no attempt counted.
    case postponed(until: Instant)
    /// An attempt of this mirror, and never again before that time.
    case counted(notBefore: Instant)
    /// No further request to this mirror.
    case final
  }

  /// Progress wipes out the attempts that had none.
  mutating func noteProgress(of mirror: Int) {
    if mirrors[mirror].attempts.settle(isComplete: done.byteCount == completeLength ?? .max) {
      mirrors[mirror].redirects.madeProgress()
    }
  }

  /// Whether this fault may be repeated at once without counting.
  package mutating func mayRepeatAtOnce(_ fault: TransferFault, mirror: Int) -> Bool {
    mirrors[mirror].attempts.mayRepeatAtOnce(fault)
  }

  /// Whether a pushback of the host is only due to how many ask at once, and so no attempt.
  package mutating func isCongestion(
    _ fault: TransferFault, servedCount: Int64, othersActive: Int, mirror: Int, startedAt: Instant, now: Instant
  ) -> Bool {
    mirrors[mirror].attempts.isCongestion(
      fault, servedCount: servedCount, othersActive: othersActive, startedAt: startedAt, now: now)
  }

  /// When a counted attempt may be followed by the next.
  package func backoff(mirror: Int, now: Instant, random: Double) -> Instant {
    mirrors[mirror].attempts.backoff(settings.retries, now: now, random: random)
  }

  /// - Parameters:
  ///   - startedAt: when the faulted transfer began.
  ///   - isFruitlessRange: it asked for a range and brought next to nothing of it, whatever others bring meanwhile.
  package mutating func faulted(
    _ fault: TransferFault, mirror: Int, startedAt: Instant, isFruitlessRange: Bool = false, handling: FaultHandling,
    now: Instant, _ actions: inout [RunAction]
  ) {
    // The file may have been paused, or have ended, while the host was consulted.
    guard phase == .running else { return }
    lastFault = fault
    var hadProgress = false
    switch handling {
    case .postponed(let until):
      mirrors[mirror].attempts.wait(until: until)
    case .counted(let notBefore):
      let wasAskedForRanges = !mirrors[mirror].ranges.isAvoided
      if isFruitlessRange {
        mirrors[mirror].ranges.wasFruitless(startedAt: startedAt, tries: settings.tries, now: now)
      }
      if mirrors[mirror].attempts.isCounted(startedAt: startedAt) { break }
      noteProgress(of: mirror)
      hadProgress = mirrors[mirror].attempts.failed(now: now)
      if mirrors[mirror].attempts.fruitlessCount >= settings.tries {
        triesAreUsedUp(mirror, fault, wasAskedForRanges: wasAskedForRanges, notBefore: notBefore, &actions)
        return
      }
      mirrors[mirror].attempts.wait(until: notBefore)
      actions.append(.notice(item: item, .detail, .retrying(fault)))
    case .final:
      // While others are served from the same place, a no to one more is not the file's.
      if case .status = fault, segments.isServing(mirror) { return segments.limitToOne() }
      expel(mirror, fault, &actions)
      return
    }
    // Another mirror need not wait; one that brings something is kept.
    if active.isEmpty, !hadProgress { mirrors.pass(mirror) }
  }

  /// No attempt is left: the mirror is expelled, unless one connection, or no ranges, may still do.
  private mutating func triesAreUsedUp(
    _ mirror: Int, _ fault: TransferFault, wasAskedForRanges: Bool, notBefore: Instant, _ actions: inout [RunAction]
  ) {
    // While it serves one transfer, it is only further ones that it does not bear.
    if segments.isServing(mirror) {
      mirrors[mirror].attempts.grantLast(of: settings.tries)
      segments.limitToOne()
      return
    }
    // A mirror is not given up for its answers to ranges before it has been asked for the whole.
    if wasAskedForRanges, mirrors[mirror].ranges.areSuspect {
      mirrors[mirror].ranges.exhausted()
      mirrors[mirror].attempts.grantLast(of: settings.tries)
      mirrors[mirror].attempts.wait(until: notBefore)
      return
    }
    expel(mirror, fault, &actions)
  }

  /// No further request goes to the mirror; the item fails where no other is left.
  mutating func expel(_ mirror: Int, _ fault: TransferFault, _ actions: inout [RunAction]) {
    guard mirrors[mirror].isLeft else { return }
    guard mirrors.expel(mirror, fault, version) else { return fail(error(for: fault, mirror: mirror), &actions) }
    segments.stopAll(of: mirror, &actions)
    actions.append(.notice(item: item, .note, .leavingMirror(mirrors[mirror].redirects.original, fault)))
  }

  /// The item's failure for a fault that is final.
  func error(for fault: TransferFault, mirror: Int) -> DownloadError {
    let attempts = mirrors[mirror].attempts.fruitlessCount
    return DownloadError(
      .transfer(
        fault, at: mirrors[mirror].redirects.original, attempts: fault.kind == .permanent ? 0 : attempts))
  }

  // MARK: Laggards

  /// A connection below this part of its siblings' median crawls.
  private static let crawlingPart = 0.125
  /// A mirror that brings less than this part of what the best one brings is left.
  private static let worthwhilePart = 0.02

  /// Replaces what holds the file up: of one mirror crawling connections, of several a mirror that brings next to
  /// nothing.
  ///
  /// - Parameter host: of the current mirror.
  mutating func dropLaggards(host: HostConditions, now: Instant, _ actions: inout [RunAction]) {
    if sharesMirrors {
      leaveLaggingMirrors(now: now, &actions)
    } else {
      replaceCrawlingTransfers(host: host, now: now, &actions)
    }
  }

  /// Ends crawling connections, so that new ones take over what they have yet to bring.
  ///
  /// Bounded, for a server that is slow to all newcomers would be asked without end.
  private mutating func replaceCrawlingTransfers(host: HostConditions, now: Instant, _ actions: inout [RunAction]) {
    guard phase == .running, segments.mayHurry, isSplittable(on: host) else { return }
    let speeds = segments.speeds
    for index in active.indices {
      let transfer = active[index]
      // Without ranges nobody could take over: all would begin again.
      guard transfer.purpose == .content, !mirrors[transfer.mirror].ranges.isAvoided,
        speeds.isMature(transfer, now: now), transfer.end != .max,
        let usual = speeds.typicalSpeed(besides: transfer.id, among: active, now: now),
        transfer.speed < usual * Self.crawlingPart
      else { continue }
      let left = Double(segments.effectiveEnd(of: transfer, completeLength: completeLength) - transfer.front)
      guard left / max(transfer.speed, 1) > 3 * speeds.freshSeconds(for: left, speed: usual) else { continue }
      segments.cutLaggard(index, &actions)
    }
  }

  /// Leaves mirrors that bring next to nothing beside another one for seconds: what they were asked for is free again.
  private mutating func leaveLaggingMirrors(now: Instant, _ actions: inout [RunAction]) {
    guard !isWhole, active.allSatisfy({ $0.purpose == .content }) else { return }
    for mirror in mirrors.partners(for: version) where isLagging(mirror, now: now) {
      guard mirrors.candidates(for: version).count > 1 else { return }
      segments.stopAll(of: mirror, &actions)
      mirrors.lags(mirror, version)
      actions.append(.notice(item: item, .note, .leavingSlowMirror(mirrors[mirror].redirects.original)))
    }
  }

  private func isLagging(_ mirror: Int, now: Instant) -> Bool {
    let own = active.filter { $0.mirror == mirror }
    guard !own.isEmpty else { return false }
    let others = mirrors.partners(for: version).filter {
      $0 != mirror && mirrors[$0].meter.span >= 1 && mirrors[$0].attempts.notBefore <= now
    }
    let best = others.map { mirrors[$0].meter.rate }.max()
    guard let best, best > 0 else { return false }
    let meter = mirrors[mirror].meter
    if own.allSatisfy({ $0.stage == .awaitingHead }) {
      let patience = max(.seconds(5), meter.roundTrip * 20)
      return own.allSatisfy { now - $0.startedAt > patience }
    }
    return meter.span >= 3 && meter.rate < best * Self.worthwhilePart
  }
}
