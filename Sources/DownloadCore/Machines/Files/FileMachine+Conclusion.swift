/// From the whole content to the name of the file: its digests, the user's judgement, its publication.
extension FileMachine {
  /// What the command of `--verify-command` made of the content.
  package enum Judgement: Hashable, Sendable {
    case accepted
    /// Accepted, but something was done to the file, if only to its times.
    case touched
    /// The content is not fetched again: the same would come.
    case rejected(Failure)
  }

  /// The digests of the whole content: those that it must have, and others that are recorded.
  package mutating func hashed(_ computed: [ContentDigest], _ actions: inout [RunAction]) {
    switch phase {
    case .verifying(var conclusion):
      conclusion.computed = computed
      switch DigestComparison(expected: conclusion.expected, computed: computed) {
      case .unverified: break
      case .verified(let digest): conclusion.verified = digest
      case .mismatch(let expected, let actual): return mismatched(expected: expected, actual: actual, &actions)
      case .notComputed(let expected):
        return fail(Failure(.digestUnavailable(expected.digest.algorithm)), &actions)
      }
      guard settings.isJudged else { return publish(conclusion, &actions) }
      phase = .judging(conclusion)
      actions.append(.judge(item: item, conclusion))
    case .confirming(let conclusion):
      guard computed == conclusion.computed else { return setAside(Failure(.changedByJudge), &actions) }
      publish(conclusion, &actions)
    // A storage failure that was reported meanwhile takes precedence.
    case .ended: break
    case .checking, .running, .judging, .publishing: failImpossible("hashed", &actions)
    }
  }

  package mutating func judged(_ judgement: Judgement, _ actions: inout [RunAction]) {
    switch phase {
    case .judging(let conclusion):
      switch judgement {
      case .accepted: publish(conclusion, &actions)
      case .touched:
        phase = .confirming(conclusion)
        actions.append(.conclude(item: item, conclusion))
      case .rejected(let error): setAside(error, &actions)
      }
    case .ended: break
    case .checking, .running, .verifying, .confirming, .publishing: failImpossible("judged", &actions)
    }
  }

  /// A worker verifies the content and names it at once.
  package mutating func handedOver() {
    if case .verifying(let conclusion) = phase { phase = .publishing(conclusion) }
  }

  /// The file has its name.
  package mutating func concluded() {
    // A failure that was reported during publication takes precedence.
    assert(phase != .running)
    phase = .ended
  }

  private mutating func publish(_ conclusion: Conclusion, _ actions: inout [RunAction]) {
    phase = .publishing(conclusion)
    actions.append(.publish(item: item, conclusion))
  }

  mutating func setAside(_ error: Failure, _ actions: inout [RunAction]) {
    phase = .ended
    actions.append(.setAside(item: item, error))
  }

  /// The content does not match a digest. It is fetched again, from another mirror if there is one, a few times,
  /// and no more when the same content arrives again.
  package mutating func mismatched(expected: ExpectedDigest, actual: ContentDigest, _ actions: inout [RunAction]) {
    switch phase {
    case .verifying, .publishing: break
    case .ended: return
    case .checking, .running, .judging, .confirming: return failImpossible("mismatched", &actions)
    }
    segments.progressCountsAnew()
    let mismatch = DigestMismatch(expected: expected.digest, actual: actual)
    // A single mirror that supplied the content is not asked again if others are left, and that is no attempt of theirs.
    // A digest that servers claim may be wrong itself, so the mirror is given a second chance.
    let content = IntegrityFailures.Content(digest: actual, source: mirrors.soleSourceWithAlternative)
    let isProven = expectedDigests.areGiven || integrityFailures.isRepeated(content)
    let culprit = isProven ? content.source : nil
    // Neither is it where a linked mirror may be to blame: those are left for good.
    let isConfirmation = expected.source == .confirmation
    let mayHelp = integrityFailures.add(
      content, isExplained: culprit != nil || mirrors.includeLinkedBytes, isConclusive: !isConfirmation)
    version.mismatched()
    guard mayHelp, mirrors.areLeft(for: version) else {
      let count = integrityFailures.count
      let error = Failure(isConfirmation ? .unconfirmed(failures: count) : .mismatch(mismatch, failures: count))
      return setAside(error, &actions)
    }
    phase = .running
    retryCount += 1
    actions.append(.notice(item: item, .warning, isConfirmation ? .unconfirmed : .mismatch(mismatch)))
    restart(&actions)
    if let culprit { expel(culprit, .wrongContent, &actions) }
    mirrors.passToNextLeft()
  }

  /// A local file failed. This is final for the item; recorded bytes stay.
  package mutating func storageFailed(_ error: Failure, _ actions: inout [RunAction]) {
    // The first of several failures counts.
    guard phase != .ended else { return }
    fail(error, &actions)
  }
}
