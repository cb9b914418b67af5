internal import Glibc

/// A new, empty file under a temporary name. Whoever makes it renames or removes it.
struct TemporaryFile: ~Copyable {
  let name: [UInt8]
  let descriptor: FileDescriptor

  /// Attempts at a name that is free.
  private static let nameAttemptCount = 1000

  /// - Parameters:
  ///   - directory: a descriptor.
  ///   - target: the name beside which the file is made. Its own name begins with a dot and ends in `.swiftget-tmp`.
  ///   - access: `O_RDWR` or `O_WRONLY`.
  ///   - mode: permission bits, less the umask.
  init(in directory: Int32, beside target: [UInt8], access: Int32, mode: UInt32) throws(SystemCallError) {
    let limit = StoredName.limit(try? SystemCalls.fstatfs(directory))
    for number in 0..<Self.nameAttemptCount {
      let name = StoredName.temporary(of: target, process: getpid(), number: number, limit: limit)
      do throws(SystemCallError) {
        // O_TMPFILE is unknown to many network file systems.
        descriptor = try SystemCalls.openat(directory, name, access | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
        self.name = name
        return
      } catch  where error.errno == EEXIST {
        // Of a killed run.
      }
    }
    throw SystemCallError(.openat, EEXIST)
  }
}
