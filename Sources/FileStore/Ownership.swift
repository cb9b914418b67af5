internal import CShims
internal import Glibc

/// A file under one of our names that is not ours to use or to remove.
///
/// Ours bear our signature, belong to the user who runs us and have one name.
package struct ForeignFile: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    case otherOwner
    /// It has further names (hard links), through which others may change it.
    case otherLinks
    /// A sidecar that this program has not written.
    case unsigned
    /// A part file, which has no signature of its own, without the sidecar that would speak for it.
    case noSidecar
  }

  /// Without a directory.
  package let name: [UInt8]
  package let reason: Reason

  package init(name: [UInt8], _ reason: Reason) {
    self.name = name
    self.reason = reason
  }
}

/// Why a part file could not be had.
package enum PartOpenError: Error, Hashable, Sendable {
  case foreign(ForeignFile)
  case systemCall(SystemCallError)
}

extension FileStatus {
  /// Checks that the file under one of our names may be ours, as far as its status tells.
  ///
  /// - Throws: besides `foreign`, ELOOP for a link, EISDIR for a directory, EINVAL for anything else that is no regular
  ///   file.
  func requireOurs(_ name: [UInt8], in directory: DirectoryHandle) throws(PartOpenError) {
    switch kind {
    case .regular: break
    case .symbolicLink: throw .systemCall(SystemCallError(.openat, ELOOP))
    case .directory: throw .systemCall(SystemCallError(.openat, EISDIR))
    case .special: throw .systemCall(SystemCallError(.openat, EINVAL))
    }
    guard directory.givesFiles(to: owner) else { throw .foreign(ForeignFile(name: name, .otherOwner)) }
    // There is none where the name was removed a moment ago.
    guard linkCount <= 1 else { throw .foreign(ForeignFile(name: name, .otherLinks)) }
  }
}

extension FileDescriptor {
  /// Whether the name still means the open file.
  func isNamed(_ name: [UInt8], in directory: DirectoryHandle) throws(SystemCallError) -> Bool {
    do {
      return try SystemCalls.fstatat(directory.raw, name).isSameFile(as: SystemCalls.fstat(raw))
    } catch let error where error.isMissing {
      return false
    }
  }

  /// Removes the name of the open file; one that is gone already, or means another file by now, is no error.
  func removeName(_ name: [UInt8], in directory: DirectoryHandle) throws(SystemCallError) {
    guard try isNamed(name, in: directory) else { return }
    do { try SystemCalls.unlinkat(directory.raw, name) } catch let error where error.isMissing {}
  }

  /// Takes the rights of others away.
  ///
  /// - Returns: whether others could write to the file until now. On a file system without modes nobody can tell.
  func makePrivate(_ status: FileStatus) -> Bool {
    guard status.mode & 0o077 != 0 else { return false }
    try? SystemCalls.fchmod(raw, mode: 0o600)
    guard status.mode & 0o022 != 0, let now = try? SystemCalls.fstat(raw) else { return false }
    return now.mode & 0o022 == 0
  }
}

extension DirectoryHandle {
  /// Whether a file that we make in the directory belongs to this user: to ours, or to the one who owns all files of
  /// the file system (FAT, some shares) or of every root (NFS).
  func givesFiles(to owner: UInt32) -> Bool { owner == SystemCalls.user || owner == ownerOfNewFile() }

  /// The owner of a file that is made for the purpose; nil where none can be.
  func ownerOfNewFile() -> UInt32? {
    let name = StoredName.temporary(of: Array("owner".utf8), process: file_process(), number: 0)
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
    guard let descriptor = try? SystemCalls.openat(raw, name, flags, mode: 0o600) else { return nil }
    defer { try? SystemCalls.unlinkat(raw, name) }
    return (try? SystemCalls.fstat(descriptor.raw))?.owner
  }
}
