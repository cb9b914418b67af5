/// `--verify-signature` and `--signature`.
package struct SignatureOptions: Sendable, Equatable {
  /// Paths of keys, or keys. Lists need no signature where there is none.
  package var keys: [[UInt8]] = []
  /// The path or URL of the one list's signature; nil looks beside each list.
  package var signature: [UInt8]?

  package init() {}
}
