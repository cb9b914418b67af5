package import DownloadCore
internal import FileStore
internal import Transport

/// Tells the layers above which digest algorithms can be computed.
package enum Digests {
  /// Whether OpenSSL computes the algorithm on this machine. FIPS mode disables MD5.
  ///
  /// Call it on the main thread before any other thread starts.
  package static func isAvailable(_ algorithm: DigestAlgorithm) -> Bool {
    // The first use of OpenSSL decides how it is cleaned up at exit.
    CurlGlobal.start()
    return DigestComputer.isAvailable(algorithm)
  }
}
