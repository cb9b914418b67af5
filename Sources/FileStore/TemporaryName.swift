internal import Synchronization

/// A name that is only there for a moment, removed unless it was given away.
final class TemporaryName: Sendable {
  let directory: DirectoryHandle
  let name: [UInt8]
  private let isGone = Atomic<Bool>(false)

  init(_ directory: DirectoryHandle, _ name: [UInt8]) {
    self.directory = directory
    self.name = name
  }

  /// It was renamed away.
  func markGone() { isGone.store(true, ordering: .relaxed) }

  deinit {
    // What cannot be removed stays as a file with `.swiftget-tmp` in its name, which nothing takes for a target.
    if !isGone.load(ordering: .relaxed) { try? SystemCalls.unlinkat(directory.raw, name) }
  }
}
