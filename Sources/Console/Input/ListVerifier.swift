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
  /// More than the signature in front of a list has, or the words before a signed message.
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
    let form = SignatureForm(beginning)
    if form == .ed25519, !keys.ed25519.isEmpty { return try verifyEmbedded(list, beginning, shownName) }
    if form == .signedMessage, !keys.openPGP.isEmpty { return try verifyMessage(list, shownName) }
    // The list's own signature, for which there is no key.
    var misfit: (form: SignatureForm, subject: String)?
    switch form {
    case .ed25519: misfit = (.ed25519, "the list \(shownName)")
    case .signedMessage: misfit = (.openPGP, "the list \(shownName)")
    case .openPGP, .other: break
    }
    let names = path.map { path in endings.map { path + Array($0.utf8) } } ?? []
    for name in names {
      let signature = try SmallFiles.readIfPresent(
        name, of: "--verify-signature", mostBytes: Self.mostSignatureBytes)
      guard let signature else { continue }
      let form = SignatureForm(signature)
      if fits(form) { return try verify(list, signature, path: name) }
      misfit = misfit ?? (form, NamedFiles.shown(name))
    }
    if let misfit { throw SignatureMessages.misfit(misfit.form, of: misfit.subject) }
    throw SignatureMessages.unsigned(shownName, names: names)
  }

  /// The endings of names of signatures that the keys may have made.
  private var endings: [String] {
    let hasOpenPGP = !keys.openPGP.isEmpty
    return (keys.ed25519.isEmpty ? [] : [".minisig"]) + (hasOpenPGP ? [".asc", ".gpg"] : [])
      + (hasOpenPGP ? [".sig", ".sign"] : [".sig"])
  }

  /// Whether one of the keys may have made the signature. A file that is none decides, too.
  private func fits(_ form: SignatureForm) -> Bool {
    switch form {
    case .ed25519: !keys.ed25519.isEmpty
    case .openPGP: !keys.openPGP.isEmpty
    case .signedMessage, .other: true
    }
  }

  // MARK: Detached signatures

  private func verify(
    _ list: OpenFile, _ signature: [UInt8], path: [UInt8]
  ) throws(DownloadError) -> VerifiedList {
    let form = SignatureForm(signature)
    switch form {
    case .ed25519 where !keys.ed25519.isEmpty: return try verifyEd25519(list, signature, path: path)
    case .openPGP where !keys.openPGP.isEmpty: return try verifyOpenPGP(list, signature, path: path)
    case .ed25519, .openPGP, .signedMessage, .other:
      throw SignatureMessages.misfit(form, of: NamedFiles.shown(path))
    }
  }

  /// - Parameter path: of the signature; its ending may tell who made it.
  private func verifyEd25519(
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

  private func verifyOpenPGP(
    _ list: OpenFile, _ signature: [UInt8], path: [UInt8]
  ) throws(DownloadError) -> VerifiedList {
    let signature = try OpenFile.unnamed(signature)
    do throws(OpenPGPFault) {
      let signer = try Gpgv.verify(files(list, signature))
      return VerifiedList(file: list, start: 0, signature: .openPGP(signer))
    } catch {
      throw SignatureMessages.error(error, of: NamedFiles.shown(path))
    }
  }

  private func files(_ list: OpenFile, _ signature: OpenFile?) -> GpgvFiles {
    GpgvFiles(
      list: list.descriptor, signature: signature?.descriptor, keyrings: keys.openPGP.map(\.descriptor))
  }

  // MARK: Signatures in the list

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

  /// Verifies a list before its signature. The list is the text that gpgv gives, whatever else is in the file.
  private func verifyMessage(_ list: OpenFile, _ shownName: String) throws(DownloadError) -> VerifiedList {
    let text = try OpenFile.unnamed()
    var byteCount = 0
    var failed: Int32?
    do throws(OpenPGPFault) {
      let signer = try Gpgv.verifyMessage(files(list, nil)) { bytes in
        byteCount += bytes.count
        if byteCount <= Self.mostBytes { failed = text.append(bytes) }
        return byteCount <= Self.mostBytes && failed == nil
      }
      return VerifiedList(file: text, start: 0, signature: .openPGP(signer))
    } catch {
      if let failed {
        throw DownloadError(
          .localIO, "cannot copy the list \(shownName) to a temporary file: \(SystemMessages.reason(failed))")
      }
      if byteCount > Self.mostBytes { throw SignatureMessages.tooLong(shownName, mostBytes: Self.mostBytes) }
      throw SignatureMessages.error(error, of: "the list \(shownName)")
    }
  }
}
