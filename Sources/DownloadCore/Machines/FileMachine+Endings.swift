/// What the end of a transfer means: the file is whole, goes on, waits, or has failed.
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

  /// What an ended transfer leaves to be decided by the run, which knows the hosts.
  package enum Aftermath: Hashable, Sendable {
    case nothing
    /// Call `faulted` with this fault once the host has been consulted.
    /// - Parameter recorded: bytes that the transfer was the first to record.
    case fault(
      TransferFault, retryAfter: Duration?, mirror: Int, startedAt: Instant, recorded: Int64, isFruitlessRange: Bool)
  }

  /// The transfer is over, and everything it brought has been told through `advanced`.
  package mutating func transferEnded(
    _ id: TransferID, _ ending: TransferEnding, now: Instant, _ actions: inout [RunAction]
  ) -> Aftermath {
    // Stopped transfers have left already; their end may still be on its way.
    guard let index = active.firstIndex(where: { $0.id == id }) else { return .nothing }
    let transfer = active.remove(at: index)
    if case .judged(let aftermath) = transfer.stage {
      return settle(aftermath, of: transfer, now: now, &actions)
    }
    switch ending {
    case .unauthenticatedEnd where !mayEnd(transfer):
      return fault(.unauthenticatedEnd, nil, transfer)
    case .complete(let digest), .unauthenticatedEnd(let digest):
      if transfer.purpose == .confirmation { return confirmed(by: digest, transfer, &actions) }
      if transfer.stage == .awaitingHead {
        return fault(.protocolViolation("an answer without a head"), nil, transfer)
      }
      if completeLength == nil { representation?.completeLength = transfer.position }
      // Mirrors and servers may cut a range short without fault; a length that is known must be reached in the end.
      if transfer.position == transfer.bodyStart, transfer.end > transfer.position, transfer.end != .max {
        return fault(.shortBody, nil, transfer)
      }
      if case .whole = transfer.asked, transfer.end != .max, transfer.position < transfer.end {
        return fault(.shortBody, nil, transfer)
      }
      // But not so that every request brings next to nothing.
      if transfer.position - transfer.bodyStart < Self.progressByteCount, leavesRest(transfer) {
        return fault(.shortBody, nil, transfer)
      }
    case .stopped: break
    case .failed(let fault):
      // What it was for may be done: another transfer brought the same bytes.
      if isWhole, transfer.purpose == .content { break }
      return self.fault(leavingRedirect(fault, transfer), nil, transfer)
    }
    noteProgress(of: transfer.mirror)
    concludeIfWhole(&actions)
    return .nothing
  }

  /// Whether something else than its connection's end tells that a body is whole: a length, or a digest that will judge.
  private func mayEnd(_ transfer: ActiveTransfer) -> Bool {
    if settings.allowsUnconfirmed { return true }
    guard transfer.purpose == .content else { return false }
    return completeLength != nil || digestWillJudge || expectedLength.map { $0 <= transfer.position } ?? false
  }

  /// Where a redirect led cannot be reached or trusted any more: the original URL is asked again, it may lead elsewhere.
  private mutating func leavingRedirect(_ fault: TransferFault, _ transfer: ActiveTransfer) -> TransferFault {
    guard transfer.location != mirrors[transfer.mirror].original else { return fault }
    if case .tlsVerification(let detail) = fault {
      forgetRedirect(transfer)
      return .untrustedRedirect(detail)
    }
    if fault.kind == .hostSilent { forgetRedirect(transfer) }
    return fault
  }

  /// The next request goes to the original URL, unless another transfer has found a new target meanwhile.
  private mutating func forgetRedirect(_ transfer: ActiveTransfer) {
    guard transfer.location == mirrors[transfer.mirror].location else { return }
    mirrors[transfer.mirror].resolved = nil
    mirrors[transfer.mirror].hopCount = 0
    mirrors[transfer.mirror].isSettled = false
  }

  /// Whether some of what was asked for is missing.
  private func leavesRest(_ transfer: ActiveTransfer) -> Bool {
    let end: Int64
    switch transfer.asked {
    case .whole: return false
    case .from: end = completeLength ?? transfer.position
    case .range(let range): end = range.upperBound
    }
    return transfer.position < end && !done.contains(transfer.position..<end)
  }

  private func fault(_ fault: TransferFault, _ retryAfter: Duration?, _ transfer: ActiveTransfer) -> Aftermath {
    .fault(
      fault, retryAfter: retryAfter, mirror: transfer.mirror, startedAt: transfer.startedAt,
      recorded: transfer.recorded, isFruitlessRange: transfer.recorded < Self.progressByteCount && leavesRest(transfer))
  }

  var isWhole: Bool {
    guard let length = completeLength else { return false }
    return done.contains(0..<length)
  }

  private mutating func settle(
    _ aftermath: ActiveTransfer.Aftermath, of transfer: ActiveTransfer, now: Instant, _ actions: inout [RunAction]
  ) -> Aftermath {
    let mirror = transfer.mirror
    switch aftermath {
    case .redirect(let target):
      // Of several that are led on together, the first counts.
      if transfer.location == mirrors[mirror].location {
        mirrors[mirror].resolved = target
        mirrors[mirror].hopCount += 1
        mirrors[mirror].isSettled = false
      }
      return .nothing
    case .resolveAgain(let status):
      forgetRedirect(transfer)
      return fault(.expiredRedirect(status: status), nil, transfer)
    case .refused(let fault, let retryAfter):
      if case .protocolViolation = fault, transfer.asked != .whole { mirrors[mirror].hasBrokenRanges = true }
      return self.fault(fault, retryAfter, transfer)
    case .versionInDoubt(let reason):
      mirrors[mirror].ignoresRanges = true
      mirrors[mirror].doubtCount += 1
      // Where a validator differs, what the others bring meanwhile is of no more use than what is there.
      if let reason {
        actions.append(
          .notice(item: item, .detail, "an answer to a range says that \(reason.text); asking for the whole"))
        stopAll(&actions)
        currentMirror = mirror
      }
      return .nothing
    case .rangesRefused:
      mirrors[mirror].ignoresRanges = true
      actions.append(.notice(item: item, .detail, "the server does not serve ranges; going on as one stream"))
      return .nothing
    case .disagrees:
      mirrors[mirror].isReplacement = true
      actions.append(
        .notice(
          item: item, .note,
          "\(mirrors[mirror].original.redacted) has another version, or none that can be told to be the same; "
            + "going on without it"))
      return .nothing
    case .outranks:
      restartCount += 1
      actions.append(
        .notice(
          item: item, .note, "starting over: \(mirrors[mirror].original.redacted), named first, has another version"))
      restart(&actions)
      currentMirror = mirror
      mirrors[mirror].ignoresRanges = false
      return .nothing
    case .rangeUnsupported, .useless:
      concludeIfWhole(&actions)
      return .nothing
    case .keepExisting:
      phase = .ended
      stopAll(&actions)
      actions.append(.keep(item: item))
      return .nothing
    case .failItem(let error):
      fail(error, &actions)
      return .nothing
    }
  }

  private mutating func confirmed(
    by digest: ContentDigest?, _ transfer: ActiveTransfer, _ actions: inout [RunAction]
  ) -> Aftermath {
    guard let digest else { return fault(.local("the digest of a second fetch cannot be computed"), nil, transfer) }
    isConfirmed = true
    judges.confirmed(by: digest)
    concludeIfWhole(&actions)
    return .nothing
  }

  mutating func concludeIfWhole(_ actions: inout [RunAction]) {
    guard phase == .running, isWhole, !needsConfirmation, let length = completeLength else { return }
    let isOtherLength = representation?.contentCoding == nil && expectedLength.map { $0 != length } ?? false
    if isOtherLength || pieces?.hashes.cover(length) == false {
      let fault =
        isOtherLength
        ? TransferFault.wrongLength(expected: expectedLength ?? 0, announced: length) : .wrongContent
      let source = mirrors.indices.first { mirrors[$0].contribution > 0 } ?? currentMirror
      mostDone = 0
      restart(&actions)
      expel(source, fault, &actions)
      return
    }
    stopAll(&actions)
    verifyPieces(in: 0..<length, &actions)
    if pieces?.isWhole(length) == false { return }
    phase = .concluding
    actions.append(
      .conclude(
        item: item,
        Conclusion(completeLength: length, expected: judges.expected, lastModified: lastModified)))
  }

  // MARK: Faults

  /// Progress wipes out the attempts that had none.
  private mutating func noteProgress(of mirror: Int) {
    let left = (completeLength ?? .max) - done.byteCount
    if mirrors[mirror].recordedSinceFault >= Self.progressByteCount
      || (mirrors[mirror].recordedSinceFault > 0 && left == 0)
    {
      mirrors[mirror].fruitlessAttempts = 0
      mirrors[mirror].hopCount = 0
    }
  }

  /// Whether this fault may be repeated at once without counting: a kept connection's end, a few times in a row.
  package mutating func mayRepeatAtOnce(_ fault: TransferFault, mirror: Int) -> Bool {
    guard fault.kind == .unanswered else { return false }
    mirrors[mirror].unansweredInARow += 1
    return mirrors[mirror].unansweredInARow <= 3
  }

  /// Whether a push of the host is only a matter of how many ask at once, and so no attempt: others have been served
  /// since the last one.
  ///
  /// - Parameter fault: a refused connection says nothing of this file; an answer or a reset may, so that a dozen in a
  ///   row are an attempt in any case.
  package mutating func isCongestion(
    _ fault: TransferFault, servedCount: Int64, othersActive: Int, mirror: Int, startedAt: Instant, now: Instant
  ) -> Bool {
    // What was asked for together is refused together.
    if othersActive > 0, startedAt < mirrors[mirror].congestedAt { return true }
    defer { mirrors[mirror].servedSeen = servedCount }
    guard othersActive > 0, servedCount > mirrors[mirror].servedSeen else { return false }
    guard fault.kind == .hostSilent || mirrors[mirror].pushbacksInARow < 12 else { return false }
    mirrors[mirror].congestedAt = now
    if fault.kind == .hostSilent { return true }
    mirrors[mirror].pushbacksInARow += 1
    return true
  }

  /// When a counted attempt may be followed by the next.
  package func backoff(mirror: Int, now: Instant, random: Double) -> Instant {
    let state = mirrors[mirror]
    let retries = Retries(tries: settings.tries, longestWait: settings.retryWait)
    return now
      + retries.wait(
        fruitlessCount: state.fruitlessAttempts, recordedByteCount: state.recordedSinceFault, random: random)
  }

  /// - Parameters:
  ///   - startedAt: when the faulted transfer began. Those that were at work together and broke together are one attempt.
  ///   - isFruitlessRange: it asked for a range and brought next to nothing of it, whatever others bring meanwhile.
  package mutating func faulted(
    _ fault: TransferFault, mirror: Int, startedAt: Instant, isFruitlessRange: Bool = false, handling: FaultHandling,
    now: Instant, _ actions: inout [RunAction]
  ) {
    guard phase == .running else { return }
    lastFault = fault
    var isServing = false
    switch handling {
    case .postponed(let until):
      mirrors[mirror].notBefore = max(mirrors[mirror].notBefore, until)
    case .counted(let notBefore):
      let askedForRanges = !mirrors[mirror].ignoresRanges
      if isFruitlessRange { noteFruitlessRange(mirror, startedAt: startedAt, now: now) }
      if startedAt < mirrors[mirror].countedAt { break }
      mirrors[mirror].countedAt = now
      mirrors[mirror].pushbacksInARow = 0
      noteProgress(of: mirror)
      isServing = mirrors[mirror].recordedSinceFault >= Self.progressByteCount
      if !isServing { mirrors[mirror].fruitlessAttempts += 1 }
      mirrors[mirror].recordedSinceFault = 0
      if mirrors[mirror].fruitlessAttempts >= settings.tries {
        // While it serves one transfer, it is only further ones that it does not bear.
        if active.contains(where: { $0.mirror == mirror && $0.stage == .receiving }) {
          mirrors[mirror].fruitlessAttempts = settings.tries - 1
          isSingleStream = true
          return
        }
        // A mirror is not given up for its answers to ranges before it has been asked for the whole.
        if askedForRanges, mirrors[mirror].hasBrokenRanges || mirrors[mirror].ignoresRanges {
          mirrors[mirror].ignoresRanges = true
          mirrors[mirror].doubtCount = Self.doubtLimit
          mirrors[mirror].fruitlessAttempts = settings.tries - 1
          mirrors[mirror].notBefore = max(mirrors[mirror].notBefore, notBefore)
          return
        }
        expel(mirror, fault, &actions)
        return
      }
      mirrors[mirror].notBefore = max(mirrors[mirror].notBefore, notBefore)
      actions.append(.notice(item: item, .detail, "\(fault.text); trying again"))
    case .final:
      // While others are served from the same place, a no to one more is not the file's.
      if case .status = fault, active.contains(where: { $0.mirror == mirror && $0.stage == .receiving }) {
        isSingleStream = true
        return
      }
      expel(mirror, fault, &actions)
      return
    }
    // Another mirror need not wait; one that brings something is kept.
    if active.isEmpty, !isServing, mirrors.count > 1 { currentMirror = (mirror + 1) % mirrors.count }
  }

  mutating func expel(_ mirror: Int, _ fault: TransferFault, _ actions: inout [RunAction]) {
    guard mirrors[mirror].expelledBy == nil else { return }
    mirrors[mirror].expelledBy = fault
    if mirrors.allSatisfy({ $0.expelledBy != nil }) {
      fail(error(for: fault, mirror: mirror), &actions)
      return
    }
    for transfer in active where transfer.mirror == mirror { actions.append(.stop(transfer.id)) }
    active.removeAll { $0.mirror == mirror }
    currentMirror = (mirror + 1) % mirrors.count
    currentMirror = candidates.first ?? currentMirror
    actions.append(
      .notice(
        item: item, .note, "leaving \(mirrors[mirror].original.redacted): \(fault.text)"))
  }

  /// The item's failure for a fault that is final.
  func error(for fault: TransferFault, mirror: Int) -> DownloadError {
    let attempts = mirrors[mirror].fruitlessAttempts
    let after = fault.kind == .permanent || attempts < 2 ? "" : " (\(attempts) attempts without progress)"
    return DownloadError(
      fault.code, "\(mirrors[mirror].original.redacted): \(fault.text)\(after)", hint: fault.hint)
  }

  // MARK: Conclusion

  package mutating func concluded() { if phase == .concluding { phase = .ended } }

  /// The content is not what a digest says: other bytes from another mirror if there is one, a few times.
  package mutating func mismatched(expected: ExpectedDigest, actual: ContentDigest, _ actions: inout [RunAction]) {
    guard phase == .concluding else { return }
    mostDone = 0
    let text = "the \(actual.algorithm.rawValue) is \(actual.hex) where \(expected.digest.hex) was expected"
    // What a single mirror brought is its own: where the user knows the digest and others are left, it is not asked
    // again, which is no attempt of theirs.
    let sources = mirrors.indices.filter { mirrors[$0].contribution > 0 }
    let isOthersTurn =
      !digests.isEmpty && sources.count == 1
      && mirrors.indices.contains { $0 != sources[0] && mirrors[$0].expelledBy == nil }
    if !isOthersTurn { integrityFailureCount += 1 }
    mixesMirrors = false
    guard integrityFailureCount < Self.integrityLimit else {
      phase = .ended
      actions.append(.setAside(item: item))
      actions.append(
        .fail(
          item: item,
          DownloadError(
            .integrity, "verification failed \(integrityFailureCount) times: \(text)",
            hint: "the server has another file than the checksum describes, or the checksum is out of date")))
      return
    }
    phase = .running
    actions.append(.notice(item: item, .warning, "\(text); fetching it again"))
    restart(&actions)
    if isOthersTurn { expel(sources[0], .wrongContent, &actions) }
    for step in 1...mirrors.count {
      let next = (currentMirror + step) % mirrors.count
      if mirrors[next].expelledBy == nil {
        currentMirror = next
        break
      }
    }
  }

  /// A local file, not the network, failed: final for the item, and what is recorded stays.
  package mutating func storageFailed(_ error: DownloadError, _ actions: inout [RunAction]) {
    guard phase != .ended else { return }
    fail(error, &actions)
  }
}
