/// Pieces with hashes of their own: verified as soon as they are complete, and fetched again alone where they are wrong.
extension FileMachine {
  /// Something that was known before the start will judge all of the content.
  var isJudged: Bool { !digests.isEmpty || pieces != nil }

  /// All is recorded, and the verdict on some piece is still out.
  var awaitsPieces: Bool { pieces != nil && isWhole && !needsConfirmation }

  /// Where the bytes end that can be hashed as a whole: wrong pieces must not get in there.
  package var hashableEnd: Int64 { pieces?.verified.contiguousEnd ?? done.contiguousEnd }

  /// Has complete pieces verified that touch `range`.
  mutating func verifyPieces(in range: Range<Int64>, _ actions: inout [RunAction]) {
    guard pieces != nil, let completeLength else { return }
    for check in pieces!.checks(in: range, done: done, completeLength: completeLength) {
      actions.append(.verify(item: item, check))
    }
  }

  /// What is recorded from an earlier run is verified before it counts; where all is recorded, nothing is asked for.
  package mutating func verifyRecorded(_ actions: inout [RunAction]) {
    guard let completeLength else { return }
    verifyPieces(in: 0..<completeLength, &actions)
    concludeIfWhole(&actions)
  }

  package mutating func pieceVerified(_ check: PieceCheck, _ actions: inout [RunAction]) {
    guard pieces?.wasRight(check) == true else { return }
    concludeIfWhole(&actions)
  }

  /// A piece is wrong: it alone is fetched again, from another mirror if there is one, a few times.
  package mutating func pieceMismatched(_ check: PieceCheck, actual: ContentDigest, _ actions: inout [RunAction]) {
    guard phase == .running || phase == .paused, let failureCount = pieces?.wasWrong(check) else { return }
    done.remove(check.range)
    let text =
      "the \(actual.algorithm.rawValue) of bytes \(check.range.lowerBound)-\(check.range.upperBound - 1) is "
      + "\(actual.hex) where \(check.expected.hex) was expected"
    // Each further mirror has a turn of its own.
    guard failureCount < Self.integrityLimit + mirrors.count - 1 else {
      actions.append(.setAside(item: item))
      fail(
        DownloadError(
          .integrity, "verification failed \(failureCount) times: \(text)",
          hint: "the server has another file than the piece hashes describe, or they are out of date"), &actions)
      return
    }
    actions.append(.discardRange(item: item, check.range))
    actions.append(.notice(item: item, .warning, "\(text); fetching them again"))
    for mirror in pieces?.liars ?? [] where mirrors.indices.contains(where: { isOther($0, than: mirror) }) {
      expel(mirror, .wrongContent, &actions)
    }
  }

  private func isOther(_ index: Int, than mirror: Int) -> Bool {
    index != mirror && mirrors[index].expelledBy == nil && !mirrors[index].isReplacement
  }

  /// The first of `gaps` that the mirror may fill: a piece that it brought wrong is another one's if one is ready.
  func firstGap(of gaps: [Range<Int64>], for mirror: Int, now: Instant) -> Range<Int64>? {
    guard let pieces else { return gaps.first }
    let others = candidates.filter { $0 != mirror && mirrors[$0].notBefore <= now && !mirrors[$0].ignoresRanges }
    return pieces.firstGap(of: gaps, for: mirror, others: others)
  }

  /// Whether there is something for this mirror, the only one at work.
  func isOfUse(_ mirror: Int, now: Instant) -> Bool {
    guard pieces != nil, let completeLength, !done.isEmpty else { return true }
    return firstGap(of: done.gaps(in: 0..<completeLength), for: mirror, now: now) != nil
  }
}
