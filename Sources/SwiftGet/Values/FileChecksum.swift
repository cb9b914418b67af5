internal import DownloadCore

/// The expected checksum of a whole file.
///
/// Malformed text is no error here: the request that carries it fails when it is added, and so does `verify`.
public struct FileChecksum: Hashable, Sendable, CustomStringConvertible {
  /// How a checksum is computed.
  public enum Algorithm: String, Hashable, Sendable, CaseIterable {
    /// MD5 (RFC 1321), which anybody can forge.
    case md5
    /// SHA-1 (FIPS 180-4), which can be forged.
    case sha1
    /// SHA-224 (FIPS 180-4).
    case sha224
    /// SHA-256 (FIPS 180-4).
    case sha256
    /// SHA-384 (FIPS 180-4).
    case sha384
    /// SHA-512 (FIPS 180-4).
    case sha512
    /// SHA3-224 (FIPS 202).
    case sha3_224
    /// SHA3-256 (FIPS 202).
    case sha3_256
    /// SHA3-384 (FIPS 202).
    case sha3_384
    /// SHA3-512 (FIPS 202).
    case sha3_512
    /// BLAKE2b with 64 bytes (RFC 7693).
    case blake2b
    /// BLAKE2s with 32 bytes (RFC 7693).
    case blake2s

    var digestAlgorithm: DigestAlgorithm {
      switch self {
      case .md5: .md5
      case .sha1: .sha1
      case .sha224: .sha224
      case .sha256: .sha256
      case .sha384: .sha384
      case .sha512: .sha512
      case .sha3_224: .sha3_224
      case .sha3_256: .sha3_256
      case .sha3_384: .sha3_384
      case .sha3_512: .sha3_512
      case .blake2b: .blake2b
      case .blake2s: .blake2s
      }
    }
  }

  /// The text that it was made of.
  private let text: String
  let digest: ContentDigest?

  /// Nil digest for text that is none.
  private init(text: String, _ digest: ContentDigest?) {
    self.text = text
    self.digest = digest
  }

  init(_ digest: ContentDigest) { self.init(text: digest.text, digest) }

  /// - Parameter text: `sha256:HEX`, `sha256=HEX`, Subresource Integrity (`sha256-BASE64`), or a multihash in hexadecimal
  ///   digits.
  public init(_ text: String) {
    let bytes = Array(text.utf8)
    self.init(text: text, ContentDigest(stated: bytes[...]))
  }

  /// - Parameter digest: 32 hexadecimal digits, or base64.
  public static func md5(_ digest: String) -> FileChecksum { named("md5", digest) }
  /// - Parameter digest: 40 hexadecimal digits, or base64.
  public static func sha1(_ digest: String) -> FileChecksum { named("sha1", digest) }
  /// - Parameter digest: 64 hexadecimal digits, or base64.
  public static func sha256(_ digest: String) -> FileChecksum { named("sha256", digest) }
  /// - Parameter digest: 128 hexadecimal digits, or base64.
  public static func sha512(_ digest: String) -> FileChecksum { named("sha512", digest) }
  /// - Parameter digest: 128 hexadecimal digits, or base64.
  public static func blake2b(_ digest: String) -> FileChecksum { named("blake2b", digest) }

  private static func named(_ algorithm: String, _ digest: String) -> FileChecksum {
    FileChecksum("\(algorithm):\(digest)")
  }

  /// Nil for malformed text.
  public var algorithm: Algorithm? { Algorithm.allCases.first { $0.digestAlgorithm == digest?.algorithm } }
  /// The digest; nil for malformed text.
  public var bytes: [UInt8]? { digest?.bytes }
  /// Whether it is a checksum at all.
  public var isWellFormed: Bool { digest != nil }
  /// `sha256:HEX`, or malformed text as it was given.
  public var description: String { digest?.text ?? text }

  /// Equal digests are equal, however they were written.
  public static func == (left: FileChecksum, right: FileChecksum) -> Bool {
    left.digest == right.digest && (left.digest != nil || left.text == right.text)
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    if let digest { hasher.combine(digest) } else { hasher.combine(text) }
  }
}

/// A checksum that a finished file has, and whose word it is.
public struct StatedChecksum: Hashable, Sendable, CustomStringConvertible {
  /// Who says that the file has this checksum.
  public enum Source: String, Hashable, Sendable {
    /// The request.
    case given
    /// The server.
    case server
  }

  /// The checksum.
  public let checksum: FileChecksum
  /// Whose word it is.
  public let source: Source

  /// `sha256:HEX (given)`.
  public var description: String { "\(checksum) (\(source == .given ? "given" : "told by the server"))" }

  init(checksum: FileChecksum, source: Source) { (self.checksum, self.source) = (checksum, source) }

  init(_ verified: VerifiedDigest) {
    self.init(checksum: FileChecksum(verified.digest), source: verified.source == .given ? .given : .server)
  }
}
