internal import CSwiftGetShims
internal import DownloadFiles
internal import DownloadScratch
internal import Glibc

/// Requires that the file system can do what the publication of a set needs, before anything is downloaded.
struct ExchangeProbe {
  /// The descriptor of the directory that DIR is in, and the name of DIR there.
  let parent: Int32
  let name: [UInt8]
  /// The descriptor of the place for the next set, and its path.
  let stage: Int32
  let stagePath: [UInt8]
  /// The path of DIR.
  let path: [UInt8]

  private static let names = [Array("probe-1".utf8), Array("probe-2".utf8)]

  func run() throws(SetRefusal) {
    if let found = try? SystemCalls.fstatat(parent, name) {
      guard found.kind == .directory else { throw .isNoDirectory }
      if let own = try? SystemCalls.fstat(parent), own.device != found.device { throw .isMountPoint }
      // A directory of the same file system may be mounted, too.
      if name.withUnsafeBufferPointer({ file_is_mount($0.baseAddress, $0.count, parent) }) == 1 { throw .isMountPoint }
    }
    clear()
    defer { clear() }
    let (one, two) = (Self.names[0], Self.names[1])
    do throws(SystemCallError) {
      try SystemCalls.mkdirat(stage, one, mode: 0o700)
      try SystemCalls.mkdirat(stage, two, mode: 0o700)
      try SystemCalls.exchange(stage, one, stage, two)
      try SystemCalls.rmdirat(stage, two)
      let directory = try SystemCalls.openat(stage, one, O_RDONLY | O_DIRECTORY)
      try SystemCalls.openat(directory.raw, one, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600).close()
      try SystemCalls.linkat(directory.raw, one, directory.raw, two, flags: 0)
    } catch {
      switch error.call {
      case .renameat: throw .cannotExchange(errno: error.errno)
      case .linkat: throw .cannotLink(errno: error.errno)
      default: throw .failed(FileFailure(stagePath, .failed(.write, errno: error.errno)))
      }
    }
    try tryDirectory(over: one)
  }

  /// Whether DIR itself can be moved: an overlay file system refuses that for directories of its lower layers, and an
  /// unprivileged user may have no right to write to it.
  ///
  /// - Parameter full: a directory with files in the stage. A rename over it always fails, and tells why.
  private func tryDirectory(over full: [UInt8]) throws(SetRefusal) {
    guard (try? SystemCalls.fstatat(parent, name)) != nil else { return }
    if name.withUnsafeBufferPointer({ file_may_write(parent, $0.baseAddress, $0.count) }) != 1 {
      throw .failed(FileFailure(path, .failed(.move, errno: EACCES)))
    }
    guard (try? SystemCalls.fstatfs(parent))?.isOverlay == true else { return }
    do throws(SystemCallError) {
      try SystemCalls.renameat(parent, name, stage, full, replacing: true)
    } catch {
      if [EXDEV, EINVAL, EOPNOTSUPP, ENOSYS].contains(error.errno) { throw .cannotExchange(errno: error.errno) }
    }
  }

  private func clear() {
    for name in Self.names { try? FileTree.remove(name, in: stage) }
  }
}
