internal import CSwiftGetShims
internal import DownloadCore
internal import Glibc

/// Trees of files that stand for each other: the previous set of a directory, new files, and the next set of both.
///
/// A file in two trees is one file with two names. Nothing is followed that is a symbolic link; pipes, devices and
/// sockets are linked like files. The marks of files stay valid.
package enum FileSet {
  /// A name in a tree, relative to it, that could not be dealt with.
  package enum Fault: Error, Hashable, Sendable {
    case systemCall([UInt8], SystemCallError)
    /// A directory in one tree and something else in the other one.
    case conflict([UInt8])
    /// The caller wants no more.
    case stopped
  }

  // MARK: The next set

  /// Makes the next set in an empty directory: everything of `added`, and what `previous` has besides. Names of part files,
  /// sidecars and temporary files are left out.
  ///
  /// Files under such names of `previous` are brought by `retire`, for another program may be at work on them.
  ///
  /// A directory gets the mode, the owner and the attributes of the one in `previous`, and its modification time where
  /// nothing in it is new. A new file gets the rights of the file that it replaces.
  ///
  /// - Parameters:
  ///   - previous: a directory's descriptor, like the other two.
  ///   - choice: what is wanted of `previous`.
  /// - Returns: all of `previous`, for `retire`.
  package static func assemble(
    previous: Int32, added: Int32, into set: Int32, _ choice: Choice
  ) throws(Fault) -> SetFiles {
    var known = SetFiles()
    _ = try assemble(previous, added, set, [], choice, &known)
    known.sort()
    return known
  }

  /// What a caller wants of a previous set.
  package struct Choice {
    /// Asked for each name.
    let isStopped: () -> Bool
    /// Whether a file of the previous set that no new one replaces is left out of the next one.
    let isLeftOut: (_ path: [UInt8], FileStatus) -> Bool

    package init(isStopped: @escaping () -> Bool, isLeftOut: @escaping (_ path: [UInt8], FileStatus) -> Bool) {
      self.isStopped = isStopped
      self.isLeftOut = isLeftOut
    }
  }

  /// - Parameter path: of the directories, with a slash at its end; empty for the trees themselves.
  /// - Returns: whether a file was left out.
  private static func assemble(
    _ previous: Int32?, _ added: Int32?, _ set: Int32, _ path: [UInt8], _ choice: Choice, _ known: inout SetFiles
  ) throws(Fault) -> Bool {
    var modes: FileStatus?
    if let previous { modes = try begin(set, as: previous, path) }
    var new = Set<[UInt8]>()
    if let added { new = Set(try names(added, path)) }
    var (hasNew, isShort) = (false, false)
    for name in try previous.map({ (directory) throws(Fault) in try names(directory, path) }) ?? [] {
      if choice.isStopped() { throw .stopped }
      guard let previous else { break }
      let old = try perform(path + name) { () throws(SystemCallError) in try SystemCalls.fstatat(previous, name) }
      known.insert(key(path + name), old)
      guard let added, new.remove(name) != nil else {
        if old.kind != .directory, choice.isLeftOut(path + name, old) {
          isShort = true
        } else if try add(name, old, previous: previous, added: nil, set, path, choice, &known) {
          isShort = true
        }
        continue
      }
      let found = try perform(path + name) { () throws(SystemCallError) in try SystemCalls.fstatat(added, name) }
      guard (old.kind == .directory) == (found.kind == .directory) else { throw .conflict(path + name) }
      if found.kind == .directory {
        if try add(name, found, previous: previous, added: added, set, path, choice, &known) { isShort = true }
      } else {
        hasNew = true
        try perform(path + name) { () throws(SystemCallError) in
          try MarkedFile.link(
            name, found, from: added, to: set, replaced: ReplacedFile(in: previous, name))
        }
      }
    }
    for name in new {
      guard let added else { break }
      if choice.isStopped() { throw .stopped }
      hasNew = true
      let found = try perform(path + name) { () throws(SystemCallError) in try SystemCalls.fstatat(added, name) }
      _ = try add(name, found, previous: nil, added: added, set, path, choice, &known)
    }
    if let modes { try finish(set, as: modes, keepsTime: !hasNew && !isShort, path) }
    return isShort
  }

  /// Adds a directory of one or both trees, or a file of one of them.
  ///
  /// - Returns: whether a file was left out, and with it the whole directory.
  private static func add(
    _ name: [UInt8], _ status: FileStatus, previous: Int32?, added: Int32?, _ set: Int32, _ path: [UInt8],
    _ choice: Choice, _ known: inout SetFiles
  ) throws(Fault) -> Bool {
    let whole = path + name
    guard status.kind == .directory else {
      guard let from = added ?? previous else { return false }
      try perform(whole) { () throws(SystemCallError) in
        try MarkedFile.link(name, status, from: from, to: set)
      }
      return false
    }
    try perform(whole) { () throws(SystemCallError) in
      try SystemCalls.mkdirat(set, name, mode: FileMode.newDirectory)
    }
    var old: FileDescriptor?
    if let previous { old = try open(name, in: previous, whole) }
    var new: FileDescriptor?
    if let added { new = try open(name, in: added, whole) }
    let made = try open(name, in: set, whole)
    guard try assemble(old?.raw, new?.raw, made.raw, whole + [slash], choice, &known) else { return false }
    // A directory goes with the last of its files.
    do throws(SystemCallError) { try SystemCalls.rmdirat(set, name) } catch { return false }
    return true
  }

  /// Before anything is in it, which may inherit its group and its access control list.
  /// - Returns: the status of the previous directory.
  private static func begin(
    _ directory: Int32, as previous: Int32, _ path: [UInt8]
  ) throws(Fault) -> FileStatus {
    adoptOwnership(directory, of: previous)
    return try perform(Array(path.dropLast())) { () throws(SystemCallError) in
      let status = try SystemCalls.fstat(previous)
      try SystemCalls.fchmod(directory, mode: status.mode | FileMode.ownerDirectory)
      return status
    }
  }

  private static func finish(
    _ directory: Int32, as previous: FileStatus, keepsTime: Bool, _ path: [UInt8]
  ) throws(Fault) {
    try perform(Array(path.dropLast())) { () throws(SystemCallError) in
      try SystemCalls.fchmod(directory, mode: previous.mode)
      if keepsTime { try SystemCalls.futimens(directory, modified: previous.modified) }
    }
  }

  /// Gives a directory the owner and the attributes of another one, as far as the system lets it.
  package static func adoptOwnership(_ directory: Int32, of other: Int32) { _ = file_copy_ownership(other, directory) }

  // MARK: Removal

  /// Removes a tree whose files may have other names.
  package static func remove(_ name: [UInt8], in parent: Int32) throws(Fault) { try remove(name, in: parent, name) }

  static func remove(_ name: [UInt8], in parent: Int32, _ path: [UInt8]) throws(Fault) {
    let status = try perform(path) { () throws(SystemCallError) in try SystemCalls.fstatat(parent, name) }
    guard status.kind == .directory else {
      return try perform(path) { () throws(SystemCallError) in try MarkedFile.unlink(name, status, in: parent) }
    }
    let directory = try open(name, in: parent, path)
    for entry in try allNames(directory.raw, path) { try remove(entry, in: directory.raw, path + [slash] + entry) }
    try perform(path) { () throws(SystemCallError) in try SystemCalls.rmdirat(parent, name) }
  }

  /// Removes part files, sidecars and temporary files.
  package static func removeReserved(in directory: Int32, _ path: [UInt8] = []) throws(Fault) {
    for name in try allNames(directory, path) {
      let whole = path + name
      if TargetName.isReserved(name) {
        try remove(name, in: directory, whole)
      } else if try isDirectory(name, in: directory, whole) {
        let opened = try open(name, in: directory, whole)
        try removeReserved(in: opened.raw, whole + [slash])
      }
    }
  }

  // MARK: Names

  /// Whether a tree has anything but directories; with `finishedOnly` part files, sidecars and temporary files do not
  /// count.
  package static func hasFiles(_ directory: Int32, finishedOnly: Bool) throws(Fault) -> Bool {
    try !allFiles(directory, reserved: !finishedOnly) { _, _ in false }
  }

  /// Whether all finished files of a tree have names for which the closure returns true; with `reserved`, all files.
  package static func allFiles(
    _ directory: Int32, reserved: Bool = false, _ path: [UInt8] = [],
    satisfy body: (_ path: [UInt8], FileStatus) -> Bool
  ) throws(Fault) -> Bool {
    for name in try reserved ? allNames(directory, path) : names(directory, path) {
      let whole = path + name
      let status = try perform(whole) { () throws(SystemCallError) in try SystemCalls.fstatat(directory, name) }
      if status.kind == .directory {
        let opened = try open(name, in: directory, whole)
        guard try allFiles(opened.raw, reserved: reserved, whole + [slash], satisfy: body) else { return false }
      } else if !body(whole, status) {
        return false
      }
    }
    return true
  }

  /// Removes the finished files of a tree for whose names the closure returns false, and directories that are empty then.
  package static func removeFiles(
    _ directory: Int32, _ path: [UInt8] = [], unless isKept: ([UInt8]) -> Bool
  ) throws(Fault) {
    for name in try names(directory, path) {
      let whole = path + name
      if try isDirectory(name, in: directory, whole) {
        let opened = try open(name, in: directory, whole)
        try removeFiles(opened.raw, whole + [slash], unless: isKept)
        try? SystemCalls.rmdirat(directory, name)
      } else if !isKept(whole) {
        try remove(name, in: directory, whole)
      }
    }
  }

  private static func isDirectory(_ name: [UInt8], in directory: Int32, _ path: [UInt8]) throws(Fault) -> Bool {
    try perform(path) { () throws(SystemCallError) in
      try SystemCalls.fstatat(directory, name).kind == .directory
    }
  }

  static let slash = UInt8(ascii: "/")

  private static func names(_ directory: Int32, _ path: [UInt8]) throws(Fault) -> [[UInt8]] {
    try allNames(directory, path).filter { !TargetName.isReserved($0) }
  }

  static func allNames(_ directory: Int32, _ path: [UInt8]) throws(Fault) -> [[UInt8]] {
    try perform(Array(path.dropLast())) { () throws(SystemCallError) in try DirectoryNames.read(directory) }
  }

  static func open(_ name: [UInt8], in parent: Int32, _ path: [UInt8]) throws(Fault) -> FileDescriptor {
    do { return try SystemCalls.openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) } catch {
      throw .systemCall(path, error)
    }
  }

  static func perform<Value>(
    _ path: [UInt8], _ body: () throws(SystemCallError) -> Value
  ) throws(Fault) -> Value {
    do { return try body() } catch { throw .systemCall(path, error) }
  }
}
