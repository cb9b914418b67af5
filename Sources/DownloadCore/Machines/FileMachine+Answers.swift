/// What answers and ends of transfers mean for the file.
extension FileMachine {
  /// What the run's driver knows at an answer, beyond the head.
  package struct AnswerContext: Sendable {
    /// The head's `Location`, resolved against where it was asked; nil where that is no http or https URL.
    package var redirectTarget: Location?
    package var isETagReliable: Bool
    package var unixTime: Int64
    /// Of the host.
    package var roundTrip: Duration = .zero
    package var now = Instant.zero

    package init(
      redirectTarget: Location?, isETagReliable: Bool, unixTime: Int64, roundTrip: Duration = .zero,
      now: Instant = .zero
    ) {
      self.redirectTarget = redirectTarget
      self.isETagReliable = isETagReliable
      self.unixTime = unixTime
      self.roundTrip = roundTrip
      self.now = now
    }
  }

  /// Judges the head and says what happens to the body; the transfer must be one of this file's active ones.
  package mutating func headReceived(
    _ id: TransferID, _ head: ResponseHead, context: AnswerContext, _ actions: inout [RunAction]
  ) -> BodyDisposition {
    // A transfer that was stopped may deliver one last answer.
    guard let index = active.firstIndex(where: { $0.id == id }) else { return .stop }
    let transfer = active[index]
    let mirror = transfer.mirror
    mirrors[mirror].unansweredInARow = 0
    active[index].answeredAt = context.now
    roundTrip = context.roundTrip
    if transfer.purpose == .confirmation { return judgeConfirmation(index, head, context) }
    var known = representation
    var isOtherMirror = known != nil && mirrors.count > 1
    // A mirror that has named no validator is compared with what others have named.
    if let own = mirrors[mirror].validators, !own.isEmpty || representation?.validators.isEmpty ?? true {
      known?.validators = own
      isOtherMirror = false
    }
    let judge = ResponseJudge(
      asked: transfer.asked, known: known, judges: judges,
      digestWillJudge: digestWillJudge && (mixesMirrors || !isOtherMirror),
      trustsLength: settings.trustsLength,
      isETagReliable: context.isETagReliable, isRedirectTarget: transfer.location != mirrors[mirror].original,
      isConditional: transfer.isConditional, isOtherMirror: isOtherMirror, isRecorded: !done.isEmpty)
    let verdict = judge.verdict(on: head)
    if transfer.isConditional, case .whole = verdict, case .update(let local) = beginning,
      local.isCurrent(besides: head)
    {
      return afterwards(index, .keepExisting, head)
    }
    if hasOtherSource(than: mirror), !done.isEmpty || active.count > 1 {
      let isJunior = isJunior(mirror)
      switch verdict {
      case .changed(let reason, _) where isOtherMirror && decides(mirror, reason):
        return afterwards(index, .outranks, head)
      // A range shows another length: what a plain GET brings decides whether the first named mirror is right.
      case .versionInDoubt(let reason?) where isOtherMirror && decides(mirror, reason):
        return afterwards(index, .versionInDoubt(reason), head)
      case .changed where isOtherMirror || isJunior, .versionInDoubt where isOtherMirror || isJunior:
        return afterwards(index, .disagrees, head)
      case .wholeInsteadOfRange where active.count > 1:
        // Others go on with ranges.
        mirrors[mirror].ignoresRanges = true
        return afterwards(index, .rangeUnsupported, head)
      case .whole(let answer) where isOtherMirror, .wholeInsteadOfRange(let answer) where isOtherMirror:
        let isLost = keepablePrefix(before: answer, mirror: mirror, context: context) == 0
        if isLost, isResumable(isETagReliable: context.isETagReliable) { return afterwards(index, .disagrees, head) }
      default: break
      }
    }
    switch verdict {
    case .whole(let answer):
      if !active.allSatisfy({ $0.id == id }) { return afterwards(index, .useless, head) }
      return acceptWhole(index, answer, head, context, &actions)
    case .wholeInsteadOfRange(let answer):
      isSingleStream = true
      mirrors[mirror].ignoresRanges = true
      if active.count > 1 { return afterwards(index, .rangeUnsupported, head) }
      actions.append(.notice(item: item, .detail, "the server does not serve ranges; going on as one stream"))
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
      // Where nothing was ever served the address has not expired: it may be the range that is refused.
      if status == 403, transfer.asked != .whole, !mirrors[mirror].isSettled {
        return afterwards(index, .rangesRefused, head)
      }
      return afterwards(index, .resolveAgain(status: status), head)
    case .refused(let fault):
      return afterwards(index, .refused(fault, retryAfter: head.retryAfter(dateNow: context.unixTime)), head)
    }
  }

  /// Notes what follows once the unwanted body is out of the way: a short one is read, for the connection's sake.
  private mutating func afterwards(
    _ index: Int, _ aftermath: ActiveTransfer.Aftermath, _ head: ResponseHead
  ) -> BodyDisposition {
    active[index].stage = .judged(aftermath)
    let isShort = head.contentLength.map { $0 <= 64 << 10 } ?? false
    return isShort && !head.connectionCloses ? .drain : .stop
  }

  private mutating func judgeRedirect(
    _ index: Int, _ head: ResponseHead, _ context: AnswerContext
  ) -> BodyDisposition {
    let transfer = active[index]
    let from = mirrors[transfer.mirror].location
    guard let target = context.redirectTarget else {
      let fault = TransferFault.redirectRefused("its target is no http or https URL")
      return afterwards(index, .refused(fault, retryAfter: nil), head)
    }
    guard mirrors[transfer.mirror].hopCount < settings.maxRedirects else {
      return afterwards(index, .refused(.tooManyRedirects(settings.maxRedirects), retryAfter: nil), head)
    }
    if from.scheme == .https, target.scheme == .http, !isJudged {
      let fault = TransferFault.insecureRedirect(to: target.redacted)
      return afterwards(index, .refused(fault, retryAfter: nil), head)
    }
    return afterwards(index, .redirect(target), head)
  }

  private mutating func judgeConfirmation(
    _ index: Int, _ head: ResponseHead, _ context: AnswerContext
  ) -> BodyDisposition {
    switch head.status {
    case 200:
      active[index].stage = .receiving
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
    let mirror = active[index].mirror
    if case .compareLength(let size) = beginning {
      return compare(index, size, answer, head)
    }
    if let error = refusal(of: answer) {
      return afterwards(index, error, head)
    }
    // What is recorded can stay only if it is provably of the same version.
    let kept = keepablePrefix(before: answer, mirror: mirror, context: context)
    if kept == 0 {
      if !done.isEmpty { discard(&actions) }
      judges.contentDiscarded()
    }
    // From zero it is this mirror's version; what others told was of the one before.
    if kept == 0 { for other in mirrors.indices { mirrors[other].validators = nil } }
    if kept < done.byteCount, kept > 0 {
      done = ByteRangeSet(CollectionOfOne(0..<kept))
      let left = done
      pieces?.restrict(to: left, completeLength: answer.completeLength ?? kept)
    }
    adopt(answer, head, keepingPrefix: kept > 0, mirror: mirror, &actions)
    active[index].stage = .receiving
    mirrors[mirror].isSettled = true
    // The plain GET has told the version: what the ranges say can be compared with that again.
    if active[index].asked == .whole, 1..<Self.doubtLimit ~= mirrors[mirror].doubtCount {
      mirrors[mirror].ignoresRanges = false
    }
    active[index].bodyStart = 0
    active[index].position = kept
    active[index].end = answer.completeLength ?? .max
    openTogether(now: context.now)
    return .store(at: 0, skip: kept, end: answer.completeLength)
  }

  /// Far servers: the further connections' handshakes and slow starts overlap with those of the first.
  private mutating func openTogether(now: Instant) {
    // Mirrors share what connections there may be: how many each gets is found step by step.
    guard roundTrip >= Self.farRoundTrip, !sharesMirrors, let length = completeLength else { return }
    mirrors[currentMirror].climber.open(Int(min((length - done.byteCount) / Self.farShare, 1 << 16)), now: now)
  }

  /// What each of several connections to a far server should have to do, bytes.
  private static let farShare: Int64 = 4 << 20

  private func keepablePrefix(before answer: Representation, mirror: Int, context: AnswerContext) -> Int64 {
    guard let representation, !done.isEmpty, answer.contentCoding == nil, representation.contentCoding == nil,
      representation.hasLength(of: answer)
    else { return 0 }
    let isOwn = mirrors[mirror].validators != nil || mirrors.count == 1
    if (digestWillJudge && (mixesMirrors || isOwn)) || settings.trustsLength { return done.contiguousEnd }
    let known = mirrors[mirror].validators ?? representation.validators
    return known.compared(to: answer.validators, isETagReliable: context.isETagReliable) == .same
      ? done.contiguousEnd : 0
  }

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
    let told = answer.completeLength.map { "the server's has \($0) bytes" } ?? "the server tells no length"
    return afterwards(
      index,
      .failItem(
        DownloadError(
          .integrity, "a file of \(size) bytes is there already: \(told)",
          hint: "replace it with --if-exists replace, keep it with --if-exists keep, or move it away")), head)
  }

  /// The answer's version is the content's from now on.
  private mutating func adopt(
    _ answer: Representation, _ head: ResponseHead, keepingPrefix: Bool, mirror: Int, _ actions: inout [RunAction]
  ) {
    // Where a digest alone lets the recorded bytes stay, what identified them still does.
    let isPoorer = keepingPrefix && answer.validators.isEmpty
    if !isPoorer {
      representation = answer
      mirrors[mirror].validators = answer.validators
      lastModified = answer.validators.lastModified
    }
    // A length that is known confirms the end as well as a Content-Length does.
    isCloseDelimited = head.isCloseDelimited && answer.completeLength == nil
    isConfirmed = false
    judges.contentCame(from: head)
    actions.append(.adopt(item: item, answer))
  }

  private mutating func acceptRange(
    _ index: Int, _ range: Range<Int64>, _ answer: Representation, _ head: ResponseHead,
    _ actions: inout [RunAction]
  ) -> BodyDisposition {
    let id = active[index].id
    let mirror = active[index].mirror
    if let aftermath = refusal(of: answer) {
      active[index].stage = .judged(aftermath)
      return .stop
    }
    let wanted: Range<Int64>
    switch active[index].asked {
    case .range(let asked): wanted = range.lowerBound..<min(range.upperBound, asked.upperBound)
    case .whole, .from: wanted = range
    }
    if mirrors[mirror].validators == nil || representation?.completeLength == nil {
      // A length that a range tells confirms the end as well as a Content-Length does.
      if representation?.completeLength == nil { isCloseDelimited = false }
      mirrors[mirror].validators = answer.validators
      representation?.completeLength = answer.completeLength
      if let representation { actions.append(.adopt(item: item, representation)) }
    }
    if settings.canHashLate { judges.contentCame(from: head) }
    // Who was asked for the same and has not answered yet is too late.
    for other in active where other.id != id && other.stage == .awaitingHead {
      guard case .range(let theirs) = other.asked, wanted.clamped(to: theirs) == theirs else { continue }
      actions.append(.stop(other.id))
      active.removeAll { $0.id == other.id }
    }
    guard let index = active.firstIndex(where: { $0.id == id }) else { return .stop }
    let overlap = overlap(of: wanted, besides: id)
    if overlap > duplicateBudget || overlap >= wanted.upperBound - wanted.lowerBound {
      // Bounded, for what came too late once may do so again.
      hurryCount += 1
      active[index].stage = .judged(.useless)
      return .stop
    }
    duplicateByteCount += overlap
    // Whoever was to bring the bytes from here on has them brought by this transfer now.
    for other in active.indices where other != index && active[other].stage == .receiving {
      guard active[other].bodyStart <= wanted.lowerBound, active[other].end > wanted.lowerBound else { continue }
      let end = max(active[other].position, wanted.lowerBound)
      active[other].end = end
      actions.append(.setEnd(active[other].id, end: end))
    }
    active[index].stage = .receiving
    mirrors[mirror].isSettled = true
    active[index].bodyStart = wanted.lowerBound
    active[index].position = wanted.lowerBound
    // Whoever has begun further on goes on from there.
    let begun = active.filter { $0.stage == .receiving && $0.purpose == .content }.map(\.bodyStart)
    let end = begun.filter { $0 > wanted.lowerBound && $0 < wanted.upperBound }.min() ?? wanted.upperBound
    active[index].end = end
    return .store(at: wanted.lowerBound, skip: 0, end: end)
  }

  // MARK: Versions that changed

  private mutating func changed(
    _ index: Int, _ reason: ResponseJudge.ChangeReason, _ body: Representation, _ head: ResponseHead,
    _ context: AnswerContext, _ actions: inout [RunAction]
  ) -> BodyDisposition {
    let transfer = active[index]
    for other in active where other.id != transfer.id { actions.append(.stop(other.id)) }
    active = [transfer]
    if let error = noteRestart(reason, &actions) {
      return afterwards(0, .failItem(error), head)
    }
    return startOver(0, body, head, context, &actions)
  }

  /// The answer at `index`, the only active one, brings a version from its first byte; nothing older may stay.
  private mutating func startOver(
    _ index: Int, _ answer: Representation, _ head: ResponseHead, _ context: AnswerContext,
    _ actions: inout [RunAction]
  ) -> BodyDisposition {
    if !done.isEmpty { discard(&actions) }
    representation = nil
    judges.contentDiscarded()
    // The doubt was right, and is settled: ranges of the new version are as good as any.
    mirrors[active[index].mirror].ignoresRanges = false
    mirrors[active[index].mirror].doubtCount = 0
    for mirror in mirrors.indices { mirrors[mirror].validators = nil }
    return acceptWhole(index, answer, head, context, &actions)
  }

  /// Counts a restart; an error once there were too many.
  mutating func noteRestart(_ reason: ResponseJudge.ChangeReason, _ actions: inout [RunAction]) -> DownloadError? {
    restartCount += 1
    mostDone = 0
    guard restartCount <= Self.restartLimit else {
      return DownloadError(
        .integrity, "the file keeps changing on the server: \(reason.text)",
        hint: "run the same command again when it is no longer being written")
    }
    actions.append(.notice(item: item, .note, "starting over, for on the server \(reason.text)"))
    return nil
  }

  mutating func discard(_ actions: inout [RunAction]) {
    done = ByteRangeSet()
    pieces?.startOver()
    for mirror in mirrors.indices {
      mirrors[mirror].contribution = 0
      mirrors[mirror].isReplacement = false
    }
    actions.append(.discardContent(item: item))
  }

  /// Everything from zero: transfers, content, what is known of the version.
  mutating func restart(_ actions: inout [RunAction]) {
    stopAll(&actions)
    discard(&actions)
    representation = nil
    judges.contentDiscarded()
    isCloseDelimited = false
    isConfirmed = false
    for mirror in mirrors.indices { mirrors[mirror].validators = nil }
  }

  // MARK: Progress

  /// Bytes of a transfer are in the part file up to `offset`.
  /// - Returns: how many of them were new.
  @discardableResult
  package mutating func advanced(_ id: TransferID, to offset: Int64, _ actions: inout [RunAction]) -> Int64 {
    // Bytes of a transfer that was stopped meanwhile are not counted: they are fetched again.
    guard let index = active.firstIndex(where: { $0.id == id }), active[index].purpose == .content,
      active[index].stage == .receiving, offset > active[index].position
    else { return 0 }
    let (range, mirror) = (active[index].position..<offset, active[index].mirror)
    // What was there before stays: it is not this mirror's.
    if pieces != nil { pieces!.recorded(done.gaps(in: range), by: mirror) }
    let added = done.insert(range)
    active[index].position = offset
    noteRangeServed(index, added)
    mirrors[active[index].mirror].contribution += added
    mirrors[active[index].mirror].recordedSinceFault += max(0, done.byteCount - mostDone)
    mostDone = max(mostDone, done.byteCount)
    if let limit = settings.maxFilesize, completeLength == nil, offset > limit {
      fail(error(for: .tooLarge(limit: limit), mirror: active[index].mirror), &actions)
      return added
    }
    endBeaten(by: index, &actions)
    verifyPieces(in: range, &actions)
    return added
  }

  /// Transfers whose rest another one has brought meanwhile have nothing left to do.
  private mutating func endBeaten(by winner: Int, _ actions: inout [RunAction]) {
    for index in active.indices where index != winner && active[index].stage == .receiving {
      let transfer = active[index]
      guard transfer.purpose == .content, transfer.end != .max, transfer.position < transfer.end,
        done.contains(transfer.position..<transfer.end)
      else { continue }
      active[index].end = transfer.position
      actions.append(.setEnd(transfer.id, end: transfer.position))
    }
  }
}
