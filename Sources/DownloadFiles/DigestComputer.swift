internal import CSwiftGetOpenSSL
package import DownloadCore

/// Computes one or more digests of a stream of bytes with OpenSSL.
///
/// One thread. Reuse it: algorithms are looked up only in `init`.
package final class DigestComputer {
  private struct Entry {
    let algorithm: DigestAlgorithm
    let method: OpaquePointer
    let context: OpaquePointer
  }

  private var entries: [Entry] = []

  /// Nil where OpenSSL does not provide one of the algorithms (MD5 under FIPS).
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

  /// Whether OpenSSL provides the algorithm in its present configuration.
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
      // Fails only for a context that was not started; `init` and `finish` start it.
      let done = EVP_DigestUpdate(entry.context, bytes.baseAddress, bytes.count)
      assert(done == 1, "EVP_DigestUpdate on a context that was not started")
    }
  }

  /// Returns the digests in the order of `algorithms`, and starts over.
  ///
  /// An algorithm that fails is left out and so matches nothing.
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

  /// Discards the bytes fed so far.
  package func reset() { _ = start() }

  private func start() -> Bool {
    entries.allSatisfy { EVP_DigestInit_ex2($0.context, $0.method, nil) == 1 }
  }

  /// OpenSSL's name, in which upper and lower case are the same.
  private static func name(of algorithm: DigestAlgorithm) -> String {
    switch algorithm {
    case .blake2b: "blake2b-512"
    case .blake2s: "blake2s-256"
    default: algorithm.rawValue
    }
  }
}
