/// Pieces with hashes of their own: verified as soon as they are complete, and fetched again alone where they are wrong.
extension FileMachine {
  /// All is recorded, and the verdict on some piece is still out.
  var awaitsPieces: Bool { pieces != nil && isWhole && !needsConfirmation }

  /// Has complete pieces verified that touch `range`.
  mutating func verifyPieces(in range: Range<Int64>, _ actions: inout [RunAction]) {
    guard pieces != nil, let completeLength else { return }
    for check in segments.checks(in: range, completeLength: completeLength) {
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
    // The piece may have been thrown away while it was hashed.
    guard segments.pieceWasRight(check) else { return }
    concludeIfWhole(&actions)
  }

  /// A piece is wrong: it alone is fetched again, from another mirror if there is one, a few times.
  package mutating func pieceMismatched(_ check: PieceCheck, actual: ContentDigest, _ actions: inout [RunAction]) {
    // The item may have ended, or the piece may have been thrown away, while it was hashed.
    guard phase == .running || phase == .paused, let failureCount = segments.pieceWasWrong(check) else { return }
    let mismatch = DigestMismatch(expected: check.expected, actual: actual, range: check.range)
    // Each further mirror has a turn of its own.
    guard failureCount < Self.integrityLimit + mirrors.count - 1 else {
      actions.append(.setAside(item: item))
      fail(DownloadError(.mismatch(mismatch, failures: failureCount)), &actions)
      return
    }
    actions.append(.discardRange(item: item, check.range))
    actions.append(.notice(item: item, .warning, .mismatch(mismatch)))
    for mirror in pieces?.badMirrors ?? [] where mirrors.hasOther(than: mirror) {
      expel(mirror, .wrongContent, &actions)
    }
  }
}
