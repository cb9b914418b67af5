/// A small file with secrets, which only its owner may read. It is always replaced as a whole.
package enum PrivateFile {
  /// Replaces what has the name `path`, be it a symbolic link: that is never written through.
  ///
  /// The directory is not synced: after a power cut the old content or the new one is there.
  ///
  /// - Parameter syncs: whether the content reaches stable storage before it gets the name.
  package static func replace(_ path: [UInt8], with bytes: [UInt8], syncs: Bool) throws(SystemCallError) {
    try WholeFile.replace(path, mode: FileMode.ownerOnly, durability: syncs ? .content : .none) {
      (write) throws(SystemCallError) in try write(bytes)
    }
  }
}
