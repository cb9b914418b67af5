/// The meaning of an answer's head for the file, and progress of its body.
extension FileMachine {
  /// What the driver knows at an answer besides the head.
  package struct AnswerContext: Sendable {
    /// The head's `Location`, resolved against the requested URL; nil if it is not an http or https URL.
    package var redirectTarget: Location?
    package var host: HostConditions
    package var unixTime: Int64
    package var now = Instant.zero

    package init(redirectTarget: Location?, host: HostConditions, unixTime: Int64, now: Instant = .zero) {
      self.redirectTarget = redirectTarget
      self.host = host
      self.unixTime = unixTime
      self.now = now
    }
  }

  /// Decides by the head whether and where the body is stored.
  package mutating func headReceived(
    _ id: TransferID, _ head: ResponseHead, context: AnswerContext, _ actions: inout [RunAction]
  ) -> BodyDisposition {
    // A transfer that was stopped may deliver one last answer.
    guard let index = segments.index(of: id) else { return .stop }
    let transfer = active[index]
    let mirror = transfer.mirror
    mirrors[mirror].attempts.answered()
    segments.answered(index, roundTrip: context.host.roundTrip, now: context.now)
    if transfer.purpose == .confirmation { return judgeConfirmation(index, head, context) }
    let (verdict, isOtherMirror) = version.verdict(
      on: head,
      to: VersionState.Question(
        asked: transfer.asked, mirror: mirror,
        isRedirectTarget: transfer.location != mirrors[mirror].redirects.original,
        isConditional: transfer.isConditional, isRecorded: !done.isEmpty, host: context.host))
    if transfer.isConditional, case .whole = verdict, case .update(let local) = beginning,
      local.isCurrent(besides: head)
    {
      return afterwards(index, .keepExisting, head)
    }
    if mirrors.hasOtherSource(than: mirror, of: version), !done.isEmpty || active.count > 1,
      let aftermath = objection(to: verdict, of: mirror, isOtherMirror: isOtherMirror, context)
    {
      return afterwards(index, aftermath, head)
    }
    switch verdict {
    case .whole(let answer):
      if !active.allSatisfy({ $0.id == id }) { return afterwards(index, .useless, head) }
      return acceptWhole(index, answer, head, context, &actions)
    case .wholeInsteadOfRange(let answer):
      segments.limitToOne()
      mirrors[mirror].ranges.refused()
      if active.count > 1 { return afterwards(index, .rangeUnsupported, head) }
      actions.append(.notice(item: item, .detail, .rangesUnsupported))
      return acceptWhole(index, answer, head, context, &actions)
    case .range(let range, let answer):
      return acceptRange(index, range, answer, head, &actions)
    case .changed(let reason, let body):
      return changed(index, reason, body, head, context, &actions)
    case .versionInDoubt(let reason):
      return afterwards(index, .versionInDoubt(reason), head)
    case .rangesRefused:
      return afterwards(index, .rangesRefused, head)
    case .notModified:
      return afterwards(index, .keepExisting, head)
    case .redirect:
      return judgeRedirect(index, head, context)
    case .resolveAgain(let status):
      // If the target never served anything it has not expired; it may refuse the range.
      if status == 403, transfer.asked != .whole, !mirrors[mirror].redirects.isSettled {
        return afterwards(index, .rangesRefused, head)
      }
      return afterwards(index, .resolveAgain(status: status), head)
    case .refused(let fault):
      return afterwards(index, .refused(fault, retryAfter: head.retryAfter(dateNow: context.unixTime)), head)
    }
  }

  /// The aftermath if other mirrors continue with the content; nil if the answer counts as it is.
  private mutating func objection(
    to verdict: ResponseJudge.Verdict, of mirror: Int, isOtherMirror: Bool, _ context: AnswerContext
  ) -> ActiveTransfer.Aftermath? {
    let isJunior = mirrors.isJunior(mirror, in: version)
    switch verdict {
    case .changed(let reason, _) where isOtherMirror && decides(mirror, reason):
      return .outranks
    // A range has another length: a plain GET decides whether the first mirror is right.
    case .versionInDoubt(let reason?) where isOtherMirror && decides(mirror, reason):
      return .versionInDoubt(reason)
    case .changed where isOtherMirror || isJunior, .versionInDoubt where isOtherMirror || isJunior:
      return .disagrees
    case .wholeInsteadOfRange where active.count > 1:
      // The others continue with ranges.
      mirrors[mirror].ranges.refused()
      return .rangeUnsupported
    case .whole(let answer) where isOtherMirror, .wholeInsteadOfRange(let answer) where isOtherMirror:
      let isLost = keptPrefix(before: answer, mirror: mirror, context) == 0
      return isLost && version.isResumable(on: context.host) ? .disagrees : nil
    default: return nil
    }
  }

  /// Whether the mirror's different version is the wanted one because the mirror comes first in the request.
  private func decides(_ mirror: Int, _ reason: VersionChange) -> Bool {
    // Only a length is certain: mirrors may have different tags for equal files.
    guard case .length = reason, !version.hasGivenDigests, expectedLength == nil, restartCount < Self.restartLimit
    else {
      return false
    }
    return mirrors.isFirst(mirror)
  }

  /// Sets what follows the unwanted body. A short body is read, so that the connection can be reused.
  private mutating func afterwards(
    _ index: Int, _ aftermath: ActiveTransfer.Aftermath, _ head: ResponseHead
  ) -> BodyDisposition {
    segments.judged(index, aftermath)
    let isShort = head.contentLength.map { $0 <= 64 << 10 } ?? false
    return isShort && !head.connectionCloses ? .drain : .stop
  }

  private mutating func judgeRedirect(
    _ index: Int, _ head: ResponseHead, _ context: AnswerContext
  ) -> BodyDisposition {
    do throws(TransferFault) {
      let target = try mirrors[active[index].mirror].redirects.checked(
        context.redirectTarget, limit: settings.maxRedirects, hasGivenDigests: version.hasGivenDigests)
      return afterwards(index, .redirect(target), head)
    } catch {
      return afterwards(index, .refused(error, retryAfter: nil), head)
    }
  }

  private mutating func judgeConfirmation(
    _ index: Int, _ head: ResponseHead, _ context: AnswerContext
  ) -> BodyDisposition {
    switch head.status {
    case 200:
      segments.confirmationBegan(index)
      return .hash
    case 301, 302, 303, 307, 308: return judgeRedirect(index, head, context)
    default:
      let fault = TransferFault.status(head.status)
      return afterwards(index, .refused(fault, retryAfter: head.retryAfter(dateNow: context.unixTime)), head)
    }
  }

  // MARK: Bodies that are taken

  private mutating func acceptWhole(
    _ index: Int, _ answer: Representation, _ head: ResponseHead, _ context: AnswerContext,
    _ actions: inout [RunAction]
  ) -> BodyDisposition {
    let transfer = active[index]
    let mirror = transfer.mirror
    if case .compareLength(let size) = beginning { return compare(index, size, answer, head) }
    if let refusal = refusal(of: answer) { return afterwards(index, refusal, head) }
    // What is recorded can stay only if it is provably of the same version.
    let kept = keptPrefix(before: answer, mirror: mirror, context)
    // From zero it is this mirror's version. The validators of other mirrors belong to the previous one.
    if kept == 0 { discardRecorded(&actions) }
    if kept < done.byteCount { segments.keepPrefix(kept, completeLength: answer.completeLength ?? kept) }
    version.adopt(answer, head, keepsContent: kept > 0, of: mirror)
    actions.append(.adopt(item: item, answer))
    segments.wholeBegan(index, kept: kept, completeLength: answer.completeLength)
    mirrors[mirror].redirects.servedContent()
    if transfer.asked == .whole { mirrors[mirror].ranges.wholeCame() }
    openTogether(now: context.now)
    return .store(at: 0, skip: kept, end: answer.completeLength)
  }

  /// Opens further connections to a distant host at once, so that their handshakes and slow starts overlap.
  private mutating func openTogether(now: Instant) {
    // Mirrors share the connections, so the number for each is found step by step.
    guard segments.speeds.roundTrip >= HostConditions.farRoundTrip, !sharesMirrors, let length = completeLength
    else { return }
    mirrors[currentMirror].probe.open(Int(min((length - done.byteCount) / Self.farByteCount, 1 << 16)), now: now)
  }

  /// The bytes for each of several connections to a distant host.
  private static let farByteCount: Int64 = 4 << 20

  /// The number of leading recorded bytes that may be kept before a whole answer.
  private func keptPrefix(before answer: Representation, mirror: Int, _ context: AnswerContext) -> Int64 {
    !done.isEmpty && version.mayKeepContent(before: answer, of: mirror, host: context.host) ? done.contiguousEnd : 0
  }

  /// The aftermath if the length alone shows that the content is not the wanted one.
  private func refusal(of answer: Representation) -> ActiveTransfer.Aftermath? {
    guard let length = answer.completeLength else { return nil }
    if let limit = settings.maxFilesize, length > limit { return .refused(.tooLarge(limit: limit), retryAfter: nil) }
    if let expected = expectedLength, answer.contentCoding == nil, expected != length {
      return .refused(.wrongLength(expected: expected, announced: length), retryAfter: nil)
    }
    if let pieces, !pieces.hashes.cover(length) { return .refused(.wrongContent, retryAfter: nil) }
    return nil
  }

  private mutating func compare(
    _ index: Int, _ size: Int64, _ answer: Representation, _ head: ResponseHead
  ) -> BodyDisposition {
    if answer.completeLength == size { return afterwards(index, .keepExisting, head) }
    return afterwards(
      index, .failItem(DownloadError(.targetDiffers(length: size, remote: answer.completeLength))), head)
  }

  private mutating func acceptRange(
    _ index: Int, _ range: Range<Int64>, _ answer: Representation, _ head: ResponseHead,
    _ actions: inout [RunAction]
  ) -> BodyDisposition {
    let transfer = active[index]
    if let aftermath = refusal(of: answer) {
      segments.judged(index, aftermath)
      return .stop
    }
    let wanted: Range<Int64>
    switch transfer.asked {
    case .range(let asked): wanted = range.lowerBound..<min(range.upperBound, asked.upperBound)
    case .whole, .from: wanted = range
    }
    if version.learn(from: answer, of: transfer.mirror), let representation {
      actions.append(.adopt(item: item, representation))
    }
    if settings.canHashLate { version.contentCame(from: head) }
    guard let end = segments.rangeBegan(transfer.id, wanted, completeLength: completeLength, &actions) else {
      return .stop
    }
    mirrors[transfer.mirror].redirects.servedContent()
    return .store(at: wanted.lowerBound, skip: 0, end: end)
  }

  // MARK: Versions that changed

  /// The answer brings another version from its first byte. No older bytes may stay.
  private mutating func changed(
    _ index: Int, _ reason: VersionChange, _ body: Representation, _ head: ResponseHead,
    _ context: AnswerContext, _ actions: inout [RunAction]
  ) -> BodyDisposition {
    let mirror = active[index].mirror
    segments.stopAll(besides: index, &actions)
    if let error = noteRestart(reason, &actions) { return afterwards(0, .failItem(error), head) }
    discardRecorded(&actions)
    mirrors[mirror].ranges.versionChanged()
    return acceptWhole(0, body, head, context, &actions)
  }

  /// Counts a restart.
  /// - Returns: an error after too many.
  private mutating func noteRestart(
    _ reason: VersionChange, _ actions: inout [RunAction]
  ) -> DownloadError? {
    restartCount += 1
    segments.progressCountsAnew()
    guard restartCount <= Self.restartLimit else {
      return DownloadError(.keepsChanging(reason))
    }
    actions.append(.notice(item: item, .note, .startingOver(.changed(reason))))
    return nil
  }

  /// Discards the recorded bytes, their version and its claimed digests.
  private mutating func discardContent(_ actions: inout [RunAction]) {
    version.contentDiscarded()
    segments.contentDiscarded()
    mirrors.contentDiscarded()
    actions.append(.discardContent(item: item))
  }

  /// As `discardContent`, but without recorded bytes mirrors keep their standing.
  private mutating func discardRecorded(_ actions: inout [RunAction]) {
    if done.isEmpty { version.contentDiscarded() } else { discardContent(&actions) }
  }

  /// Starts over: stops transfers and discards content and version.
  mutating func restart(_ actions: inout [RunAction]) {
    segments.stopAll(&actions)
    discardContent(&actions)
  }

  // MARK: Progress

  /// The bytes of a transfer up to `offset` are in the part file.
  /// - Returns: the number of new bytes.
  @discardableResult
  package mutating func advanced(_ id: TransferID, to offset: Int64, _ actions: inout [RunAction]) -> Int64 {
    // Bytes of a stopped transfer do not count; they are fetched again.
    guard let index = segments.index(of: id), active[index].isFilling, offset > active[index].position else {
      return 0
    }
    let start = active[index].position
    let (added, progress) = segments.advanced(index, to: offset)
    let transfer = active[index]
    mirrors[transfer.mirror].brought(added, progress: progress)
    if transfer.recorded >= MirrorAttempts.progressByteCount, transfer.asked != .whole {
      mirrors[transfer.mirror].ranges.served(startedAt: transfer.startedAt)
    }
    if let limit = settings.maxFilesize, completeLength == nil, offset > limit {
      fail(error(for: .tooLarge(limit: limit), mirror: transfer.mirror), &actions)
      return added
    }
    segments.endBeaten(by: index, &actions)
    verifyPieces(in: start..<offset, &actions)
    return added
  }
}
