internal import COpenSSL
package import DownloadCore

/// Computes one or more digests of a stream of bytes with OpenSSL.
///
/// Belongs to one thread. Meant to be used again and again: algorithms are looked up once, when it is made.
package final class DigestComputer {
  private struct Entry {
    let algorithm: DigestAlgorithm
    let method: OpaquePointer
    let context: OpaquePointer
  }

  private var entries: [Entry] = []

  /// nil where OpenSSL has one of the algorithms switched off (MD5 under FIPS).
  package init?(_ algorithms: [DigestAlgorithm]) {
    for algorithm in algorithms {
      guard let method = EVP_MD_fetch(nil, Self.name(of: algorithm), nil) else { return nil }
      guard let context = EVP_MD_CTX_new() else {
        EVP_MD_free(method)
        return nil
      }
      entries.append(Entry(algorithm: algorithm, method: method, context: context))
    }
    guard start() else { return nil }
  }

  /// Whether OpenSSL computes it here: what its configuration allows, FIPS mode say, decides.
  package static func isAvailable(_ algorithm: DigestAlgorithm) -> Bool { available.contains(algorithm) }

  private static let available = Set(DigestAlgorithm.allCases.filter { DigestComputer([$0]) != nil })

  deinit {
    for entry in entries {
      EVP_MD_CTX_free(entry.context)
      EVP_MD_free(entry.method)
    }
  }

  package var algorithms: [DigestAlgorithm] { entries.map(\.algorithm) }

  package func update(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    for entry in entries {
      // It fails only for a context that was not started, which `init` and `finish` rule out.
      let done = EVP_DigestUpdate(entry.context, bytes.baseAddress, bytes.count)
      assert(done == 1, "EVP_DigestUpdate on a context that was not started")
    }
  }

  /// The digests of everything since the start, in the order of `algorithms`; then begins anew.
  ///
  /// An algorithm that fails has no digest in the answer, and so matches nothing.
  package func finish() -> [ContentDigest] {
    let digests = entries.compactMap { entry in
      var bytes = [UInt8](repeating: 0, count: entry.algorithm.byteCount)
      var count: UInt32 = 0
      guard EVP_MD_get_size(entry.method) == Int32(bytes.count),
        EVP_DigestFinal_ex(entry.context, &bytes, &count) == 1, Int(count) == bytes.count
      else { return ContentDigest?.none }
      return ContentDigest(entry.algorithm, bytes)
    }
    _ = start()
    return digests
  }

  /// Forgets what was fed so far.
  package func reset() { _ = start() }

  private func start() -> Bool {
    entries.allSatisfy { EVP_DigestInit_ex2($0.context, $0.method, nil) == 1 }
  }

  private static func name(of algorithm: DigestAlgorithm) -> String {
    switch algorithm {
    case .md5: "MD5"
    case .sha1: "SHA1"
    case .sha224: "SHA2-224"
    case .sha256: "SHA2-256"
    case .sha384: "SHA2-384"
    case .sha512: "SHA2-512"
    case .sha3_256: "SHA3-256"
    case .blake2b: "BLAKE2B-512"
    }
  }
}
