internal import DownloadCore
internal import Glibc

/// The end of a previous set.
extension FileSet {
  /// Removes a previous set, whose place `next` has taken.
  ///
  /// What others have made or saved there after `next` was assembled moves to `next`; of two files of one name the one that
  /// was changed later stays. What was there before and is not in `next` was left out, replaced, or removed since.
  ///
  /// - Parameters:
  ///   - name: of the directory of the previous set, in `parent`.
  ///   - next: the descriptor of the directory that has taken its place.
  ///   - known: what the previous set had when `next` was assembled; nil where that is not recorded. Then all that `next`
  ///     has is taken for known.
  package static func retire(
    _ name: [UInt8], in parent: Int32, for next: Int32, known: SetFiles?, _ path: [UInt8] = []
  ) throws(Fault) {
    let previous = try open(name, in: parent, Array(path.dropLast()))
    for entry in try allNames(previous.raw, path) {
      let whole = path + entry
      let status = try perform(whole) { () throws(SystemCallError) in try SystemCalls.fstatat(previous.raw, entry) }
      let found = try? SystemCalls.fstatat(next, entry)
      if status.kind == .directory {
        try retireDirectory(entry, status, in: previous.raw, for: next, found, known, whole)
      } else {
        try retireFile(entry, status, in: previous.raw, for: next, found, known, whole)
      }
    }
    try perform(Array(path.dropLast())) { () throws(SystemCallError) in try SystemCalls.rmdirat(parent, name) }
  }

  private static func retireFile(
    _ name: [UInt8], _ status: FileStatus, in previous: Int32, for next: Int32, _ found: FileStatus?,
    _ known: SetFiles?, _ path: [UInt8]
  ) throws(Fault) {
    let isKnown = known.map { $0.contains(key(path), status) } ?? (found != nil)
    if found?.kind == .directory { throw .conflict(path) }
    try perform(path) { () throws(SystemCallError) in
      if isKnown || found?.isSameFile(as: status) == true {
        try MarkedFile.unlink(name, status, in: previous)
      } else if let found {
        let (mine, other) = (status.changed, found.changed)
        // Where `next` has the version before, its time of change says nothing: it changes when a name of it goes.
        let isBefore = known?.contains(key(path), found) ?? false
        if !isBefore, (other.seconds, other.nanoseconds) > (mine.seconds, mine.nanoseconds) {
          return try SystemCalls.unlinkat(previous, name)
        }
        try SystemCalls.renameat(previous, name, next, name, replacing: true)
      } else {
        try FileTree.move(previous, name, to: name, in: next)
      }
    }
  }

  private static func retireDirectory(
    _ name: [UInt8], _ status: FileStatus, in previous: Int32, for next: Int32, _ found: FileStatus?,
    _ known: SetFiles?, _ path: [UInt8]
  ) throws(Fault) {
    if let found {
      guard found.kind == .directory else { throw .conflict(path) }
    } else if known?.contains(key(path), status) != true {
      return try perform(path) { () throws(SystemCallError) in
        try FileTree.move(previous, name, to: name, in: next)
      }
    } else if try hasOnlyKnown(name, in: previous, known, path) {
      return try remove(name, in: previous, path)
    } else {
      // It has left the set, but somebody has put something into it.
      try perform(path) { () throws(SystemCallError) in try SystemCalls.mkdirat(next, name, mode: FileMode.newDirectory)
      }
      let old = try open(name, in: previous, path)
      let new = try open(name, in: next, path)
      adoptOwnership(new.raw, of: old.raw)
      try perform(path) { () throws(SystemCallError) in try SystemCalls.fchmod(new.raw, mode: status.mode) }
    }
    let directory = try open(name, in: next, path)
    try retire(name, in: previous, for: directory.raw, known: known, path + [slash])
  }

  private static func hasOnlyKnown(
    _ name: [UInt8], in parent: Int32, _ known: SetFiles?, _ path: [UInt8]
  ) throws(Fault) -> Bool {
    let directory = try open(name, in: parent, path)
    for entry in try allNames(directory.raw, path + [slash]) {
      let whole = path + [slash] + entry
      let status = try perform(whole) { () throws(SystemCallError) in try SystemCalls.fstatat(directory.raw, entry) }
      guard known?.contains(key(whole), status) == true else { return false }
      if status.kind == .directory, try !hasOnlyKnown(entry, in: directory.raw, known, whole) { return false }
    }
    return true
  }

  /// The key in `SetFiles` of a path in a tree.
  static func key(_ path: [UInt8]) -> UInt64 { StableHash.fnv1a(path) }
}
