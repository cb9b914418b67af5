package import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Digests for the layers above: which algorithms can be computed, and the digest of a short text.
package enum Digests {
  /// Whether OpenSSL computes the algorithm on this machine. FIPS mode disables MD5.
  ///
  /// Call it on the main thread before any other thread starts.
  package static func isAvailable(_ algorithm: DigestAlgorithm) -> Bool {
    // The first use of OpenSSL decides how it is cleaned up at exit.
    CurlGlobal.start()
    return DigestComputer.isAvailable(algorithm)
  }

  /// The digest of the bytes in lower-case hexadecimal digits; nil unless the algorithm is available.
  package static func hexadecimal(_ algorithm: DigestAlgorithm, of bytes: [UInt8]) -> String? {
    guard let computer = DigestComputer([algorithm]) else { return nil }
    bytes.withUnsafeBytes { computer.update($0) }
    return computer.finish().first?.hex
  }
}
