import DownloadCore
import Signatures

/// Verifies the signatures of lists before anything else is done with them (`--verify-signature`).
///
/// A list is in a private copy, so that the bytes that were verified are the bytes that are read. The signature is the
/// file of `--signature`, or stands in the list, or is the first file beside the list that fits one of the keys.
package struct ListVerifier {
  /// A longer list is refused: it is copied, and mapped into memory as a whole.
  static let mostBytes = 1 << 30
  /// More than any signature has.
  private static let mostSignatureBytes = 1 << 20
  /// More than the signature in front of a list has.
  private static let beginningByteCount = 4096

  private let keys: VerificationKeys
  /// The path of `--signature`.
  private let signaturePath: [UInt8]?

  /// A list that may be used.
  struct VerifiedList {
    let file: OpenFile
    /// The offset of the signed text in the file.
    let start: Int
    let signature: ListSignature
  }

  /// Reads the keys; nil where lists need no signature.
  init?(_ options: SignatureOptions) throws(DownloadError) {
    if options.keys.isEmpty { return nil }
    keys = try VerificationKeys(options.keys)
    signaturePath = options.signature
  }

  /// Verifies the signature of a list.
  ///
  /// - Parameters:
  ///   - list: a private copy.
  ///   - path: of the list, beside which its signature may be; nil where it has none.
  ///   - shownName: of the list, for errors.
  /// - Throws: a usage error where the list is not signed by one of the keys.
  func verify(_ list: OpenFile, path: [UInt8]?, _ shownName: String) throws(DownloadError) -> VerifiedList {
    if let signaturePath {
      let signature = try SmallFiles.read(signaturePath, of: "--signature", mostBytes: Self.mostSignatureBytes)
      return try verify(list, signature, path: signaturePath)
    }
    let beginning = try list.withBytes { (bytes) throws(DownloadError) in Array(bytes.prefix(Self.beginningByteCount)) }
    if Ed25519Signature.begins(beginning) { return try verifyEmbedded(list, beginning, shownName) }
    let names = path.map { path in Self.endings.map { path + Array($0.utf8) } } ?? []
    for name in names {
      let signature = try SmallFiles.readIfPresent(
        name, of: "--verify-signature", mostBytes: Self.mostSignatureBytes)
      if let signature { return try verify(list, signature, path: name) }
    }
    throw SignatureMessages.unsigned(shownName, names: names)
  }

  private static let endings = [".minisig", ".sig"]

  /// - Parameter path: of the signature; its ending may tell who made it.
  private func verify(
    _ list: OpenFile, _ signature: [UInt8], path: [UInt8]
  ) throws(DownloadError) -> VerifiedList {
    let isMinisign = path.suffix(8).elementsEqual(".minisig".utf8)
    return try list.withBytes { (bytes) throws(DownloadError) in
      do throws(SignatureFault) {
        let signature = try Ed25519Signature(detached: signature, needsTrustedComment: isMinisign)
        return VerifiedList(
          file: list, start: 0, signature: .ed25519(try signature.verify(bytes, with: keys.ed25519)))
      } catch {
        throw SignatureMessages.error(error, of: NamedFiles.shown(path), given: keys.identifiers)
      }
    }
  }

  /// Verifies a list behind its signature.
  private func verifyEmbedded(
    _ list: OpenFile, _ beginning: [UInt8], _ shownName: String
  ) throws(DownloadError) -> VerifiedList {
    try list.withBytes { (bytes) throws(DownloadError) in
      do throws(SignatureFault) {
        let (signature, start) = try Ed25519Signature.embedded(in: beginning)
        let text = UnsafeRawBufferPointer(rebasing: bytes[start...])
        return VerifiedList(
          file: list, start: start, signature: .ed25519(try signature.verify(text, with: keys.ed25519)))
      } catch {
        throw SignatureMessages.error(error, of: "the list \(shownName)", given: keys.identifiers)
      }
    }
  }
}
