internal import CSwiftGetOpenSSL
internal import DownloadFiles

extension Ed25519Signature {
  /// What a verified signature says.
  package struct Verified: Hashable, Sendable {
    package let key: KeyIdentifier
    /// minisign's trusted comment in raw bytes; it is signed with the text.
    package let trustedComment: [UInt8]?
  }

  /// Verifies the signature of a text, and that of the trusted comment if it has one.
  ///
  /// - Parameter keys: any one of them suffices.
  /// - Throws: `unknownKey`, `wrongSignature`, `wrongTrustedComment` or `uncomputable`.
  package func verify(
    _ text: UnsafeRawBufferPointer, with keys: [Ed25519Key]
  ) throws(SignatureFault) -> Verified {
    let candidates = keys.filter { $0.identifier == key }
    if candidates.isEmpty { throw .unknownKey(key) }
    let digest = isOfDigest ? try Self.digest(of: text) : []
    for candidate in candidates {
      guard try isOfDigest ? candidate.hasSigned(digest, signature) : candidate.hasSigned(text, signature) else {
        continue
      }
      if let trustedComment {
        guard try candidate.hasSigned(signature + trustedComment.text, trustedComment.signature) else {
          throw .wrongTrustedComment(key)
        }
      }
      return Verified(key: key, trustedComment: trustedComment?.text)
    }
    throw .wrongSignature(key)
  }

  private static func digest(of text: UnsafeRawBufferPointer) throws(SignatureFault) -> [UInt8] {
    guard let computer = DigestComputer([.blake2b]) else { throw .uncomputable }
    computer.update(text)
    guard let digest = computer.finish().first else { throw .uncomputable }
    return digest.bytes
  }
}

extension Ed25519Key {
  fileprivate func hasSigned(_ text: [UInt8], _ signature: [UInt8]) throws(SignatureFault) -> Bool {
    let result = text.withUnsafeBytes { text in Result { () throws(SignatureFault) in try hasSigned(text, signature) } }
    return try result.get()
  }

  /// Whether the signature is by this key over the text (RFC 8032 section 5.1.7).
  ///
  /// - Throws: `uncomputable`.
  fileprivate func hasSigned(
    _ text: UnsafeRawBufferPointer, _ signature: [UInt8]
  ) throws(SignatureFault) -> Bool {
    guard let key = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count) else {
      throw .uncomputable
    }
    defer { EVP_PKEY_free(key) }
    guard let context = EVP_MD_CTX_new() else { throw .uncomputable }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, key, nil) == 1 else { throw .uncomputable }
    // OpenSSL wants an address for an empty text, too.
    let start = text.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let isValid = withUnsafePointer(to: UInt8(0)) { nothing in
      EVP_DigestVerify(context, signature, signature.count, start ?? nothing, text.count) == 1
    }
    if !isValid { ERR_clear_error() }
    return isValid
  }
}
