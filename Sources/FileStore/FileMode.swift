/// Permission bits of files.
package enum FileMode {
  /// A new file, less the umask.
  static let new: UInt32 = 0o666
  /// A new directory, less the umask.
  static let newDirectory: UInt32 = 0o777
  /// Unfinished files, which others must neither read nor write.
  package static let ownerOnly: UInt32 = 0o600
  /// A directory that its owner may fill.
  static let ownerDirectory: UInt32 = 0o700
  /// All permissions of group and others.
  static let ofOthers: UInt32 = 0o077
  static let writableByOthers: UInt32 = 0o022
  /// All permissions, without the set-user-ID, set-group-ID and sticky bits.
  static let permissions: UInt32 = 0o777
}
