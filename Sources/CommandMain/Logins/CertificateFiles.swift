internal import DownloadCore
internal import DownloadWords
internal import Glibc

/// The files of certificates and keys.
enum CertificateFiles {
  /// Checks the files that libcurl reads, which itself would report a missing one as a fault of each transfer.
  ///
  /// - Throws: a usage error for the first one that cannot be read.
  static func check(_ settings: RunSettings) throws(Failure) {
    try check(settings.transport.caFile, of: "--cacert", isDirectory: false)
    try check(settings.transport.caPath, of: "--capath", isDirectory: true)
    try check(settings.transport.clientCertificate, of: "--cert", isDirectory: false)
    try check(settings.transport.clientKey, of: "--key", isDirectory: false)
    try check(settings.transport.proxyCAFile, of: "--proxy-cacert", isDirectory: false)
  }

  private static func check(_ path: String?, of option: String, isDirectory: Bool) throws(Failure) {
    guard let path else { return }
    guard let status = stat(of: Array(path.utf8)), access(path, R_OK) == 0 else {
      throw NamedFiles.failure(.read, Array(path.utf8), of: Phrase(option), errno)
    }
    let isFound = status.type == S_IFDIR
    if isFound != isDirectory {
      throw NamedFiles.failure(.read, Array(path.utf8), of: Phrase(option), isFound ? EISDIR : ENOTDIR)
    }
  }
}
