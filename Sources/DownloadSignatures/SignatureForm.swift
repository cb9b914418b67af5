/// Which kind of program made a signature, as the file's first bytes tell.
package enum SignatureForm: Sendable, CaseIterable {
  /// minisign or signify.
  case ed25519
  /// A detached signature of OpenPGP, in binary or with ASCII armor.
  case openPGP
  /// A text with its OpenPGP signature behind it (RFC 9580 section 7).
  case signedMessage
  case other

  private static let messageLine = Array("-----BEGIN PGP SIGNED MESSAGE-----".utf8)
  private static let signatureLine = Array("-----BEGIN PGP SIGNATURE-----".utf8)

  /// - Parameter beginning: of the file; a few KiB are enough.
  package init(_ beginning: [UInt8]) {
    if beginning.starts(with: Ed25519Signature.untrustedPrefix) {
      self = .ed25519
      return
    }
    if let first = beginning.first, first & 0x80 != 0 {
      self = OpenPGPKeyring.packetKind(first) == OpenPGPKeyring.signatureKind ? .openPGP : .other
      return
    }
    // Some programs write a few words before the armor.
    var lines = TextLines(beginning[...])
    while let line = lines.nextTrimmed() {
      if line.elementsEqual(Self.messageLine) {
        self = .signedMessage
        return
      }
      if line.elementsEqual(Self.signatureLine) {
        self = .openPGP
        return
      }
    }
    self = .other
  }
}
