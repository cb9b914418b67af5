internal import CShims
internal import Glibc

/// A file beside another one for data that need not outlive the process: it has no name, and its space is free when it is
/// closed.
package enum UnnamedFile {
  /// Attempts at a temporary name that is free.
  private static let nameAttemptCount = 1000

  /// Opens a new file for reading and writing in the directory of `path`.
  package static func beside(_ path: [UInt8]) throws(SystemCallError) -> FileDescriptor {
    let (directory, name) = WholeFile.split(path)
    let opened = try OpenDirectory(SystemCalls.workingDirectory, directory)
    let raw = opened.descriptor.raw
    for number in 0..<nameAttemptCount {
      // O_TMPFILE is unknown to many network file systems.
      let temporary = StoredName.temporary(of: name, process: file_process(), number: number)
      do throws(SystemCallError) {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        let file = try SystemCalls.openat(raw, temporary, flags, mode: 0o600)
        try SystemCalls.unlinkat(raw, temporary)
        return file
      } catch  where error.call == .openat && error.errno == EEXIST {
        // Of a killed run.
      }
    }
    throw SystemCallError(.openat, EEXIST)
  }
}
