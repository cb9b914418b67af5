/// A digest algorithm that swiftget can compute.
package enum DigestAlgorithm: String, CaseIterable, Sendable {
  case md5, sha1, sha224, sha256, sha384, sha512
  case sha3_224 = "sha3-224"
  case sha3_256 = "sha3-256"
  case sha3_384 = "sha3-384"
  case sha3_512 = "sha3-512"
  case blake2b, blake2s

  /// The length of the digest in bytes.
  package var byteCount: Int {
    switch self {
    case .md5: 16
    case .sha1: 20
    case .sha224, .sha3_224: 28
    case .sha256, .sha3_256, .blake2s: 32
    case .sha384, .sha3_384: 48
    case .sha512, .sha3_512, .blake2b: 64
    }
  }

  /// Orders algorithms by the effort of forging a second file with the same digest; the strongest of several is used.
  package var strength: Int { byteCount }

  /// Whether nobody can make two files with the same digest. MD5 and SHA-1 are broken.
  package var resistsCollisions: Bool { self != .md5 && self != .sha1 }

  /// Accepts the usual names: `sha256`, `SHA-256`, `sha2-256`, `SHA3-256`, `BLAKE2b`, `blake2b-512`, `b2`.
  package init?(name: some StringProtocol) {
    switch name.lowercased() {
    case "md5", "md-5": self = .md5
    case "sha1", "sha", "sha-1", "sha_1": self = .sha1
    case "sha224", "sha-224", "sha2-224", "sha_224": self = .sha224
    case "sha256", "sha-256", "sha2-256", "sha_256": self = .sha256
    case "sha384", "sha-384", "sha2-384", "sha_384": self = .sha384
    case "sha512", "sha-512", "sha2-512", "sha_512": self = .sha512
    case "sha3-224", "sha3_224": self = .sha3_224
    case "sha3-256", "sha3_256": self = .sha3_256
    case "sha3-384", "sha3_384": self = .sha3_384
    case "sha3-512", "sha3_512": self = .sha3_512
    case "blake2b", "blake2b-512", "blake2b512", "b2": self = .blake2b
    case "blake2s", "blake2s-256", "blake2s256": self = .blake2s
    default: return nil
    }
  }

  /// The algorithm of a digest with this many hexadecimal digits and no name of an algorithm.
  init?(digitCount: Int, default usual: DigestAlgorithm? = nil) {
    if let usual, usual.byteCount * 2 == digitCount {
      self = usual
      return
    }
    switch digitCount {
    case 32: self = .md5
    case 40: self = .sha1
    case 56: self = .sha224
    case 64: self = .sha256
    case 96: self = .sha384
    case 128: self = .sha512
    default: return nil
    }
  }
}

/// Several algorithms, each at most once, in any order.
package struct DigestAlgorithmSet: OptionSet, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package init(_ algorithm: DigestAlgorithm) {
    rawValue =
      switch algorithm {
      case .md5: 1
      case .sha1: 2
      case .sha224: 4
      case .sha256: 8
      case .sha384: 16
      case .sha512: 32
      case .sha3_224: 64
      case .sha3_256: 128
      case .sha3_384: 256
      case .sha3_512: 512
      case .blake2b: 1024
      case .blake2s: 2048
      }
  }
}

/// The digest of a whole representation, claimed or computed.
package struct ContentDigest: Hashable, Sendable {
  package let algorithm: DigestAlgorithm
  /// Exactly `algorithm.byteCount` bytes.
  package let bytes: [UInt8]

  /// Nil unless the length fits the algorithm.
  package init?(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) {
    guard bytes.count == algorithm.byteCount else { return nil }
    self.algorithm = algorithm
    self.bytes = bytes
  }

  /// Nil unless `hex` has the right number of hexadecimal digits, in either case.
  package init?(_ algorithm: DigestAlgorithm, hex: some Sequence<UInt8>) {
    guard let bytes = Hexadecimal.bytes(hex, byteCount: algorithm.byteCount) else { return nil }
    self.init(algorithm, bytes)
  }

  /// `sha256:HEX` or `sha256=HEX`, as records hold digests.
  package init?(text: String) {
    guard let separator = text.firstIndex(where: { $0 == ":" || $0 == "=" }),
      let algorithm = DigestAlgorithm(name: text[..<separator])
    else { return nil }
    self.init(algorithm, hex: text[text.index(after: separator)...].utf8)
  }

  /// Lower-case hexadecimal.
  package var hex: String { Hexadecimal.text(bytes) }

  /// `sha256:HEX`, as swiftget prints and stores digests.
  package var text: String { "\(algorithm.rawValue):\(hex)" }
}
