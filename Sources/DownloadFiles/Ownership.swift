package import DownloadCore
internal import Glibc

/// Why a part file could not be opened or made.
package enum PartOpenError: Error, Hashable, Sendable {
  case foreign(ForeignFile)
  case systemCall(SystemCallError)
}

extension FileStatus {
  /// Checks that the file with one of our names can be ours, as far as its status tells.
  ///
  /// - Parameter probesOwner: whether a file may be made for a moment, to see whose it is.
  /// - Throws: `foreign`.
  func requireOurs(
    _ name: [UInt8], in directory: DirectoryHandle, probesOwner: Bool = true
  ) throws(PartOpenError) {
    guard kind == .regular else { throw .foreign(ForeignFile(name: name, .notRegular)) }
    guard probesOwner ? directory.givesFiles(to: owner) : owner == SystemCalls.user else {
      throw .foreign(ForeignFile(name: name, .otherOwner))
    }
    // The count is 0 where the name has just been removed.
    guard linkCount <= 1 else { throw .foreign(ForeignFile(name: name, .otherLinks)) }
  }
}

extension FileDescriptor {
  /// Whether the name still refers to the open file.
  func isNamed(_ name: [UInt8], in directory: DirectoryHandle) throws(SystemCallError) -> Bool {
    guard let named = try SystemCalls.statusIfThere(directory.raw, name) else { return false }
    return named.isSameFile(as: try SystemCalls.fstat(raw))
  }

  /// Removes the name of the open file. No error where the name is gone or refers to another file.
  func removeName(_ name: [UInt8], in directory: DirectoryHandle) throws(SystemCallError) {
    guard try isNamed(name, in: directory) else { return }
    do { try SystemCalls.unlinkat(directory.raw, name) } catch let error where error.isMissing {}
  }

  /// Removes the permissions of group and others.
  ///
  /// - Returns: whether others could write to the file until now; false on a file system without modes.
  func makePrivate(_ status: FileStatus) -> Bool {
    guard status.mode & FileMode.ofOthers != 0 else { return false }
    try? SystemCalls.fchmod(raw, mode: FileMode.ownerOnly)
    guard status.mode & FileMode.writableByOthers != 0, let now = try? SystemCalls.fstat(raw) else { return false }
    return now.mode & FileMode.writableByOthers == 0
  }
}

extension DirectoryHandle {
  /// Whether files that this process makes in the directory belong to `owner`. That is our own user, or the one that
  /// owns all files of the file system (FAT, some shares) or all files of root (NFS).
  func givesFiles(to owner: UInt32) -> Bool { owner == SystemCalls.user || owner == newFile()?.owner }

  /// Whether files that this process makes in the directory may be closed to others. False on a file system without modes.
  var makesPrivateFiles: Bool { (newFile()?.mode ?? 0) & FileMode.ofOthers == 0 }

  /// Makes a file for a moment and returns its status; nil where none can be made.
  private func newFile() -> FileStatus? {
    let name = StoredName.temporary(
      of: Array("owner".utf8), process: getpid(), number: 0, limit: nameLimit)
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
    guard let descriptor = try? SystemCalls.openat(raw, name, flags, mode: FileMode.ownerOnly) else { return nil }
    defer { try? SystemCalls.unlinkat(raw, name) }
    return try? SystemCalls.fstat(descriptor.raw)
  }
}
