/// A signature that vouches for a list.
package enum ListSignature: Hashable, Sendable {
  case ed25519(Ed25519Signature.Verified)
  case openPGP(OpenPGPSigner)

  /// Who made a signature of OpenPGP. The words are gpgv's, with control characters escaped.
  package struct OpenPGPSigner: Hashable, Sendable {
    /// In hexadecimal digits.
    package let fingerprint: String
    /// The name in the key, in raw bytes.
    package let user: [UInt8]
  }
}
