internal import DownloadCore

/// A key whose signatures vouch for lists.
package enum VerificationKey: Hashable, Sendable {
  case ed25519(Ed25519Key)
  case openPGP(OpenPGPKeyring)

  /// Reads the file of a public key of minisign or signify, or of public keys of OpenPGP.
  ///
  /// The line of minisign's or signify's comment may be missing.
  package init(file bytes: [UInt8]) throws(KeyFault) {
    let hasComment = bytes.starts(with: Ed25519Signature.untrustedPrefix)
    if !hasComment, let keyring = try Self.keyring(bytes) {
      self = .openPGP(keyring)
      return
    }
    var lines = TextLines(bytes[...])
    if hasComment { _ = lines.next() }
    guard let line = lines.next(), let decoded = Base64.decode(line, isCanonical: true) else {
      throw hasComment ? .damaged : .unknownForm
    }
    if let key = Ed25519Key(decoded), lines.isAtEnd {
      self = .ed25519(key)
      return
    }
    if decoded.count == Ed25519Signature.lineByteCount { throw .signature }
    // That of signify has 104 bytes, that of minisign 158.
    let isSecret = decoded.count > Ed25519Signature.lineByteCount && decoded.starts(with: Ed25519Signature.plainMark)
    if isSecret { throw .secretKey }
    throw hasComment ? .damaged : .unknownForm
  }

  /// Nil for what is no file of OpenPGP.
  private static func keyring(_ bytes: [UInt8]) throws(KeyFault) -> OpenPGPKeyring? {
    do throws(KeyFault) { return try OpenPGPKeyring(file: bytes) } catch {
      if error == .unknownForm { return nil }
      throw error
    }
  }
}
