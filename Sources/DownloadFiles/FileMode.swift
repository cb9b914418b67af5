internal import CSwiftGetShims
internal import Glibc

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

  /// Gives an open file the rights of another one: its mode without set-user-ID, set-group-ID and sticky, and, as far as
  /// the system lets it, its owner, group and access control list.
  ///
  /// - Parameter model: a descriptor, be it open with O_PATH.
  static func adopt(_ model: Int32, on descriptor: Int32) throws(SystemCallError) {
    let mode = file_copy_rights(model, descriptor)
    guard mode >= 0 else { throw SystemCallError(.fstat, Int32(truncatingIfNeeded: -mode)) }
    try set(UInt32(mode), of: descriptor)
  }

  /// Sets the mode of an open file. No error on a file system without modes.
  static func set(_ mode: UInt32, of descriptor: Int32) throws(SystemCallError) {
    do {
      try SystemCalls.fchmod(descriptor, mode: mode)
    } catch let error where [EPERM, ENOTSUP, ENOSYS].contains(error.errno) {}
  }
}
