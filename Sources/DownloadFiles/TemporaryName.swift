internal import Synchronization

/// A temporary name of a file, removed with this object unless the file was renamed.
final class TemporaryName: Sendable {
  let directory: DirectoryHandle
  let name: [UInt8]
  private let isGone = Atomic<Bool>(false)

  init(_ directory: DirectoryHandle, _ name: [UInt8]) {
    self.directory = directory
    self.name = name
  }

  /// Call it after the file was renamed.
  func markGone() { isGone.store(true, ordering: .relaxed) }

  deinit {
    // A name that cannot be removed stays; it ends in `.swiftget-tmp`, which no target may.
    if !isGone.load(ordering: .relaxed) { try? SystemCalls.unlinkat(directory.raw, name) }
  }
}
