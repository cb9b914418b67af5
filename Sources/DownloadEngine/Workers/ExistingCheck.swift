internal import DownloadCore
internal import DownloadFiles

/// A file that was there before, hashed to find out whether it is the expected one.
final class ExistingCheck: HashWork {
  let item: ItemHandle
  private let place: TargetPlace
  private let expected: [ExpectedDigest]
  private let pieces: PieceHashes?
  private var attributes: FileAttributes
  private let syncs: Bool
  private var open: (file: ExistingFile, computer: DigestComputer, streamed: StreamedPieces?)?
  private var offset: Int64 = 0

  /// - Parameter pieces: used where no digest is expected.
  init(
    _ item: ItemHandle, _ place: TargetPlace, expected: [ExpectedDigest], _ pieces: PieceHashes?,
    _ attributes: FileAttributes, syncs: Bool
  ) {
    self.item = item
    self.place = place
    self.expected = expected
    self.pieces = expected.isEmpty ? pieces : nil
    self.attributes = attributes
    self.syncs = syncs
  }

  func step(_ block: UnsafeMutableRawBufferPointer) -> HashStep {
    let wrong = HashStep.finished(.existingWrong(item))
    if open == nil {
      guard let computer = DigestComputer(expected.map(\.digest.algorithm)),
        pieces.map({ DigestComputer.isAvailable($0.algorithm) }) ?? true
      else { return .finished(.uncomputable(item)) }
      guard let file = try? ExistingFile(place) else { return wrong }
      open = (file, computer, pieces.map { StreamedPieces($0) })
    }
    guard let (file, computer, streamed) = open, let count = try? file.read(into: block, at: offset) else {
      return wrong
    }
    do throws(Failure) {
      if count > 0 {
        let bytes = UnsafeRawBufferPointer(rebasing: block[..<count])
        computer.update(bytes)
        try streamed?.update(bytes)
        offset += Int64(count)
        return .unfinished
      }
      try streamed?.finish()
    } catch {
      return wrong
    }
    switch DigestComparison(expected: expected, computed: computer.finish()) {
    case .verified(let digest): attributes.digest = digest
    case .unverified where streamed != nil: attributes.digest = nil
    case .unverified, .mismatch, .notComputed: return wrong
    }
    if syncs {
      return .right(ExistingFileGroup.Member(item: item, file: file, byteCount: offset, attributes: attributes))
    }
    return .finished(.existingRight(item, verified: attributes.digest, byteCount: offset, nil))
  }
}
