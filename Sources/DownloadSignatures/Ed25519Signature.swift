internal import DownloadCore

/// A signature of minisign or signify, not verified yet.
///
///     untrusted comment: text
///     Base64 of: `Ed` or `ED`, the key's identifier, the signature of RFC 8032
///     trusted comment: text
///     Base64 of the signature of: the signature above, the text of the trusted comment
///
/// The last two lines are minisign's. `Ed` signs the text itself, `ED` its BLAKE2b-512 digest. signify may put the
/// signed text behind the first two lines.
package struct Ed25519Signature: Hashable, Sendable {
  struct TrustedComment: Hashable, Sendable {
    /// Without the words before it.
    let text: [UInt8]
    /// 64 bytes.
    let signature: [UInt8]
  }

  package let key: KeyIdentifier
  /// Whether the digest of the text is signed.
  let isOfDigest: Bool
  /// 64 bytes.
  let signature: [UInt8]
  let trustedComment: TrustedComment?

  static let plainMark = Array("Ed".utf8)
  private static let digestMark = Array("ED".utf8)
  static let untrustedPrefix = Array("untrusted comment: ".utf8)
  private static let trustedPrefix = Array("trusted comment: ".utf8)
  static let lineByteCount = 74
  private static let signatureByteCount = 64

  /// Reads a detached signature.
  ///
  /// - Parameter needsTrustedComment: the file is minisign's by its name. Without its last two lines a signature of
  ///   minisign may look like one of signify.
  package init(detached bytes: [UInt8], needsTrustedComment: Bool) throws(SignatureFault) {
    var lines = TextLines(bytes[...])
    (key, isOfDigest, signature) = try Self.head(&lines)
    if lines.isAtEnd {
      if needsTrustedComment || isOfDigest { throw .missingTrustedComment }
      trustedComment = nil
      return
    }
    guard lines.rest.starts(with: Self.trustedPrefix), let comment = lines.next() else {
      throw needsTrustedComment || isOfDigest ? .malformedLine(number: 3) : .containsText
    }
    guard let line = lines.next() else { throw .missingTrustedComment }
    guard let signature = Base64.decode(line, isCanonical: true), signature.count == Self.signatureByteCount else {
      throw .malformedLine(number: 4)
    }
    guard lines.isAtEnd else { throw .trailingText }
    trustedComment = TrustedComment(text: Array(comment.dropFirst(Self.trustedPrefix.count)), signature: signature)
  }

  /// Reads a signature of signify that stands before its text.
  ///
  /// - Parameter beginning: of the list; two lines of it are enough.
  /// - Returns: the signature, and the number of bytes before the text.
  package static func embedded(
    in beginning: [UInt8]
  ) throws(SignatureFault) -> (signature: Ed25519Signature, textStart: Int) {
    var lines = TextLines(beginning[...])
    let (key, isOfDigest, signature) = try head(&lines)
    // signify signs the text itself.
    if lines.rest.isEmpty || lines.rest.starts(with: trustedPrefix) { throw .lacksText }
    if isOfDigest { throw .malformedLine(number: 2) }
    return (Ed25519Signature(key, signature), beginning.count - lines.rest.count)
  }

  private init(_ key: KeyIdentifier, _ signature: [UInt8]) {
    self.key = key
    isOfDigest = false
    self.signature = signature
    trustedComment = nil
  }

  private static func head(
    _ lines: inout TextLines
  ) throws(SignatureFault) -> (key: KeyIdentifier, isOfDigest: Bool, signature: [UInt8]) {
    guard lines.next()?.starts(with: untrustedPrefix) == true else { throw .malformedLine(number: 1) }
    guard let line = lines.next(), let bytes = Base64.decode(line, isCanonical: true), bytes.count == lineByteCount,
      bytes.starts(with: plainMark) || bytes.starts(with: digestMark)
    else { throw .malformedLine(number: 2) }
    return (KeyIdentifier(bytes[2..<10]), bytes.starts(with: digestMark), Array(bytes[10...]))
  }
}
