internal import DownloadCore
internal import FileStore

/// Verifies pieces of part files; belongs to one hash thread.
final class PieceHasher {
  private var computers: [DigestAlgorithm: DigestComputer] = [:]

  /// Hashes one piece, read back through `block`.
  ///
  /// - Returns: nil if the run has ended early.
  func verify(
    _ check: PieceCheck, of version: ItemVersion, in part: PartFile, _ block: UnsafeMutableRawBufferPointer,
    _ isStopped: StopFlag
  ) -> WorkerReply? {
    let algorithm = check.expected.algorithm
    if computers[algorithm] == nil { computers[algorithm] = DigestComputer([algorithm]) }
    guard let computer = computers[algorithm] else {
      return .uncomputable(version)
    }
    computer.reset()
    var position = check.range.lowerBound
    do throws(SystemCallError) {
      while position < check.range.upperBound {
        if isStopped.isSet { return nil }
        let wanted = Int(min(Int64(block.count), check.range.upperBound - position))
        let count = try part.read(into: UnsafeMutableRawBufferPointer(rebasing: block[..<wanted]), at: position)
        // The file is shorter than what was written: another process has truncated it.
        guard count == wanted else { throw SystemCallError(.pread, 5) }
        computer.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
        position += Int64(count)
      }
    } catch {
      return .hashFailed(version, error)
    }
    guard let actual = computer.finish().first else { return .hashFailed(version, SystemCallError(.pread, 5)) }
    return .pieceHashed(version, check, actual: actual)
  }
}

/// Verifies the pieces of content that comes in order: of a stream, before their last bytes are written out, or of an
/// existing file.
final class StreamedPieces {
  private let hashes: PieceHashes
  private let computer: DigestComputer?
  private var index = 0
  /// Bytes of the current piece so far.
  private var count: Int64 = 0

  init(_ hashes: PieceHashes) {
    self.hashes = hashes
    computer = DigestComputer([hashes.algorithm])
  }

  /// - Throws: a piece that ends in `bytes` is wrong.
  func update(_ bytes: UnsafeRawBufferPointer) throws(DownloadError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let taken = rest.prefix(Int(min(Int64(rest.count), hashes.length - count)))
      computer?.update(UnsafeRawBufferPointer(rebasing: taken))
      count += Int64(taken.count)
      rest = rest.dropFirst(taken.count)
      if count == hashes.length { try close() }
    }
  }

  /// - Throws: the last piece is wrong, or there are fewer than there should be.
  func finish() throws(DownloadError) {
    if count > 0 { try close() }
    guard index == hashes.digests.count else {
      throw DownloadError(.outputPieceCount(found: index, expected: hashes.digests.count))
    }
  }

  private func close() throws(DownloadError) {
    let actual = computer?.finish().first
    guard index < hashes.digests.count, actual == hashes.digests[index] else {
      throw DownloadError(.outputPieceWrong(number: index + 1, count: hashes.digests.count))
    }
    index += 1
    count = 0
  }
}
