package import DownloadCore

/// What a complete file gets together with its name.
package struct PublishOrder: Hashable, Sendable {
  package var attributes: FileAttributes
  /// Nil sets the current time.
  package var modified: FileTime?
  /// Permission bits that a file does not have if it replaces none, as umask(2); nil is the process's umask. Where the
  /// directory has a default access control list, that list decides.
  package var umask: UInt32?
  /// Whether an existing file with the name may be replaced.
  package var isReplacing: Bool

  package init(
    attributes: FileAttributes = FileAttributes(), modified: FileTime? = nil, umask: UInt32? = nil,
    isReplacing: Bool = false
  ) {
    self.attributes = attributes
    self.modified = modified
    self.umask = umask
    self.isReplacing = isReplacing
  }
}
