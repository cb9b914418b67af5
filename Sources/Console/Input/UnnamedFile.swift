import DownloadCore
import Glibc

/// Temporary files without a name, below TMPDIR.
enum UnnamedFile {
  /// - Returns: a descriptor that reads and appends. The caller closes it.
  static func create() throws(DownloadError) -> Int32 {
    let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(directory)/swiftget-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw DownloadError(
        .localIO, "cannot create a temporary file in \(directory): \(SystemMessages.reason(errno))",
        hint: "set TMPDIR to a writable directory with free space")
    }
    unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_APPEND)
    return descriptor
  }
}
