/// Why a signature does not vouch for a list. `DownloadWords` makes the words.
package enum SignatureFault: Error, Hashable, Sendable {
  // MARK: The text of a signature of minisign or signify

  /// A line that is missing, or is not what must stand there.
  /// - Parameter number: counted from 1.
  case malformedLine(number: Int)
  /// A signature of minisign without the lines that sign its trusted comment.
  case missingTrustedComment
  /// The signature has its text in the same file, and so is no detached one.
  case containsText
  /// The list is a signature without its text.
  case lacksText
  /// Something follows the signature.
  case trailingText

  // MARK: The signature itself

  /// No given key has this identifier.
  case unknownKey(KeyIdentifier)
  /// The signature is not by the key of this identifier, or for another text.
  case wrongSignature(KeyIdentifier)
  /// The trusted comment is not the one that was signed.
  case wrongTrustedComment(KeyIdentifier)
  /// OpenSSL does not compute Ed25519 or BLAKE2b.
  case uncomputable
}
