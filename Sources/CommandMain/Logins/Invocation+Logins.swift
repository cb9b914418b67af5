internal import CommandOptions
internal import DownloadCore

extension Invocation {
  /// Reads the files that say who logs in, and checks those of certificates.
  ///
  /// - Throws: a usage error for the first file that is wrong or cannot be read.
  mutating func readLogins() throws(Failure) {
    try CertificateFiles.check(settings)
    settings.secrets.netrcFiles = try NetrcFiles.read(for: settings)
    settings.secrets.cookies = try CookieFiles.settings(loading: loadedCookies, saving: records.savedCookies)
  }
}
