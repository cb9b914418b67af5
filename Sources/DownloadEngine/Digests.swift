package import DownloadCore
internal import FileStore
internal import Transport

/// What the layers above ask of digests without knowing who computes them.
package enum Digests {
  /// Whether this machine's OpenSSL computes it; FIPS mode switches MD5 off.
  ///
  /// On the main thread, before any other is started.
  package static func isAvailable(_ algorithm: DigestAlgorithm) -> Bool {
    // Whoever uses OpenSSL first says how it is to end.
    CurlGlobal.start()
    return DigestComputer.isAvailable(algorithm)
  }
}
