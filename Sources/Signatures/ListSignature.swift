/// A signature that vouches for a list.
package enum ListSignature: Hashable, Sendable {
  case ed25519(Ed25519Signature.Verified)
}
