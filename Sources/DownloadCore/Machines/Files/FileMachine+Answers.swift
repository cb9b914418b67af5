/// The meaning of an answer for the file.
extension FileMachine {
  /// What the run knows at an answer besides the answer.
  struct AnswerContext: Sendable {
    var host: HostConditions
    /// Whether the request offered HTTP/1.1 only.
    var avoidsHTTP2 = false
    var now: Instant
  }

  /// Whether the answer to this transfer came over HTTP/2 and is to be had over HTTP/1.1.
  func wantsHTTP1(after id: TransferID) -> Bool { active.contains { $0.id == id && $0.stage == .judged(.endUnproven) } }

  /// The range that a transfer requested; nil if it was stopped.
  func asked(by id: TransferID) -> AskedContent? { segments.index(of: id).map { active[$0].asked } }

  /// Decides by the answer whether and where the body is stored.
  mutating func answered(
    _ id: TransferID, _ answer: Answer, context: AnswerContext, _ actions: inout [RunAction]
  ) -> BodyDisposition {
    // A transfer that was stopped may deliver one last answer.
    guard let index = segments.index(of: id) else { return .stop }
    let transfer = active[index]
    let mirror = transfer.mirror
    mirrors[mirror].attempts.answered()
    segments.answered(index, roundTrip: context.host.roundTrip, now: context.now)
    if transfer.purpose == .confirmation { return judgeConfirmation(index, answer) }
    let judge = ResponseJudge(
      asked: transfer.asked, host: context.host,
      mayHaveExpired: mirrors[mirror].redirects.mayHaveExpired(at: transfer.location), hasServed: hasServed(transfer),
      isConditional: transfer.isConditional, isRecorded: !done.isEmpty, isRefuted: isRefuted(by: answer))
    let (verdict, isOtherMirror) = version.verdict(on: answer, by: judge, of: mirrors[mirror])
    if transfer.purpose == .head { return judgeHead(index, verdict, answer) }
    if case .update(let local) = beginning, representation == nil,
      let aftermath = aftermath(of: verdict, known(local, of: mirror), answer, context)
    {
      return afterwards(index, aftermath, answer)
    }
    if transfer.asked == .whole, answer.meaning == .whole, isWrongPage(answer, at: transfer, &actions) {
      return afterwards(index, .refused(.foreignPage(from: transfer.location.host), retryAfter: nil), answer)
    }
    switch answer.meaning {
    case .whole, .range: mirrors[mirror].redirects.answeredWithContent()
    case .redirect, .notModified, .unavailable, .unacceptable, .refused: break
    }
    if mirrors[mirror].isLinked, !mayServe(verdict) { return afterwards(index, .disagrees, answer) }
    if mirrors.hasOtherSource(than: mirror), !done.isEmpty || active.count > 1,
      let aftermath = objection(to: verdict, of: mirror, isOtherMirror: isOtherMirror, context)
    {
      return afterwards(index, aftermath, answer)
    }
    switch verdict {
    case .whole(let content):
      if !active.allSatisfy({ $0.id == id }) { return afterwards(index, .useless, answer) }
      return acceptWhole(index, content, answer, context, &actions)
    case .wholeInsteadOfRange(let content):
      if active.count > 1 { return afterwards(index, .rangeUnsupported, answer) }
      mirrors[mirror].ranges.refused()
      actions.append(.notice(item: item, .detail, .rangesUnsupported))
      return acceptWhole(index, content, answer, context, &actions)
    case .range(let range, let content):
      return acceptRange(index, range, content, answer, context, &actions)
    case .changed(let reason, let body):
      return changed(index, reason, body, answer, context, &actions)
    case .versionInDoubt(let reason):
      return afterwards(index, .versionInDoubt(reason), answer)
    case .rangesRefused:
      return afterwards(index, .rangesRefused, answer)
    case .notModified:
      return afterwards(index, .keepExisting, answer)
    case .redirect:
      return judgeRedirect(index, answer)
    case .resolveAgain(let status):
      return afterwards(index, .resolveAgain(status: status), answer)
    case .refused(let fault):
      return afterwards(index, .refused(fault, retryAfter: answer.retryAfter), answer)
    }
  }

  /// What follows for an existing file; nil if the answer may replace it, or says nothing of it.
  private func aftermath(
    of verdict: ResponseJudge.Verdict, _ local: LocalCopy, _ answer: Answer, _ context: AnswerContext
  ) -> ActiveTransfer.Aftermath? {
    switch verdict {
    case .whole:
      switch local.judgement(on: answer, context.host) {
      case .keep: .keepExisting
      case .refuse: .failItem(Failure(.answerUnidentified))
      case .replace, .askLength: nil
      }
    case .notModified:
      switch local.judgement(onNotModified: answer) {
      case .keep: .keepExisting
      case .askLength: .lengthInDoubt
      case .replace, .refuse: .lengthDiffers
      }
    default: nil
    }
  }

  /// Whether the answer is a page that came over a redirect in place of the file, and of nothing that is known to be it.
  private mutating func isWrongPage(
    _ answer: Answer, at transfer: ActiveTransfer, _ actions: inout [RunAction]
  ) -> Bool {
    if case .probe = beginning { return false }
    guard !settings.acceptsHTML, !version.isVerifiable, answer.claims.isEmpty else { return false }
    let original = mirrors[transfer.mirror].redirects.original
    switch ForeignPage.classify(isPage: answer.isPage, asked: original, answering: transfer.location, name: name) {
    case .file:
      isDoubtful = false
      return false
    case .doubtful:
      if !isDoubtful { actions.append(.notice(item: item, .note, .foreignPage(from: transfer.location.host))) }
      isDoubtful = true
      return false
    case .wrong: return true
    }
  }

  /// Whether the URL has served such a request in this run. While other transfers bring the content, a refused range may be
  /// one too many, and says nothing about the URL.
  private func hasServed(_ transfer: ActiveTransfer) -> Bool {
    if transfer.asked == .whole { return mirrors[transfer.mirror].redirects.hasServed }
    return mirrors[transfer.mirror].ranges.haveServed && !active.contains { $0.id != transfer.id && $0.isFilling }
  }

  /// Whether a linked mirror may give this answer. It serves ranges of the known version, and never says which version is
  /// the wanted one.
  private func mayServe(_ verdict: ResponseJudge.Verdict) -> Bool {
    switch verdict {
    case .range, .redirect, .resolveAgain, .refused: true
    case .whole, .wholeInsteadOfRange, .changed, .versionInDoubt, .rangesRefused, .notModified: false
    }
  }

  /// Has the mirrors join that answers have named, if a strong digest judges what they bring.
  ///
  /// From https to http they lead only where the request gives the digest, as redirects do.
  private mutating func joinLinkedMirrors(
    namedBy mirror: Int, _ answer: Answer, now: Instant, _ actions: inout [RunAction]
  ) {
    guard !mirrors[mirror].isLinked, settings.canHashLate else { return }
    linked.heard(of: answer.linkedMirrors)
    guard version.admitsLinkedMirrors else { return }
    let isEncrypted = mirrors[mirror].redirects.original.scheme.isEncrypted
    let joining = linked.join(
      mirrors.locations, needsEncryption: isEncrypted && (settings.isHTTPSOnly || !version.hasGivenDigests),
      countries: settings.countries)
    if joining.isEmpty { return }
    mirrors.join(
      joining, probe: ConcurrencyProbe(initial: 1, maximum: settings.maxConnections, triesFewer: false, now: now))
    actions.append(.mirrorsJoin(item: item, joining))
    actions.append(.notice(item: item, .detail, .mirrorsJoined(joining.count)))
  }

  /// The aftermath if other mirrors continue with the content; nil if the answer counts as it is.
  private mutating func objection(
    to verdict: ResponseJudge.Verdict, of mirror: Int, isOtherMirror: Bool, _ context: AnswerContext
  ) -> ActiveTransfer.Aftermath? {
    let isJunior = mirrors.isJunior(mirror)
    switch verdict {
    case .changed(let reason, _) where isOtherMirror && decides(mirror, reason):
      return .outranks
    // A range has another length: a plain GET decides whether the first mirror is right.
    case .versionInDoubt(let reason?) where isOtherMirror && decides(mirror, reason):
      return .versionInDoubt(reason)
    case .changed where isOtherMirror || isJunior, .versionInDoubt where isOtherMirror || isJunior:
      return .disagrees
    // It shows no version, but the given digests may still refute that of the others.
    case .refused(.protocolViolation(.unidentified))
    where isOtherMirror && version.hasGivenDigests && mirrors[mirror].isAgreeing:
      return .disagrees
    case .wholeInsteadOfRange where active.count > 1:
      // The others continue with ranges.
      return .rangeUnsupported
    case .whole(let content) where isOtherMirror, .wholeInsteadOfRange(let content) where isOtherMirror:
      let isLost = !keepsContent(before: content, mirror: mirror, context)
      return isLost && version.isResumable(on: context.host) ? .disagrees : nil
    default: return nil
    }
  }

  /// Whether the mirror's different version is the wanted one because the mirror comes first in the request.
  private func decides(_ mirror: Int, _ reason: VersionChange) -> Bool {
    // Only a length is certain: mirrors may have different tags for equal files.
    guard case .length = reason, !version.hasGivenDigests, expectedLength == nil, version.mayChange else {
      return false
    }
    return mirrors.isFirst(mirror)
  }

  /// Sets what follows the unwanted body. A short body is read, so that the connection can be reused.
  private mutating func afterwards(
    _ index: Int, _ aftermath: ActiveTransfer.Aftermath, _ answer: Answer
  ) -> BodyDisposition {
    segments.judged(index, aftermath)
    // The length in a 304 is that of the file.
    let isShort =
      answer.meaning == .notModified || answer.bodyLength.map { $0 <= Int64(BodyDisposition.drainLimit) } ?? false
    return isShort && answer.keepsConnection ? .drain : .stop
  }

  private mutating func judgeRedirect(_ index: Int, _ answer: Answer) -> BodyDisposition {
    if !mirrors[active[index].mirror].isLinked { linked.heard(of: answer.linkedMirrors) }
    do throws(TransferFault) {
      let target = try mirrors[active[index].mirror].redirects.checked(
        answer.redirectTarget, limit: settings.maxRedirects,
        hasGivenDigests: version.hasGivenDigests && !settings.isHTTPSOnly)
      return afterwards(index, .redirect(target, retryAfter: answer.retryAfter), answer)
    } catch {
      return afterwards(index, .refused(error, retryAfter: nil), answer)
    }
  }

  private mutating func judgeConfirmation(_ index: Int, _ answer: Answer) -> BodyDisposition {
    let fault: TransferFault
    switch answer.meaning {
    case .whole:
      segments.confirmationBegan(index)
      return .hash
    case .redirect: return judgeRedirect(index, answer)
    case .refused(let reason): fault = reason
    case .range, .notModified, .unavailable, .unacceptable: fault = .status(answer.status)
    }
    return afterwards(index, .refused(fault, retryAfter: answer.retryAfter), answer)
  }

  /// What the answer to a HEAD says. There is no body, so the connection stays usable.
  private mutating func judgeHead(
    _ index: Int, _ verdict: ResponseJudge.Verdict, _ answer: Answer
  ) -> BodyDisposition {
    switch verdict {
    case .whole(let content):
      if case .confirm(let local) = beginning {
        segments.judged(index, local.hasLength(of: answer) ? .keepExisting : .lengthDiffers)
      } else {
        segments.judged(index, refusal(of: content) ?? .keepExisting)
      }
    case .redirect: _ = judgeRedirect(index, answer)
    // What another answer says does not count against the 304.
    case _ where isConfirming: segments.judged(index, .keepExisting)
    case .refused(let fault) where !fault.concernsMethod:
      segments.judged(index, .refused(fault, retryAfter: answer.retryAfter))
    // Some servers and signed URLs allow a GET only.
    default: segments.judged(index, .headRefused)
    }
    return .drain
  }

  /// Whether a HEAD is to confirm an existing file.
  var isConfirming: Bool { if case .confirm = beginning { true } else { false } }

  // MARK: Bodies that are taken

  private mutating func acceptWhole(
    _ index: Int, _ content: Representation, _ answer: Answer, _ context: AnswerContext,
    _ actions: inout [RunAction]
  ) -> BodyDisposition {
    let transfer = active[index]
    let mirror = transfer.mirror
    if let refusal = refusal(of: content) { return afterwards(index, refusal, answer) }
    if case .compareLength(let local) = beginning {
      return compare(index, known(local, of: mirror), content, answer, context)
    }
    if case .probe = beginning { return afterwards(index, .keepExisting, answer) }
    // An answer over HTTP/2 although only HTTP/1.1 was offered: the host has nothing else, and a second fetch confirms.
    if answer.endsWithStream, !context.avoidsHTTP2, content.completeLength == nil, version.needsProof(ofEndOf: answer) {
      hasLeftStream = true
      actions.append(.notice(item: item, .detail, .requestingOverHTTP1))
      return afterwards(index, .endUnproven, answer)
    }
    // What is recorded can stay only if it is provably of the same version.
    let keeps = keepsContent(before: content, mirror: mirror, context)
    // From zero it is this mirror's version. The validators of other mirrors belong to the previous one.
    if !keeps {
      if version.isOfOtherURL, !done.isEmpty {
        actions.append(.notice(item: item, .note, .startingOver(.otherURL)))
      }
      discardRecorded(&actions)
    }
    let kept = done.contiguousEnd
    version.adopt(content, answer, keepsContent: keeps, of: &mirrors[mirror])
    actions.append(.adopt(item: item, content))
    segments.wholeBegan(index, kept: kept, completeLength: content.completeLength)
    mirrors[mirror].redirects.servedContent()
    joinLinkedMirrors(namedBy: mirror, answer, now: context.now, &actions)
    if transfer.asked == .whole { mirrors[mirror].ranges.wholeCame() }
    openTogether(now: context.now)
    return .store(at: 0, skip: kept, end: content.completeLength)
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

  /// Whether recorded bytes may stay beside those of a whole answer.
  private func keepsContent(before content: Representation, mirror: Int, _ context: AnswerContext) -> Bool {
    !done.isEmpty && version.mayKeepContent(before: content, of: mirrors[mirror], host: context.host)
  }

  /// The aftermath if the coding or the length alone shows that the content is not the wanted one.
  private func refusal(of content: Representation) -> ActiveTransfer.Aftermath? {
    if let coding = content.contentCoding, !settings.stores(coding) { return .refused(.coded(coding), retryAfter: nil) }
    guard let length = content.completeLength else { return nil }
    if let limit = settings.maxFilesize, length > limit { return .refused(.tooLarge(limit: limit), retryAfter: nil) }
    if let expected = expectedLength, content.contentCoding == nil, expected != length {
      return .refused(.wrongLength(expected: expected, announced: length), retryAfter: nil)
    }
    if let pieces, !pieces.hashes.cover(length) { return .refused(.wrongContent, retryAfter: nil) }
    return nil
  }

  private mutating func compare(
    _ index: Int, _ local: LocalCopy, _ content: Representation, _ answer: Answer, _ context: AnswerContext
  ) -> BodyDisposition {
    // Pages of one address differ in length from time to time.
    if isDoubtful { return afterwards(index, .keepExisting, answer) }
    guard content.completeLength == local.size else {
      let cause = Failure.Cause.targetDiffers(length: local.size, remote: content.completeLength)
      return afterwards(index, .failItem(Failure(cause)), answer)
    }
    guard let change = local.contradiction(to: answer, on: context.host) else {
      return afterwards(index, .keepExisting, answer)
    }
    return afterwards(index, .failItem(Failure(.targetOfOtherURL(change))), answer)
  }

  private mutating func acceptRange(
    _ index: Int, _ range: Range<Int64>, _ content: Representation, _ answer: Answer, _ context: AnswerContext,
    _ actions: inout [RunAction]
  ) -> BodyDisposition {
    let transfer = active[index]
    if let aftermath = refusal(of: content) {
      segments.judged(index, aftermath)
      return .stop
    }
    let wanted: Range<Int64>
    switch transfer.asked {
    case .range(let asked): wanted = range.lowerBound..<min(range.upperBound, asked.upperBound)
    case .whole, .from: wanted = range
    }
    let tellsLength = answer.representation.completeLength != nil
    if version.learn(from: content, of: &mirrors[transfer.mirror], tellsLength: tellsLength), let representation {
      actions.append(.adopt(item: item, representation))
    }
    if settings.canHashLate { version.contentCame(from: answer) }
    guard let end = segments.rangeBegan(transfer.id, wanted, completeLength: completeLength, &actions) else {
      return .stop
    }
    mirrors[transfer.mirror].redirects.servedContent()
    joinLinkedMirrors(namedBy: transfer.mirror, answer, now: context.now, &actions)
    return .store(at: wanted.lowerBound, skip: 0, end: end)
  }

  /// The mirror refuses ranges, or only further ones while it serves another transfer, which then brings the rest.
  mutating func rangeWasRefused(by mirror: Int, _ actions: inout [RunAction]) {
    guard segments.isServing(mirror) else { return mirrors[mirror].ranges.refused() }
    mirrors[mirror].ranges.refusedFurther()
    reachFurther(mirror, &actions)
  }

  /// The mirror serves no further range now, so what it is serving brings as much as it can.
  mutating func reachFurther(_ mirror: Int, _ actions: inout [RunAction]) {
    if let completeLength { segments.reachFurther(mirror, completeLength: completeLength, &actions) }
  }

  /// The answer brings another version from its first byte. No older bytes may stay.
  private mutating func changed(
    _ index: Int, _ reason: VersionChange, _ body: Representation, _ answer: Answer,
    _ context: AnswerContext, _ actions: inout [RunAction]
  ) -> BodyDisposition {
    let mirror = active[index].mirror
    segments.stopAll(besides: index, &actions)
    if let error = noteRestart(reason, &actions) {
      // At most one of the versions has the given digest, and another mirror may have that one for good.
      let isOtherLeft = version.hasGivenDigests && mirrors.hasOther(than: mirror)
      // This mirror is left, and its changes do not count against the next one.
      if isOtherLeft { version.changesCountAnew() }
      return afterwards(0, isOtherLeft ? .refused(.wrongContent, retryAfter: nil) : .failItem(error), answer)
    }
    discardRecorded(&actions)
    mirrors[mirror].ranges.versionChanged(reason)
    return acceptWhole(0, body, answer, context, &actions)
  }
}
