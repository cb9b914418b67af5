internal import DownloadCore
internal import DownloadFiles

/// A piece of a part file that is verified.
final class PieceVerification: HashWork {
  let item: ItemHandle
  private let part: PartFile
  private let check: PieceCheck
  private let computers: DigestComputers
  private var computer: DigestComputer?
  private var position: Int64

  init(_ check: PieceCheck, of item: ItemHandle, in part: PartFile, _ computers: DigestComputers) {
    self.item = item
    self.part = part
    self.check = check
    self.computers = computers
    position = check.range.lowerBound
  }

  func step(_ block: UnsafeMutableRawBufferPointer) -> HashStep {
    if computer == nil { computer = computers.take([check.expected.algorithm]) }
    guard let computer else { return .finished(.uncomputable(item)) }
    do throws(SystemCallError) {
      position = try part.hash(position..<check.range.upperBound, into: computer, block)
      if position < check.range.upperBound { return .unfinished }
      guard let actual = computer.finish().first else { throw SystemCallError(.pread, 5) }
      computers.giveBack(computer)
      return .finished(.pieceHashed(item, check, actual: actual))
    } catch {
      return .finished(.hashFailed(item, error))
    }
  }
}

/// Computers of digests that are used for one piece or small file after the other. Belongs to one hash thread.
final class DigestComputers {
  private var idle: [DigestComputer] = []

  /// - Returns: nil if OpenSSL does not provide an algorithm.
  func take(_ algorithms: [DigestAlgorithm]) -> DigestComputer? {
    guard let index = idle.firstIndex(where: { $0.algorithms == algorithms }) else { return DigestComputer(algorithms) }
    return idle.remove(at: index)
  }

  func giveBack(_ computer: DigestComputer) { idle.append(computer) }
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
  func update(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
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
  func finish() throws(Failure) {
    if count > 0 { try close() }
    guard index == hashes.digests.count else {
      throw Failure(.outputPieceCount(found: index, expected: hashes.digests.count))
    }
  }

  private func close() throws(Failure) {
    let actual = computer?.finish().first
    guard index < hashes.digests.count, actual == hashes.digests[index] else {
      throw Failure(.outputPieceWrong(number: index + 1, count: hashes.digests.count))
    }
    index += 1
    count = 0
  }
}
