/// The meaning of a transfer's end: the file is complete, continues, waits, or has failed.
extension FileMachine {
  /// What a transfer's end leaves to the run: a fault whose handling needs the host.
  package enum PendingFault: Hashable, Sendable {
    case nothing
    /// Call `faulted` with this fault after consulting the host.
    /// - Parameter recorded: the number of bytes that the transfer was the first to record.
    case fault(
      TransferFault, retryAfter: Duration?, mirror: Int, startedAt: Instant, recorded: Int64, isFruitlessRange: Bool)
  }

  /// The transfer has ended. All its bytes were reported by `advanced`.
  package mutating func transferEnded(
    _ id: TransferID, _ ending: TransferEnding, now: Instant, _ actions: inout [RunAction]
  ) -> PendingFault {
    // A transfer may end before the driver stops it.
    guard let index = segments.index(of: id) else { return .nothing }
    let transfer = segments.remove(index)
    defer {
      let mirror = transfer.mirror
      if transfer.bringsWhole, phase == .running,
        mirrors.maySucceedWithRanges(mirror, afterWholeThatBroughtAny: transfer.recorded > 0)
      {
        mirrors.askForRangesAgain(mirror, lastStart: segments.lastStart(of: mirror))
      }
    }
    if case .judged(let aftermath) = transfer.stage { return apply(aftermath, of: transfer, now: now, &actions) }
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
    // The 304 counts where a HEAD gets no answer.
    case .failed where isConfirming: return apply(.keepExisting, of: transfer, now: now, &actions)
    case .failed(let fault):
      // Another transfer may have brought the same bytes.
      if isWhole, transfer.purpose == .content { break }
      let counted = mirrors[transfer.mirror].redirects.failed(fault, at: transfer.location)
      return self.fault(counted, nil, transfer)
    }
    noteProgress(of: transfer.mirror)
    concludeIfWhole(&actions)
    return .nothing
  }

  /// Whether a body that is complete by its framing is shorter than required.
  private func isCutShort(_ transfer: ActiveTransfer) -> Bool {
    // Servers may send a shorter range. A known length must be reached by a body without a range.
    if transfer.position == transfer.bodyStart, transfer.end > transfer.position, transfer.end != .max { return true }
    if case .whole = transfer.asked, transfer.end != .max, transfer.position < transfer.end { return true }
    // But a range must bring some progress.
    return transfer.position - transfer.bodyStart < MirrorAttempts.progressByteCount
      && segments.leavesRest(transfer, completeLength: completeLength)
  }

  /// Whether a length or an expected digest confirms the end of a body.
  private func mayEnd(_ transfer: ActiveTransfer) -> Bool {
    if settings.allowsUnconfirmed { return true }
    guard transfer.purpose == .content else { return false }
    return completeLength != nil || version.isVerifiable || expectedLength.map { $0 <= transfer.position } ?? false
  }

  private func fault(_ fault: TransferFault, _ retryAfter: Duration?, _ transfer: ActiveTransfer) -> PendingFault {
    let isFruitlessRange =
      transfer.recorded < MirrorAttempts.progressByteCount
      && segments.leavesRest(transfer, completeLength: completeLength)
    return .fault(
      fault, retryAfter: retryAfter, mirror: transfer.mirror, startedAt: transfer.startedAt,
      recorded: transfer.recorded, isFruitlessRange: isFruitlessRange)
  }

  private mutating func apply(
    _ aftermath: ActiveTransfer.Aftermath, of transfer: ActiveTransfer, now: Instant, _ actions: inout [RunAction]
  ) -> PendingFault {
    let mirror = transfer.mirror
    switch aftermath {
    case .redirect(let target, let retryAfter):
      mirrors[mirror].redirects.followed(from: transfer.location, to: target)
      // RFC 9110 section 10.2.3. Servers that prepare a file redirect to the same URL until it is there.
      if let wait = settings.retries.wait(for: retryAfter), wait > .zero {
        mirrors[mirror].attempts.wait(until: now + wait)
      }
      return .nothing
    case .resolveAgain(let status):
      // Targets with a signature expire. That is a fault only of one that brings hardly anything.
      if mirrors[mirror].redirects.expired(at: transfer.location) { return .nothing }
      return fault(.expiredRedirect(status: status), nil, transfer)
    case .refused(let fault, let retryAfter):
      if case .protocolViolation = fault, transfer.asked != .whole { mirrors[mirror].ranges.contradicted() }
      return self.fault(fault, retryAfter, transfer)
    case .versionInDoubt(let reason):
      mirrors[mirror].ranges.cameInDoubt()
      // If a validator differs, further bytes of other transfers are as useless as the recorded ones.
      if let reason {
        actions.append(.notice(item: item, .detail, .versionInDoubt(reason)))
        segments.stopAll(&actions)
        mirrors.choose(mirror)
      }
      return .nothing
    case .rangesRefused where mirrors[mirror].isLinked:
      expel(mirror, .expiredRedirect(status: 403), &actions)
      return .nothing
    case .rangesRefused:
      rangeWasRefused(by: mirror, &actions)
      actions.append(.notice(item: item, .detail, .rangesUnsupported))
      return .nothing
    case .disagrees where mirrors[mirror].isLinked:
      expel(mirror, .wrongContent, remark: .mirrorDisagrees(mirrors[mirror].redirects.original), &actions)
      return .nothing
    case .disagrees:
      mirrors[mirror].disagrees()
      actions.append(.notice(item: item, .note, .mirrorDisagrees(mirrors[mirror].redirects.original)))
      return .nothing
    case .outranks:
      version.changed()
      actions.append(
        .notice(item: item, .note, .startingOver(.firstMirrorDiffers(mirrors[mirror].redirects.original))))
      restart(&actions)
      mirrors.choose(mirror)
      mirrors[mirror].ranges.versionWasChosen()
      return .nothing
    case .rangeUnsupported:
      rangeWasRefused(by: mirror, &actions)
      concludeIfWhole(&actions)
      return .nothing
    case .useless:
      concludeIfWhole(&actions)
      return .nothing
    case .keepExisting:
      phase = .ended
      segments.stopAll(&actions)
      actions.append(.keep(item: item))
      return .nothing
    case .lengthInDoubt:
      if case .update(let local) = beginning { beginning = .confirm(local) }
      return .nothing
    case .lengthDiffers:
      switch beginning {
      case .update(var local), .confirm(var local):
        local.mark = .broken
        beginning = .update(local)
      default: break
      }
      return .nothing
    case .endUnproven: return .nothing
    case .headRefused:
      beginning = .probe(.get)
      return .nothing
    case .failItem(let error):
      fail(error, &actions)
      return .nothing
    }
  }

  private mutating func confirmed(
    by digest: ContentDigest?, _ transfer: ActiveTransfer, _ actions: inout [RunAction]
  ) -> PendingFault {
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
      if phase == .running, !mirrors.areLeft(for: version) { fail(error(for: fault, mirror: source), &actions) }
      return
    }
    segments.stopAll(&actions)
    // Each of many pieces comes here when it is verified.
    if pieces?.areAllAsked == false { verifyPieces(in: 0..<length, &actions) }
    if pieces?.isWhole(length) == false { return }
    let conclusion = Conclusion(
      completeLength: length, expected: expectedDigests.all, lastModified: representation?.validators.lastModified)
    phase = .verifying(conclusion)
    actions.append(.conclude(item: item, conclusion))
  }
}
