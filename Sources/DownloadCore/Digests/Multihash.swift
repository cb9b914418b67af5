/// A digest that names its algorithm by a number, in hexadecimal: `1220` and 64 digits for SHA-256, as STAC's `file:checksum`
/// has it.
///
///     multihash = [ "f" ] code length digest
///
/// `code` and `length` are unsigned varints. Only codes of known algorithms with all of their bytes, and of some that
/// swiftget does not compute, are taken for a multihash.
enum Multihash {
  case digest(ContentDigest)
  /// Of an algorithm that swiftget does not compute.
  case unknown(String)

  /// The codes of <https://github.com/multiformats/multicodec>, as varints, with the length behind them.
  private static let algorithms: [(prefix: [UInt8], algorithm: DigestAlgorithm)] = [
    ([0xd5, 0x01, 16], .md5), ([0x11, 20], .sha1), ([0x93, 0x20, 28], .sha224), ([0x12, 32], .sha256),
    ([0x20, 48], .sha384), ([0x13, 64], .sha512), ([0x17, 28], .sha3_224), ([0x16, 32], .sha3_256),
    ([0x15, 48], .sha3_384), ([0x14, 64], .sha3_512), ([0xc0, 0xe4, 0x02, 64], .blake2b),
    ([0xe0, 0xe4, 0x02, 32], .blake2s),
  ]
  private static let others: [(prefix: [UInt8], name: String)] = [
    ([0x1e, 32], "blake3"), ([0x90, 0xe4, 0x02, 16], "blake2b-128"), ([0xa0, 0xe4, 0x02, 32], "blake2b-256"),
    ([0xb0, 0xe4, 0x02, 48], "blake2b-384"), ([0x56, 32], "dbl-sha2-256"),
  ]

  /// Nil for any other text.
  init?(_ text: ArraySlice<UInt8>) {
    let hex = text.first == UInt8(ascii: "f") && text.count % 2 == 1 ? text.dropFirst() : text
    // Decoded only where the length is possible, so that what a list holds costs no memory.
    guard (38...136).contains(hex.count), let bytes = Hexadecimal.bytes(hex, byteCount: hex.count / 2) else {
      return nil
    }
    func digest(behind prefix: [UInt8]) -> [UInt8]? {
      guard bytes.starts(with: prefix), bytes.count == prefix.count + Int(prefix[prefix.count - 1]) else { return nil }
      return Array(bytes[prefix.count...])
    }
    for (prefix, algorithm) in Self.algorithms {
      guard let digest = digest(behind: prefix).flatMap({ ContentDigest(algorithm, $0) }) else { continue }
      self = .digest(digest)
      return
    }
    guard let other = Self.others.first(where: { digest(behind: $0.prefix) != nil }) else { return nil }
    self = .unknown(other.name)
  }
}
