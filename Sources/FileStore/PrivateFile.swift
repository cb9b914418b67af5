internal import CShims
internal import Glibc

/// A small file with secrets, which only its owner may read. It is always replaced as a whole.
package enum PrivateFile {
  /// Attempts at a temporary name that is free.
  private static let nameAttemptCount = 1000

  /// Replaces what has the name `path`, be it a symbolic link: that is never written through.
  ///
  /// The directory is not synced: after a power cut the old content or the new one is there.
  ///
  /// - Parameter syncs: whether the content reaches stable storage before it gets the name.
  package static func replace(_ path: [UInt8], with bytes: [UInt8], syncs: Bool) throws(SystemCallError) {
    let slash = UInt8(ascii: "/")
    let end = path.lastIndex(of: slash)
    let directory = end.map { $0 == path.startIndex ? [slash] : Array(path[..<$0]) } ?? [UInt8(ascii: ".")]
    let name = Array(path[(end.map { $0 + 1 } ?? path.startIndex)...])
    let opened = try OpenDirectory(SystemCalls.workingDirectory, directory)
    let raw = opened.descriptor.raw
    for number in 0..<nameAttemptCount {
      let temporary = StoredName.temporary(of: name, process: file_process(), number: number)
      do throws(SystemCallError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        let file = try SystemCalls.openat(raw, temporary, flags, mode: FileMode.ownerOnly)
        return try fill(file, named: temporary, in: raw, with: bytes, as: name, syncs: syncs)
      } catch  where error.call == .openat && error.errno == EEXIST {
        // Of a killed run.
      }
    }
    throw SystemCallError(.openat, EEXIST)
  }

  private static func fill(
    _ file: consuming FileDescriptor, named temporary: [UInt8], in directory: Int32, with bytes: [UInt8],
    as name: [UInt8], syncs: Bool
  ) throws(SystemCallError) {
    do throws(SystemCallError) {
      try SystemCalls.pwriteAll(file.raw, bytes, at: 0)
      if syncs { try SystemCalls.fdatasync(file.raw) }
      try file.close()
      try SystemCalls.renameat(directory, temporary, directory, name, replacing: true)
    } catch {
      try? SystemCalls.unlinkat(directory, temporary)
      throw error
    }
  }
}
