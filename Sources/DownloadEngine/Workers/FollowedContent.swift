internal import DownloadCore
internal import DownloadFiles

/// A part file whose bytes are hashed in their order, behind the writer.
final class FollowedContent: HashWork {
  let item: ItemHandle
  private let part: PartFile
  private let digests: DigestComputer
  /// The end of the hashed bytes.
  private var position: Int64 = 0
  /// Everything below is in the part file.
  private var end: Int64 = 0
  /// Once all bytes are there.
  private(set) var completeLength: Int64?
  private var failure: SystemCallError?
  private let isStopped: StopFlag
  /// Among which work it waits for its turn; nil while it has nothing to do.
  var queued: HashTurns.Kind?

  init(_ item: ItemHandle, _ part: PartFile, _ digests: DigestComputer, _ isStopped: StopFlag) {
    self.item = item
    self.part = part
    self.digests = digests
    self.isStopped = isStopped
  }

  /// As many bytes before a block are read for it at once.
  private static let missingByteCount: Int64 = 4 << 20

  /// Whether there is something to do.
  var hasWork: Bool { completeLength != nil || (failure == nil && position < end) }

  /// Everything below `end` is in the part file.
  func advance(to end: Int64) { self.end = max(self.end, end) }

  /// These bytes at `offset` are in the part file and still in memory. A few that are missing before them are read.
  func advance(_ filled: FilledBlock, at offset: Int64, _ block: UnsafeMutableRawBufferPointer) {
    if offset - position <= Self.missingByteCount {
      while failure == nil, position < offset, !isStopped.isSet { read(to: offset, block) }
    }
    if failure == nil, position == offset {
      digests.update(filled.bytes)
      position += Int64(filled.count)
    }
    advance(to: offset + Int64(filled.count))
  }

  func finish(at completeLength: Int64) {
    advance(to: completeLength)
    self.completeLength = completeLength
  }

  func step(_ block: UnsafeMutableRawBufferPointer) -> HashStep {
    let end = completeLength ?? end
    if failure == nil, position < end {
      read(to: end, block)
      return .unfinished
    }
    guard completeLength != nil else { return .finished(nil) }
    return .finished(failure.map { .hashFailed(item, $0) } ?? .hashed(item, digests.finish()))
  }

  private func read(to end: Int64, _ block: UnsafeMutableRawBufferPointer) {
    do throws(SystemCallError) {
      position = try part.hash(position..<end, into: digests, block)
    } catch {
      failure = error
    }
  }
}
