internal import CSwiftGetShims
internal import DownloadCore
internal import Glibc
internal import Synchronization

/// A directory's descriptor.
struct OpenDirectory: ~Copyable, Sendable {
  let descriptor: FileDescriptor
  /// The directory may be searched but not read. It is open with O_PATH, which fsync refuses.
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

  /// - Returns: false where the file system cannot sync directories.
  @discardableResult
  func sync() throws(SystemCallError) -> Bool {
    if !isPathOnly { return try SystemCalls.fsync(descriptor.raw) }
    // syncfs refuses an O_PATH descriptor, too.
    try SystemCalls.sync()
    return true
  }
}

/// An open directory, which also syncs those of its parents that this run created.
///
/// Shared by all places in the directory. Any thread may use it.
package final class DirectoryHandle: Sendable {
  private let opened: OpenDirectory
  /// The user's path of the target directory.
  private let root: [UInt8]
  /// The path below the target directory; empty for the target directory itself.
  let path: [UInt8]
  private let ledger: NewDirectories
  /// Set once the file system has refused O_TMPFILE.
  private let lacksUnnamedFiles = Atomic<Bool>(false)
  /// Set once the kernel has refused to read attributes by a file's name.
  private let lacksNamedAttributes = Atomic<Bool>(false)
  private let knownDevice = Atomic<UInt64>(0)
  private let knownWriteByteCount = Atomic<Int>(0)
  private let knownNameLimit = Atomic<Int>(0)
  /// Set once the file system has refused a sync, because it has none.
  private let lacksSync = Atomic<Bool>(false)

  init(_ opened: consuming OpenDirectory, root: [UInt8], path: [UInt8], ledger: NewDirectories) {
    self.opened = opened
    self.root = root
    self.path = path
    self.ledger = ledger
  }

  /// The descriptor, valid for the lifetime of the handle.
  package var raw: Int32 { opened.descriptor.raw }

  /// Whether new files get their rights from the directory, and the umask means nothing (acl(5)).
  var hasDefaultAccessList: Bool { file_has_default_access_list(raw) != 0 }

  /// The directory as the user knows it, for messages.
  package var shownPath: [UInt8] { Self.joined(root, path) }

  /// A path below another one; an absolute path stays as it is.
  package static func joined(_ root: [UInt8], _ path: [UInt8]) -> [UInt8] {
    if path.isEmpty || path.first == UInt8(ascii: "/") || root.isEmpty { return path.isEmpty ? root : path }
    return root + (root.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + path
  }

  /// Why no file can be created in it: EACCES, EROFS, or ENOENT where it was removed; nil where a file can be.
  ///
  /// It only explains a failure, so faccessat is not intercepted.
  package var obstacle: Int32? {
    if let status = try? SystemCalls.fstat(raw), status.linkCount == 0 { return ENOENT }
    return faccessat(raw, ".", W_OK | X_OK, AT_EACCESS) == 0 ? nil : errno
  }

  /// The device of its file system, and so of files made in it. Asked for once.
  package var device: UInt64 {
    get throws(SystemCallError) {
      let known = knownDevice.load(ordering: .relaxed)
      if known != 0 { return known }
      let found = try SystemCalls.fstat(raw).device
      knownDevice.store(found, ordering: .relaxed)
      return found
    }
  }

  /// The most bytes per write to a file in it. Asked for once.
  var writeByteCount: Int {
    learnLimits()
    return knownWriteByteCount.load(ordering: .relaxed)
  }

  /// The most bytes of a name in it. Asked for once.
  var nameLimit: Int {
    learnLimits()
    return knownNameLimit.load(ordering: .relaxed)
  }

  private func learnLimits() {
    if knownNameLimit.load(ordering: .acquiring) != 0 { return }
    let status = try? SystemCalls.fstatfs(raw)
    knownWriteByteCount.store(status?.isInMemory == true ? .max : SystemCalls.diskWriteByteCount, ordering: .relaxed)
    knownNameLimit.store(StoredName.limit(status), ordering: .releasing)
  }

  var supportsUnnamedFiles: Bool {
    get { !opened.isPathOnly && !lacksUnnamedFiles.load(ordering: .relaxed) }
    set { lacksUnnamedFiles.store(!newValue, ordering: .relaxed) }
  }

  /// Whether the kernel reads attributes of files in it by their names (Linux 6.13).
  var readsNamedAttributes: Bool {
    get { !lacksNamedAttributes.load(ordering: .relaxed) }
    set { lacksNamedAttributes.store(!newValue, ordering: .relaxed) }
  }

  /// Whether what was synced in it so far is on stable storage. False where the file system cannot sync.
  package var isDurable: Bool { !lacksSync.load(ordering: .relaxed) }

  /// - Parameter synced: whether a sync of the directory, or of a file in it, was possible.
  func note(synced: Bool) {
    if !synced { lacksSync.store(true, ordering: .relaxed) }
  }

  /// Puts the directory's entries on stable storage, and the entries of those of its parents that this run created.
  package func sync() throws(SystemCallError) {
    note(synced: try opened.sync())
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

/// Directories that the run has created and whose own entries are not on stable storage yet.
///
/// Outlives the handles, which are closed when the cache is full. Any thread may use it.
final class NewDirectories: Sendable {
  private struct State {
    var paths: Set<[UInt8]> = []
    /// The number of directories created at the end of the path of the target directory, itself included.
    var levelsToBase = 0
  }

  private let state = Lock(State())
  private let isEmpty = Atomic<Bool>(true)

  func made(_ path: [UInt8]) {
    state.withLock { state in
      if path.isEmpty { state.levelsToBase += 1 } else { _ = state.paths.insert(path) }
    }
    isEmpty.store(false, ordering: .releasing)
  }

  /// The number of parents of `path`, nearest first, that must be synced so that `path` survives a power cut.
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
