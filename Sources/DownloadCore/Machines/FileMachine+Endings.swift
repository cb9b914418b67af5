/// What the end of a transfer means: the file is whole, goes on, waits, or has failed.
extension FileMachine {
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
    // A transfer may end by itself before the driver has stopped it.
    guard let index = segments.index(of: id) else { return .nothing }
    let transfer = segments.remove(index)
    if case .judged(let aftermath) = transfer.stage { return settle(aftermath, of: transfer, &actions) }
    switch ending {
    case .unauthenticatedEnd where !mayEnd(transfer):
      return fault(.unauthenticatedEnd, nil, transfer)
    case .complete(let digest), .unauthenticatedEnd(let digest):
      if transfer.purpose == .confirmation { return confirmed(by: digest, transfer, &actions) }
      if transfer.stage == .awaitingHead {
        return fault(.protocolViolation(.missingHead), nil, transfer)
      }
      version.ended(at: transfer.position)
      if isCutShort(transfer) { return fault(.shortBody, nil, transfer) }
    case .stopped: break
    case .failed(let fault):
      // What it was for may be done: another transfer brought the same bytes.
      if isWhole, transfer.purpose == .content { break }
      let counted = mirrors[transfer.mirror].redirects.failed(fault, at: transfer.location)
      return self.fault(counted, nil, transfer)
    }
    noteProgress(of: transfer.mirror)
    concludeIfWhole(&actions)
    return .nothing
  }

  /// Whether a body that ended as its framing says brought less than it had to.
  private func isCutShort(_ transfer: ActiveTransfer) -> Bool {
    // Mirrors and servers may cut a range short without fault; a length that is known must be reached in the end.
    if transfer.position == transfer.bodyStart, transfer.end > transfer.position, transfer.end != .max { return true }
    if case .whole = transfer.asked, transfer.end != .max, transfer.position < transfer.end { return true }
    // But not so that every request brings next to nothing.
    return transfer.position - transfer.bodyStart < MirrorAttempts.progressByteCount
      && segments.leavesRest(transfer, completeLength: completeLength)
  }

  /// Whether something else than its connection's end tells that a body is whole: a length, or a digest that will judge.
  private func mayEnd(_ transfer: ActiveTransfer) -> Bool {
    if settings.allowsUnconfirmed { return true }
    guard transfer.purpose == .content else { return false }
    return completeLength != nil || version.digestWillJudge || expectedLength.map { $0 <= transfer.position } ?? false
  }

  private func fault(_ fault: TransferFault, _ retryAfter: Duration?, _ transfer: ActiveTransfer) -> Aftermath {
    let isFruitlessRange =
      transfer.recorded < MirrorAttempts.progressByteCount
      && segments.leavesRest(transfer, completeLength: completeLength)
    return .fault(
      fault, retryAfter: retryAfter, mirror: transfer.mirror, startedAt: transfer.startedAt,
      recorded: transfer.recorded, isFruitlessRange: isFruitlessRange)
  }

  private mutating func settle(
    _ aftermath: ActiveTransfer.Aftermath, of transfer: ActiveTransfer, _ actions: inout [RunAction]
  ) -> Aftermath {
    let mirror = transfer.mirror
    switch aftermath {
    case .redirect(let target):
      mirrors[mirror].redirects.followed(from: transfer.location, to: target)
      return .nothing
    case .resolveAgain(let status):
      mirrors[mirror].redirects.expired(at: transfer.location)
      return fault(.expiredRedirect(status: status), nil, transfer)
    case .refused(let fault, let retryAfter):
      if case .protocolViolation = fault, transfer.asked != .whole { mirrors[mirror].ranges.contradicted() }
      return self.fault(fault, retryAfter, transfer)
    case .versionInDoubt(let reason):
      mirrors[mirror].ranges.cameInDoubt()
      // Where a validator differs, what the others bring meanwhile is of no more use than what is there.
      if let reason {
        actions.append(.notice(item: item, .detail, .versionInDoubt(reason)))
        segments.stopAll(&actions)
        mirrors.choose(mirror)
      }
      return .nothing
    case .rangesRefused:
      mirrors[mirror].ranges.refused()
      actions.append(.notice(item: item, .detail, .rangesUnsupported))
      return .nothing
    case .disagrees:
      mirrors[mirror].disagrees()
      actions.append(.notice(item: item, .note, .mirrorDisagrees(mirrors[mirror].redirects.original)))
      return .nothing
    case .outranks:
      restartCount += 1
      actions.append(
        .notice(item: item, .note, .startingOver(.firstMirrorDiffers(mirrors[mirror].redirects.original))))
      restart(&actions)
      mirrors.choose(mirror)
      mirrors[mirror].ranges.versionWasChosen()
      return .nothing
    case .rangeUnsupported, .useless:
      concludeIfWhole(&actions)
      return .nothing
    case .keepExisting:
      phase = .ended
      segments.stopAll(&actions)
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
    guard let digest else { return fault(.digestUnavailable, nil, transfer) }
    version.confirmed(by: digest)
    concludeIfWhole(&actions)
    return .nothing
  }

  // MARK: Conclusion

  mutating func concludeIfWhole(_ actions: inout [RunAction]) {
    guard phase == .running, isWhole, !needsConfirmation, let length = completeLength else { return }
    let isOtherLength = representation?.contentCoding == nil && expectedLength.map { $0 != length } ?? false
    if isOtherLength || pieces?.hashes.cover(length) == false {
      let fault =
        isOtherLength
        ? TransferFault.wrongLength(expected: expectedLength ?? 0, announced: length) : .wrongContent
      let source = mirrors.source
      segments.progressCountsAnew()
      restart(&actions)
      expel(source, fault, &actions)
      return
    }
    segments.stopAll(&actions)
    verifyPieces(in: 0..<length, &actions)
    if pieces?.isWhole(length) == false { return }
    phase = .concluding
    actions.append(
      .conclude(
        item: item,
        Conclusion(
          completeLength: length, expected: expectedDigests.all, lastModified: representation?.validators.lastModified))
    )
  }

  /// The file is published.
  package mutating func concluded() {
    switch phase {
    case .concluding: phase = .ended
    // A failure that was told while the file was being published came first.
    case .ended: break
    case .running, .paused: assertionFailure("concluded while \(phase)")
    }
  }

  /// The content is not what a digest says: other bytes from another mirror if there is one, a few times.
  package mutating func mismatched(expected: ExpectedDigest, actual: ContentDigest, _ actions: inout [RunAction]) {
    switch phase {
    case .concluding: break
    // A failure of the storage that was told while the file was being hashed came first.
    case .ended: return
    case .running, .paused: return failImpossible("mismatched", &actions)
    }
    segments.progressCountsAnew()
    let mismatch = DigestMismatch(expected: expected.digest, actual: actual)
    // What a single mirror brought is its own: where the user knows the digest and others are left, it is not asked
    // again, which is no attempt of theirs.
    let culprit = expectedDigests.areGiven ? mirrors.soleSourceWithAlternative : nil
    if culprit == nil { integrityFailureCount += 1 }
    version.mismatched()
    guard integrityFailureCount < Self.integrityLimit else {
      phase = .ended
      actions.append(.setAside(item: item))
      actions.append(.fail(item: item, DownloadError(.mismatch(mismatch, failures: integrityFailureCount))))
      return
    }
    phase = .running
    actions.append(.notice(item: item, .warning, .mismatch(mismatch)))
    restart(&actions)
    if let culprit { expel(culprit, .wrongContent, &actions) }
    mirrors.passToNextLeft()
  }

  /// A local file, not the network, failed: final for the item, and what is recorded stays.
  package mutating func storageFailed(_ error: DownloadError, _ actions: inout [RunAction]) {
    // Of several failures the first counts.
    guard phase != .ended else { return }
    fail(error, &actions)
  }
}
