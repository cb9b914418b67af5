internal import Glibc

/// The files below a directory, as a manifest lists them.
///
/// Symbolic links are not followed. Each directory is opened by its name in its parent, so that none of them leads out
/// of the tree.
package struct FileTree: Sendable {
  /// A regular file.
  package struct File: Hashable, Sendable {
    /// Relative to the tree's directory, with slashes between components.
    package let name: [UInt8]
    /// Bytes.
    package let length: Int64
  }

  /// What is no file of the tree.
  package struct LeftOut: Hashable, Sendable {
    package enum Reason: Hashable, Sendable, CaseIterable {
      case symbolicLink
      /// A pipe, socket or device.
      case special
      /// The name is one of a part file, sidecar or temporary file of ours.
      case reservedName
    }

    package let name: [UInt8]
    package let reason: Reason

    package init(name: [UInt8], reason: Reason) {
      self.name = name
      self.reason = reason
    }
  }

  /// A file that does not count, such as the manifest itself.
  package enum Exclusion: Hashable, Sendable {
    /// Any file of this name in this directory.
    case name([UInt8], in: FileStatus)
    case file(FileStatus)
  }

  /// A name below the tree's directory that could not be read; empty for that directory itself.
  package struct Fault: Error, Hashable, Sendable {
    package let name: [UInt8]
    package let cause: SystemCallError
  }

  /// Sorted by their names' bytes.
  package let files: [File]
  /// Sorted by their names' bytes.
  package let leftOut: [LeftOut]

  /// The names in a directory, sorted by their bytes.
  package static func names(in directory: DirectoryHandle) throws(SystemCallError) -> [[UInt8]] {
    try DirectoryNames.read(directory.raw).sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Renames, and fails with EEXIST where `to` exists; without a guarantee against a race on file systems that do not
  /// support RENAME_NOREPLACE, such as NFS.
  ///
  /// - Parameter target: the directory of the new name; nil is the one of the old name.
  package static func move(
    _ directory: Int32, _ name: [UInt8], to new: [UInt8], in target: Int32? = nil
  ) throws(SystemCallError) {
    let target = target ?? directory
    do {
      return try SystemCalls.renameat(directory, name, target, new, replacing: false)
    } catch let error where error.errno == EINVAL {
      if (try? SystemCalls.fstatat(target, new)) != nil { throw SystemCallError(.renameat, EEXIST) }
    }
    try SystemCalls.renameat(directory, name, target, new, replacing: true)
  }

  /// Removes a file, or a directory with everything below it. Follows no links.
  package static func remove(_ name: [UInt8], in directory: Int32) throws(SystemCallError) {
    guard try SystemCalls.fstatat(directory, name).kind == .directory else {
      return try SystemCalls.unlinkat(directory, name)
    }
    let opened = try SystemCalls.openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    for entry in try DirectoryNames.read(opened.raw) { try remove(entry, in: opened.raw) }
    try SystemCalls.rmdirat(directory, name)
  }
}
