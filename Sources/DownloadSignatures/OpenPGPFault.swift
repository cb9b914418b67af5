/// Why gpgv does not vouch for a list. `DownloadWords` makes the words.
///
/// Keys are told by their fingerprints or identifiers, in hexadecimal, as gpgv prints them.
package enum OpenPGPFault: Error, Hashable, Sendable {
  // MARK: The signature

  /// None of the given keys made it.
  case unknownKey(String)
  /// It is for another text, or changed.
  case wrongSignature(String)
  case expiredSignature(String)
  case expiredKey(String)
  case revokedKey(String)
  /// It uses a digest that can be forged, such as MD5 or SHA-1.
  case weakDigest(String)
  /// gpgv cannot check it for another reason, such as an algorithm that it does not know.
  case uncheckable(String)
  case noSignature
  /// A signed text beside other texts.
  case severalTexts
  /// gpgv gives no reason.
  case refused(status: Int32?)

  // MARK: gpgv

  /// It is not installed.
  case missing
  /// It cannot be run.
  /// - Parameter errno: of the failed call.
  case unusable(errno: Int32)
  /// The signed text or the status of gpgv is too long.
  case tooLong
}
