import DownloadCore
import Glibc

/// The files that options name for libcurl, which itself would report a missing one as a fault of each transfer.
enum NamedFiles {
  /// Throws a usage error for the first one that cannot be read.
  static func check(_ settings: DownloadSettings) throws(DownloadError) {
    try check(settings.caFile, of: "--cacert", isDirectory: false)
    try check(settings.caPath, of: "--capath", isDirectory: true)
    try check(settings.clientCertificate, of: "--cert", isDirectory: false)
    try check(settings.clientKey, of: "--key", isDirectory: false)
    try check(settings.proxyCAFile, of: "--proxy-cacert", isDirectory: false)
    try check(settings.netrcFile, of: "--netrc-file", isDirectory: false)
  }

  private static func check(_ path: String?, of option: String, isDirectory: Bool) throws(DownloadError) {
    guard let path else { return }
    var status = stat()
    guard stat(path, &status) == 0, access(path, R_OK) == 0 else { throw error(path, option, errno) }
    let isFound = status.st_mode & S_IFMT == S_IFDIR
    if isFound != isDirectory { throw error(path, option, isFound ? EISDIR : ENOTDIR) }
  }

  private static func error(_ path: String, _ option: String, _ errno: Int32) -> DownloadError {
    DownloadError(
      .usage,
      "\(option): cannot read \(Diagnostic.escaped(Redaction.argument(Array(path.utf8)))): "
        + SystemMessages.reason(errno))
  }
}
