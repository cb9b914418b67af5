/// Digests in header fields. Malformed ones and those of unknown algorithms are ignored.
package enum DigestFields {
  /// `Repr-Digest` (RFC 9530 section 3), a dictionary of byte sequences (RFC 8941 section 3.2):
  ///
  ///     Repr-Digest: sha-256=:BASE64:, sha-512=:BASE64:;parameter
  ///
  /// Of several members with the same name, the last one counts.
  package static func representationDigest(_ value: [UInt8]) -> [ContentDigest] {
    var digests: [ContentDigest] = []
    for element in FieldList.elements(of: value) {
      guard let (algorithm, item) = member(element) else { continue }
      digests.removeAll { $0.algorithm == algorithm }
      let colon = UInt8(ascii: ":")
      guard item.first == colon, let end = item.dropFirst().firstIndex(of: colon) else { continue }
      let after = item[(end + 1)...].trimmed.first
      guard after == nil || after == UInt8(ascii: ";") else { continue }
      if let digest = Base64.decode(item[(item.startIndex + 1)..<end]).flatMap({ ContentDigest(algorithm, $0) }) {
        digests.append(digest)
      }
    }
    return digests
  }

  /// `Digest` (RFC 3230 section 4.3.2): `SHA-256=BASE64,md5=BASE64`, names in either case.
  package static func instanceDigest(_ value: [UInt8]) -> [ContentDigest] {
    FieldList.elements(of: value).compactMap { element in
      guard let (algorithm, item) = member(element) else { return nil }
      return Base64.decode(item).flatMap { ContentDigest(algorithm, $0) }
    }
  }

  /// `Content-MD5` (RFC 1864): base64 of the body's MD5.
  package static func contentMD5(_ value: [UInt8]) -> ContentDigest? {
    Base64.decode(value.trimmed).flatMap { ContentDigest(.md5, $0) }
  }

  /// Splits `name=item`; nil where there is no item or the algorithm is unknown.
  private static func member(_ element: ArraySlice<UInt8>) -> (DigestAlgorithm, ArraySlice<UInt8>)? {
    guard let equals = element.firstIndex(of: UInt8(ascii: "=")),
      let algorithm = DigestAlgorithm(name: element[..<equals].trimmed.loweredPrintable)
    else { return nil }
    return (algorithm, element[(equals + 1)...].trimmed)
  }
}
