internal import DownloadCore
package import DownloadEngine
package import DownloadFiles
internal import DownloadScratch
internal import Glibc

/// Hashes one file after the other; belongs to one thread.
///
/// Every digest of a file is computed from the same bytes: each block is read once.
package final class FileHasher {
  private let directory: TargetDirectory
  private let isStopped: StopFlag
  private let readBytes: SharedCounter
  private let block: UnsafeMutableRawBufferPointer
  private var wholes: [[DigestAlgorithm]: DigestComputer] = [:]
  private var spans: [DigestAlgorithm: DigestComputer] = [:]

  /// Few enough bytes to stay in the CPU's cache.
  private static let blockByteCount = 256 << 10

  /// - Parameter readBytes: counts the bytes that are read.
  package init(directory: TargetDirectory, isStopped: StopFlag, readBytes: SharedCounter = SharedCounter()) {
    self.readBytes = readBytes
    self.directory = directory
    self.isStopped = isStopped
    block = .allocate(byteCount: Self.blockByteCount, alignment: 4096)
  }

  deinit { block.deallocate() }

  package func hash(_ job: HashJob) -> HashOutcome {
    HashOutcome(
      number: job.number,
      result: Result { () throws(FileProblem) in
        let file = try LocalFile(job.target, in: directory)
        if let expected = job.expectedLength, file.status.size != expected {
          return HashedContent(length: file.status.size)
        }
        if job.algorithms.isEmpty, job.pieces == nil { return HashedContent(length: file.status.size) }
        let content = try read(file.descriptor.raw, job)
        try file.requireUnchanged(length: content.length)
        return content
      })
  }

  private func read(_ descriptor: Int32, _ job: HashJob) throws(FileProblem) -> HashedContent {
    let whole = try job.algorithms.isEmpty ? nil : computer(job.algorithms)
    var spans: PieceSpans?
    if let pieces = job.pieces { spans = PieceSpans(length: pieces.length, try computer(ofPiece: pieces.algorithm)) }
    var position: Int64 = 0
    while true {
      if isStopped.isSet { throw .stopped }
      let count: Int
      do { count = try SystemCalls.pread(descriptor, into: block, at: position) } catch {
        throw .failed(.read, errno: error.errno)
      }
      if count == 0 { break }
      let bytes = UnsafeRawBufferPointer(rebasing: block[..<count])
      whole?.update(bytes)
      spans?.update(bytes)
      position += Int64(count)
      readBytes.add(count)
    }
    let digests = whole?.finish() ?? []
    guard digests.count == job.algorithms.count else { throw .uncomputable }
    return HashedContent(length: position, digests: digests, pieces: spans?.finish() ?? [])
  }

  private func computer(_ algorithms: [DigestAlgorithm]) throws(FileProblem) -> DigestComputer {
    guard let computer = wholes[algorithms] ?? DigestComputer(algorithms) else { throw .uncomputable }
    wholes[algorithms] = computer
    // An earlier file may have ended with an error.
    computer.reset()
    return computer
  }

  private func computer(ofPiece algorithm: DigestAlgorithm) throws(FileProblem) -> DigestComputer {
    guard let computer = spans[algorithm] ?? DigestComputer([algorithm]) else { throw .uncomputable }
    spans[algorithm] = computer
    computer.reset()
    return computer
  }
}

/// The digests of consecutive spans of equal length; the last one may be shorter.
struct PieceSpans {
  private let length: Int64
  private let computer: DigestComputer
  private var digests: [ContentDigest] = []
  /// Bytes of the current span so far.
  private var count: Int64 = 0

  /// - Parameter computer: of one algorithm, without bytes yet.
  init(length: Int64, _ computer: DigestComputer) {
    self.length = length
    self.computer = computer
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let taken = rest.prefix(Int(min(Int64(rest.count), length - count)))
      computer.update(UnsafeRawBufferPointer(rebasing: taken))
      count += Int64(taken.count)
      rest = rest.dropFirst(taken.count)
      if count == length { close() }
    }
  }

  mutating func finish() -> [ContentDigest] {
    if count > 0 { close() }
    return digests
  }

  private mutating func close() {
    digests += computer.finish()
    count = 0
  }
}
