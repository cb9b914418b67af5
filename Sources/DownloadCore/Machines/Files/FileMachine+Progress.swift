/// Bytes that are recorded.
extension FileMachine {
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
    for mirror in mirrors.gained(progress) {
      mirrors.askForRangesAgain(mirror, lastStart: segments.lastStart(of: mirror))
    }
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
