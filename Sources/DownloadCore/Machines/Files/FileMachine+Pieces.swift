/// Hashes of pieces: each piece is verified as soon as it is complete, and fetched again separately if it is wrong.
extension FileMachine {
  /// Whether all bytes are recorded and some piece is still being verified.
  var awaitsPieces: Bool { pieces != nil && isWhole && !needsConfirmation }

  /// Starts the verification of complete pieces that overlap `range`.
  mutating func verifyPieces(in range: Range<Int64>, _ actions: inout [RunAction]) {
    guard pieces != nil, let completeLength else { return }
    for check in segments.checks(in: range, completeLength: completeLength) {
      actions.append(.verify(item: item, check))
    }
  }

  /// Verifies the recorded pieces of an earlier run. A complete record needs no request.
  package mutating func verifyRecorded(_ actions: inout [RunAction]) {
    guard let completeLength else { return }
    verifyPieces(in: 0..<completeLength, &actions)
    concludeIfWhole(&actions)
  }

  package mutating func pieceVerified(_ check: PieceCheck, _ actions: inout [RunAction]) {
    // The piece may have been discarded while it was hashed.
    guard segments.pieceWasRight(check) else { return }
    concludeIfWhole(&actions)
  }

  /// A piece is wrong. It is fetched again separately, from another mirror if there is one, a few times.
  package mutating func pieceMismatched(_ check: PieceCheck, actual: ContentDigest, _ actions: inout [RunAction]) {
    // The item may have ended, or the piece may have been discarded, while it was hashed.
    guard phase == .running, let failureCount = segments.pieceWasWrong(check) else { return }
    let mismatch = DigestMismatch(expected: check.expected, actual: actual, range: check.range)
    // Each further mirror gets one more attempt.
    guard failureCount < IntegrityFailures.limit + mirrors.count - 1 else {
      if refuteVersion(mismatch, &actions) { return }
      segments.stopAll(&actions)
      return setAside(Failure(.mismatch(mismatch, failures: failureCount)), &actions)
    }
    retryCount += 1
    actions.append(.discardRange(item: item, check.range))
    actions.append(.notice(item: item, .warning, .mismatch(mismatch)))
    let leaving = (pieces?.badMirrors ?? []).filter { mirrors[$0].isLeft && mirrors.hasOther(than: $0) }
    for mirror in leaving { expel(mirror, .wrongContent, &actions) }
    // Nothing shows that the known version has a right piece, so that of any other mirror may be the wanted one.
    let isRefuted = done.isEmpty || !leaving.isEmpty
    let isReceiving = active.contains { $0.stage == .receiving }
    if isRefuted, pieces?.verified.isEmpty == true, !isReceiving, phase != .ended {
      // The version of the next mirror begins with all its tries; mirrors are left once.
      if !leaving.isEmpty { segments.progressCountsAnew() }
      restart(&actions)
    }
  }

  /// No mirror of this version has a right piece, so the version is that of another mirror if one is left. The first
  /// answer's length may be wrong, although there are as many pieces.
  ///
  /// - Returns: false if there is no such mirror.
  private mutating func refuteVersion(_ mismatch: DigestMismatch, _ actions: inout [RunAction]) -> Bool {
    let refuted = mirrors.indices.filter { mirrors[$0].isLeft && mirrors[$0].isAgreeing }
    guard mirrors.indices.contains(where: { mirrors[$0].isLeft && !mirrors[$0].isAgreeing }) else { return false }
    retryCount += 1
    actions.append(.notice(item: item, .warning, .mismatch(mismatch)))
    segments.progressCountsAnew()
    segments.versionChanged()
    restart(&actions)
    for mirror in refuted { expel(mirror, .wrongContent, &actions) }
    return true
  }

  /// Whether no mirror is left that has shown the known version, a piece of it is wrong, and the answer's length fits the
  /// pieces.
  func isRefuted(by answer: Answer) -> Bool {
    guard let pieces, pieces.hasTrouble, !mirrors.includeSource, let length = answer.representation.completeLength
    else { return false }
    return pieces.hashes.cover(length) && expectedLength.map { $0 == length } ?? true
  }
}
