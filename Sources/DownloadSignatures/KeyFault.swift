/// Why the content of a file is no public key. It may be a secret, so no part of it is told.
package enum KeyFault: Error, Hashable, Sendable, CaseIterable {
  case secretKey, signature
  /// A public key that is not whole.
  case damaged
  case unknownForm
}
