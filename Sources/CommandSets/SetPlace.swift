internal import DownloadCore
internal import DownloadFiles
internal import DownloadScratch
internal import Glibc

/// The directory DIR of a set, the place DIR.swiftget-next beside it, which it locks, and what fails there.
final class SetPlace {
  /// DIR, absolute and without links.
  let path: [UInt8]
  let name: [UInt8]
  /// The directory that DIR is in.
  let parent: FileDescriptor
  /// `DIR.swiftget-next`, which holds the lock.
  let lock: FileLock
  let stageName: [UInt8]
  var stage: Int32 { lock.descriptor.raw }

  static let new = Array("new".utf8)
  static let set = Array("set".utf8)
  static let identity = Array("id".utf8)
  static let known = Array("known".utf8)
  private static let slash = UInt8(ascii: "/")
  /// Attempts at a stage that other runs remove at the same time.
  private static let openAttemptCount = 100

  /// Opens or makes the place. DIR need not exist.
  ///
  /// - Parameter path: of DIR as the user names it; a symbolic link stands for the directory that it leads to.
  init(_ path: [UInt8]) throws(SetRefusal) {
    let (directory, name) = try Self.resolve(path)
    let whole = DirectoryHandle.joined(directory, name)
    self.path = whole
    self.name = name
    if Self.containsWorkingDirectory(whole) { throw .isWorkingDirectory }
    stageName = TargetName.fitted(name, suffix: TargetName.nextSetSuffix)
    parent = try Self.perform(.list, directory) { () throws(SystemCallError) in
      try SystemCalls.openat(SystemCalls.workingDirectory, directory, O_RDONLY | O_DIRECTORY)
    }
    lock = try Self.openStage(stageName, in: parent.raw, DirectoryHandle.joined(directory, stageName))
  }

  /// The path of the directory for what the run downloads.
  var newPath: [UInt8] { stagePath + [Self.slash] + Self.new }

  /// The path of the place for the next set, for messages.
  var stagePath: [UInt8] {
    DirectoryHandle.joined(Array(path.dropLast(name.count)), stageName)
  }

  /// Where a run would look at files, if it began now; nothing is made or changed.
  ///
  /// - Parameter path: as for `init`.
  /// - Returns: the directory for new files, and that of the previous set where there is one.
  static func paths(of path: [UInt8]) throws(SetRefusal) -> (new: [UInt8], previous: [UInt8]?) {
    let (directory, name) = try resolve(path, creating: false)
    let whole = DirectoryHandle.joined(directory, name)
    let stage = DirectoryHandle.joined(directory, TargetName.fitted(name, suffix: TargetName.nextSetSuffix))
    return (
      DirectoryHandle.joined(stage, new),
      (try? SystemCalls.fstatat(SystemCalls.workingDirectory, whole)) == nil ? nil : whole
    )
  }

  // MARK: Opening

  /// The directory that DIR is in, without links, and the name of DIR there.
  ///
  /// - Parameter creating: whether missing directories on the way are made.
  private static func resolve(
    _ path: [UInt8], creating: Bool = true
  ) throws(SetRefusal) -> (directory: [UInt8], name: [UInt8]) {
    let path = path.isEmpty ? [UInt8(ascii: ".")] : path
    if let real = RealPath.of(path) {
      let (directory, name) = WholeFile.split(real)
      // The root has no name.
      if name.isEmpty { throw .isMountPoint }
      return (directory, name)
    }
    guard errno == ENOENT else { throw .failed(FileFailure(path, .failed(.open, errno: errno))) }
    let (directory, name) = WholeFile.split(directory: path)
    do { _ = try TargetDirectory.open(path: directory, creating: creating) } catch {
      if !creating, error.cause.isMissing { return (directory, name) }
      throw .failed(FileFailure(error))
    }
    guard let real = RealPath.of(directory), TargetDirectory.isComponent(name),
      (try? SystemCalls.fstatat(SystemCalls.workingDirectory, DirectoryHandle.joined(real, name))) == nil
    else { throw .failed(FileFailure(path, .failed(.open, errno: ENOENT))) }
    return (real, name)
  }

  /// Whether the working directory is the directory or below it.
  private static func containsWorkingDirectory(_ path: [UInt8]) -> Bool {
    guard let working = RealPath.of([UInt8(ascii: ".")]) else { return false }
    return working == path || working.starts(with: path + [slash])
  }

  private static func openStage(
    _ name: [UInt8], in parent: Int32, _ path: [UInt8]
  ) throws(SetRefusal) -> FileLock {
    for _ in 0..<openAttemptCount {
      do throws(SystemCallError) { try SystemCalls.mkdirat(parent, name, mode: 0o700) } catch {
        guard error.errno == EEXIST else { throw .failed(FileFailure(path, .failed(.create, errno: error.errno))) }
      }
      do throws(SystemCallError) {
        let lock = try FileLock(
          taking: SystemCalls.openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
        // The run that held it may have removed it.
        let named = try SystemCalls.fstatat(parent, name)
        if try SystemCalls.fstat(lock.descriptor.raw).isSameFile(as: named) { return lock }
      } catch {
        if error.errno == EWOULDBLOCK { throw .held }
        if !error.isMissing { throw .failed(FileFailure(path, .failed(.list, errno: error.errno))) }
      }
    }
    throw .held
  }

  // MARK: Calls and their errors

  /// Nil where there is no such file.
  func read(_ name: [UInt8]) -> [UInt8]? { SystemCalls.content(of: name, in: stage) }

  func open(_ name: [UInt8], in directory: Int32) throws(SystemCallError) -> FileDescriptor {
    try SystemCalls.openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  func opened(_ name: [UInt8], in directory: Int32) throws(SetRefusal) -> FileDescriptor {
    do { return try open(name, in: directory) } catch {
      let path = directory == parent.raw ? path : DirectoryHandle.joined(stagePath, name)
      throw .failed(FileFailure(path, .failed(.list, errno: error.errno)))
    }
  }

  func perform(
    _ operation: FileProblem.Operation, _ body: () throws(SystemCallError) -> Void
  ) throws(SetRefusal) {
    try Self.perform(operation, operation == .move ? path : stagePath, body)
  }

  private static func perform<Value: ~Copyable>(
    _ operation: FileProblem.Operation, _ path: [UInt8], _ body: () throws(SystemCallError) -> Value
  ) throws(SetRefusal) -> Value {
    do { return try body() } catch { throw .failed(FileFailure(path, .failed(operation, errno: error.errno))) }
  }

  @discardableResult
  func tried<Value>(_ body: () throws(FileSet.Fault) -> Value) throws(SetRefusal) -> Value {
    do { return try body() } catch { throw refusal(error) }
  }

  func refusal(_ failure: FileSet.Fault) -> SetRefusal {
    switch failure {
    case .systemCall(let name, let error) where error.call == .linkat:
      return .cannotKeep(DirectoryHandle.joined(path, name), errno: error.errno)
    case .systemCall(let name, let error):
      let operation: FileProblem.Operation =
        switch error.call {
        case .openat: .list
        case .unlinkat: .remove
        case .renameat: .move
        case .mkdirat: .create
        default: .read
        }
      return .failed(FileFailure(DirectoryHandle.joined(path, name), .failed(operation, errno: error.errno)))
    case .conflict(let name): return .conflict(DirectoryHandle.joined(path, name))
    case .stopped: return .failed(FileFailure(path, .stopped))
    }
  }
}
