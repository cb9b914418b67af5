internal import CShims
internal import Glibc
internal import Synchronization

/// A directory's descriptor, and whether it is good for more than looking up names.
struct OpenDirectory: ~Copyable, Sendable {
  let descriptor: FileDescriptor
  /// It may be entered but not read, so it could only be opened with O_PATH, and fsync refuses it.
  let isPathOnly: Bool

  init(_ directory: Int32, _ path: [UInt8], flags: Int32 = 0) throws(SystemCallError) {
    do {
      descriptor = try SystemCalls.openat(directory, path, O_RDONLY | O_DIRECTORY | flags)
      isPathOnly = false
    } catch let error where error.errno == EACCES {
      descriptor = try SystemCalls.openat(directory, path, FILE_O_PATH | O_DIRECTORY | flags)
      isPathOnly = true
    }
  }

  func sync() throws(SystemCallError) {
    // syncfs, too, wants more than O_PATH gives.
    if isPathOnly { try SystemCalls.sync() } else { try SystemCalls.fsync(descriptor.raw) }
  }
}

/// A directory that is open, and what of the way to it is not on stable storage yet.
///
/// Shared by every place in it; any thread may use it.
package final class DirectoryHandle: Sendable {
  private let opened: OpenDirectory
  /// Components below the target directory, joined by slashes; empty for the target directory itself.
  let path: [UInt8]
  private let ledger: NewDirectories
  /// Set once the file system has said that it has no unnamed files.
  private let lacksUnnamedFiles = Atomic<Bool>(false)
  private let knownDevice = Atomic<UInt64>(0)
  private let knownWriteByteCount = Atomic<Int>(0)

  init(_ opened: consuming OpenDirectory, path: [UInt8], ledger: NewDirectories) {
    self.opened = opened
    self.path = path
    self.ledger = ledger
  }

  /// Valid as long as the handle is.
  package var raw: Int32 { opened.descriptor.raw }

  /// The file system it lies on, as files made in it do; asked for once.
  package var device: UInt64 {
    get throws(SystemCallError) {
      let known = knownDevice.load(ordering: .relaxed)
      if known != 0 { return known }
      let found = try SystemCalls.fstat(raw).device
      knownDevice.store(found, ordering: .relaxed)
      return found
    }
  }

  /// Bytes to be written at a time to a file in it, at most; asked for once.
  var writeByteCount: Int {
    let known = knownWriteByteCount.load(ordering: .relaxed)
    if known != 0 { return known }
    let isInMemory = (try? SystemCalls.fstatfs(raw))?.isInMemory ?? false
    let found = isInMemory ? .max : SystemCalls.diskWriteByteCount
    knownWriteByteCount.store(found, ordering: .relaxed)
    return found
  }

  var supportsUnnamedFiles: Bool {
    get { !opened.isPathOnly && !lacksUnnamedFiles.load(ordering: .relaxed) }
    set { lacksUnnamedFiles.store(!newValue, ordering: .relaxed) }
  }

  /// Puts the directory's names on stable storage, and with them the names of directories this run made on the way.
  package func sync() throws(SystemCallError) {
    try opened.sync()
    let levels = ledger.unsyncedLevels(above: path)
    guard levels > 0 else { return }
    var current = try OpenDirectory(raw, parentName)
    try current.sync()
    for _ in 1..<levels {
      current = try OpenDirectory(current.descriptor.raw, parentName)
      try current.sync()
    }
    ledger.markSynced(path, levels: levels)
  }
}

private let parentName = Array("..".utf8)

/// The directories that a run has made and whose names are not on stable storage yet.
///
/// Kept apart from the handles, which come and go with the descriptors.
final class NewDirectories: Sendable {
  private struct State {
    var paths: Set<[UInt8]> = []
    /// How many directories, the target directory first, were made on the way to it.
    var levelsToBase = 0
  }

  private let state = Mutex(State())
  private let isEmpty = Atomic<Bool>(true)

  func made(_ path: [UInt8]) {
    state.withLock { state in
      if path.isEmpty { state.levelsToBase += 1 } else { _ = state.paths.insert(path) }
    }
    isEmpty.store(false, ordering: .releasing)
  }

  /// How many parents of `path`, nearest first, must be synced for `path` to be found again.
  func unsyncedLevels(above path: [UInt8]) -> Int {
    if isEmpty.load(ordering: .acquiring) { return 0 }
    return state.withLock { state in
      var path = path
      var levels = 0
      while !path.isEmpty {
        guard state.paths.contains(path) else { return levels }
        levels += 1
        path = Self.parent(of: path)
      }
      return levels + state.levelsToBase
    }
  }

  func markSynced(_ path: [UInt8], levels: Int) {
    let nothingLeft = state.withLock { state in
      var path = path
      var rest = levels
      while !path.isEmpty, rest > 0 {
        state.paths.remove(path)
        rest -= 1
        path = Self.parent(of: path)
      }
      state.levelsToBase -= min(rest, state.levelsToBase)
      return state.paths.isEmpty && state.levelsToBase == 0
    }
    if nothingLeft { isEmpty.store(true, ordering: .releasing) }
  }

  private static func parent(of path: [UInt8]) -> [UInt8] {
    Array(path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)])
  }
}
