import DownloadCore
import Glibc

/// The files that options name.
enum NamedFiles {
  /// What cannot be done with a file.
  enum Use: String { case read, write }

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
      throw failure(.read, Array(path.utf8), of: option, errno)
    }
    let isFound = status.type == S_IFDIR
    if isFound != isDirectory { throw failure(.read, Array(path.utf8), of: option, isFound ? EISDIR : ENOTDIR) }
  }

  /// Whether two paths lead to the same file or directory, which exists.
  static func areSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard let first = stat(of: one), let second = stat(of: other) else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  /// A usage error that names the option, the file and the cause.
  static func failure(
    _ use: Use, _ path: [UInt8], of option: String, _ errno: Int32, hint: String? = nil
  ) -> Failure {
    Failure(
      .usage, "\(option): cannot \(use.rawValue) \(shown(path)): \(SystemMessages.reason(errno))", hint: hint,
      about: [option])
  }

  /// The path as messages show it.
  static func shown(_ path: [UInt8]) -> String { Diagnostic.escaped(Redaction.argument(path)) }
}
