/// A text that states a digest together with its algorithm, as people and lists write it.
///
///     stated = algorithm ( ":" / "=" ) value / algorithm "-" value / multihash
///     value  = HEX / base64 / base64url / ":" base64 ":" / multihash
///
/// The form with `-` is that of Subresource Integrity (`sha256-BASE64`), the one between colons that of RFC 9530. Padding
/// may be missing. Hexadecimal, base64 and multihash of the same digest differ in length, so that no value has two meanings.
package enum StatedDigest: Hashable, Sendable {
  case digest(ContentDigest)
  /// The value is no digest of its algorithm.
  case malformed(DigestAlgorithm)
  /// The name of an algorithm that swiftget does not compute, in lower case, with a value that looks like a digest.
  case unknown(String)

  /// No name of an algorithm is longer. Bytes.
  private static let longestName = 16
  /// Fewer characters are a word: `README#sha256-checksums`.
  private static let fewestCharacters = 22
  /// Algorithms whose digests are found beside files, and that swiftget does not compute.
  private static let others: Set<String> = [
    "adler32", "blake2", "blake3", "b3", "blake2bp", "blake2sp", "blake2b-256", "blake2b256", "blake2b-384", "crc32",
    "crc32c", "crc64", "crc64nvme", "md2", "md4", "ripemd160", "ripemd-160", "rmd160", "sha512-224", "sha512-256",
    "sha512/224", "sha512/256", "sha-512/224", "sha-512/256", "sha512_256", "sha512_224", "shake128", "shake256", "sm3",
    "streebog256", "streebog512", "tiger", "whirlpool", "xxh3", "xxh32", "xxh64", "xxh128", "xxhash",
  ]

  static func isOtherAlgorithm(_ name: String) -> Bool { others.contains(name) }

  /// - Returns: nil for a text that is not of this form.
  package init?(_ text: ArraySlice<UInt8>) {
    switch Multihash(text) {
    case .digest(let digest):
      self = .digest(digest)
      return
    case .unknown(let name):
      self = .unknown(name)
      return
    case nil: break
    }
    let separator = text.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }
    if let separator, let algorithm = DigestAlgorithm(name: text[..<separator].trimmed.loweredPrintable) {
      self.init(algorithm, text[(separator + 1)...].trimmed)
    } else if let (algorithm, value) = Self.integrity(text) {
      self.init(algorithm, value)
    } else if let separator, case let name = text[..<separator].trimmed.loweredPrintable, Self.others.contains(name),
      Self.looksLikeDigest(text[(separator + 1)...].trimmed)
    {
      self = .unknown(name)
    } else {
      return nil
    }
  }

  /// A word that may be a digest without a name, of one of the lengths that tell the algorithm.
  ///
  /// - Returns: nil for a text that is neither.
  package init?(word: ArraySlice<UInt8>) {
    if let algorithm = DigestAlgorithm(digitCount: word.count), algorithm != .sha224,
      let digest = ContentDigest(algorithm, hex: word)
    {
      self = .digest(digest)
    } else {
      self.init(word)
    }
  }

  private init(_ algorithm: DigestAlgorithm, _ value: ArraySlice<UInt8>) {
    self = ContentDigest(algorithm, value: value).map(Self.digest) ?? .malformed(algorithm)
  }

  /// Splits `algorithm-value`. Names of algorithms have hyphens too, and so has base64url; the longest name counts.
  private static func integrity(_ text: ArraySlice<UInt8>) -> (DigestAlgorithm, ArraySlice<UInt8>)? {
    for hyphen in text.prefix(longestName + 1).indices.reversed() where text[hyphen] == UInt8(ascii: "-") {
      guard let algorithm = DigestAlgorithm(name: text[..<hyphen].loweredPrintable) else { continue }
      let value = text[(hyphen + 1)...]
      let isDigest =
        value.prefix(while: Base64.isCharacter).count >= fewestCharacters
        || ContentDigest(algorithm, value: value) != nil
      return isDigest ? (algorithm, value) : nil
    }
    return nil
  }

  private static func looksLikeDigest(_ value: ArraySlice<UInt8>) -> Bool {
    value.count >= 8 && value.allSatisfy { Hexadecimal.value(of: $0) != nil }
      || value.prefix(while: Base64.isCharacter).count >= fewestCharacters
  }
}

extension ContentDigest {
  /// Nil unless `value` is a digest of this algorithm in hexadecimal, in base64 of either alphabet, or as a multihash.
  package init?(_ algorithm: DigestAlgorithm, value: ArraySlice<UInt8>) {
    if let digest = ContentDigest(algorithm, hex: value) {
      self = digest
      return
    }
    if case .digest(let digest)? = Multihash(value), digest.algorithm == algorithm {
      self = digest
      return
    }
    var text = value
    if let first = text.first, first == UInt8(ascii: ":"), text.last == first, text.count > 2 {
      text = text.dropFirst().dropLast()
    }
    // Decoded only where the length is right, so that what a list holds costs no memory.
    let count = algorithm.byteCount
    guard (count * 4 + 2) / 3...(count + 2) / 3 * 4 ~= text.count else { return nil }
    // A SHA-256 in hexadecimal has the length of a SHA-384 in base64, whose characters are never digits only.
    if DigestAlgorithm(digitCount: text.count) != nil, text.allSatisfy({ Hexadecimal.value(of: $0) != nil }) {
      return nil
    }
    self.init(algorithm, base64: Base64.standard(text))
  }

  private init?(_ algorithm: DigestAlgorithm, base64: [UInt8]) {
    guard let bytes = Base64.decode(base64) else { return nil }
    self.init(algorithm, bytes)
  }

  /// A digest with its algorithm; nil for anything else. See `StatedDigest`.
  package init?(stated text: ArraySlice<UInt8>) {
    guard case .digest(let digest) = StatedDigest(text) else { return nil }
    self = digest
  }
}
