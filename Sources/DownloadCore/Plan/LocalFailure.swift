/// A system call that failed, and what it was part of.
package struct LocalFailure: Hashable, Sendable {
  package enum Operation: Hashable, Sendable, CaseIterable {
    case createDirectory, useDirectory
    /// Creating a file in a directory.
    case writeDirectory
    case inspectTarget
    case openSidecar, writeSidecar
    case openPart, writePart
    /// Reading back what was written, for its digest.
    case readPart
    case syncContent
    case nameTarget
    /// The file has its name.
    case removeSidecar
    /// The file has its name, which may be lost in a power cut.
    case syncDirectory
    /// Giving the files of a task another name.
    case rename
    /// Writing to standard output, a pipe or a device.
    case writeOutput
    /// Writing the file of `--save-cookies`.
    case saveCookies
  }

  /// What an errno says about a remedy.
  package enum Kind: Hashable, Sendable, CaseIterable {
    /// The file system or the quota is full. The run stops; freeing space helps.
    case outOfSpace
    /// The file would exceed the limit of the file system or the process (`ulimit -f`).
    case fileTooLarge
    /// The process or the system has no descriptor left. Fewer concurrent files help.
    case outOfDescriptors
    /// Permissions or a read-only file system. Another directory helps.
    case forbidden
    case nameTooLong
    /// The file system does not allow a character of the name, or the name is not in its encoding.
    case nameRefused
    case other
  }

  package let operation: Operation
  /// The file or directory as the user knows it, in raw bytes; nil where it is the item's own.
  package let path: [UInt8]?
  /// The name of the system call, as in its manual.
  package let call: String
  /// As in errno(3).
  package let errno: Int32
  package let kind: Kind

  package init(_ operation: Operation, path: [UInt8]? = nil, call: String, errno: Int32, kind: Kind) {
    self.operation = operation
    self.path = path
    self.call = call
    self.errno = errno
    self.kind = kind
  }
}

/// The free bytes of a file system, and how many of them downloads leave free.
package struct DiskSpace: Hashable, Sendable {
  package let free: Int64
  package let reserve: Int64

  package init(free: Int64, reserve: Int64) {
    self.free = free
    self.reserve = reserve
  }
}

/// A file with the name of a sidecar or part file that swiftget must neither use nor remove.
///
/// Our own files are signed, belong to the user of this process and have one name.
package struct ForeignFile: Hashable, Sendable {
  package enum Reason: Hashable, Sendable, CaseIterable {
    /// A symbolic link, a directory, a pipe or the like.
    case notRegular
    case otherOwner
    /// It has further hard links, through which others could change it.
    case otherLinks
    /// A sidecar that swiftget did not write.
    case unsigned
    /// A part file without a sidecar. Part files are not signed; the sidecar vouches for them.
    case noSidecar
    /// Content that was set aside, but others may read it.
    case notPrivate
  }

  /// Without a directory.
  package let name: [UInt8]
  package let reason: Reason

  package init(name: [UInt8], _ reason: Reason) {
    self.name = name
    self.reason = reason
  }
}
