/// Free space on a file system.
package struct FreeSpace: Hashable, Sendable {
  /// Bytes that an unprivileged process may still allocate, as df(1) shows.
  package let availableByteCount: Int64
  /// Bytes that downloads leave free: 1 % of the file system, at most 8 MiB.
  package let reserve: Int64

  private static let largestReserve: Int64 = 8 << 20

  /// Nil where the file system does not report it.
  package init?(in directory: DirectoryHandle) {
    guard let status = try? SystemCalls.fstatfs(directory.raw) else { return nil }
    self.init(status)
  }

  init?(_ status: FileSystemStatus) {
    // Some network shares report a size of 0.
    guard status.byteCount > 0 else { return nil }
    availableByteCount = status.availableByteCount
    reserve = min(status.byteCount / 100, Self.largestReserve)
  }

  /// Bytes that downloads may still allocate.
  package var usableByteCount: Int64 { max(0, availableByteCount - reserve) }

  package var isExhausted: Bool { usableByteCount == 0 }
}
