internal import DownloadCore
internal import DownloadEngine
internal import DownloadFiles
internal import Glibc
internal import Synchronization

extension FileChecksum {
  /// Reads a file and compares it with a checksum. It runs on a thread of its own.
  ///
  /// - Throws: `DownloadError` with `localIO` for a file that is missing or cannot be read, `invalidValue` for a malformed
  ///   checksum, `integrity` for another content; `CancellationError` if the Swift task is cancelled.
  public static func verify(_ path: String, against expected: FileChecksum) async throws {
    guard let algorithm = expected.algorithm else {
      throw DownloadError(.invalidValue, "'\(expected)' is no checksum", path: path)
    }
    let found = try await compute(algorithm, of: path)
    guard found == expected else {
      throw DownloadError(
        .integrity, "the checksum is \(found), expected \(expected)", path: path,
        cause: .checksumMismatch(expected: expected, found: found))
    }
  }

  /// Computes the checksum of a file. It runs on a thread of its own.
  ///
  /// - Throws: `DownloadError` with `localIO` for a file that is missing or cannot be read, or where the system does not
  ///   provide the algorithm; `CancellationError` if the Swift task is cancelled.
  public static func compute(_ algorithm: Algorithm, of path: String) async throws -> FileChecksum {
    let reading = Reading()
    return try await withTaskCancellationHandler {
      let result: Result<FileChecksum, any Error> = await withCheckedContinuation { continuation in
        let thread = WorkerThread { continuation.resume(returning: reading.result(algorithm, path)) }
        if thread == nil {
          continuation.resume(returning: .failure(DownloadError(.localIO, "cannot create a thread", path: path)))
        }
      }
      return try result.get()
    } onCancel: {
      reading.isCancelled.store(true, ordering: .relaxed)
    }
  }

  /// One file that is read, until it is not wanted any more.
  private final class Reading: Sendable {
    let isCancelled = Atomic(false)
    private static let blockByteCount = 1 << 20

    func result(_ algorithm: Algorithm, _ path: String) -> Result<FileChecksum, any Error> {
      do { return .success(try read(algorithm, path)) } catch { return .failure(error) }
    }

    private func read(_ algorithm: Algorithm, _ path: String) throws -> FileChecksum {
      guard let computer = DigestComputer([algorithm.digestAlgorithm]) else {
        throw DownloadError(.localIO, "OpenSSL does not provide \(algorithm.rawValue)", path: path)
      }
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw DownloadError(cannot: "open", path, errno) }
      defer { close(descriptor) }
      let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockByteCount, alignment: 4096)
      defer { block.deallocate() }
      while true {
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
        let count = Glibc.read(descriptor, block.baseAddress, block.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw DownloadError(cannot: "read", path, errno) }
        if count == 0 { break }
        computer.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
      }
      guard let digest = computer.finish().first else {
        throw DownloadError(.localIO, "OpenSSL does not provide \(algorithm.rawValue)", path: path)
      }
      return FileChecksum(digest)
    }
  }
}
