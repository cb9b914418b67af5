package import DownloadCore
internal import DownloadSignatures
internal import DownloadWords
internal import Glibc

/// Verifies the signatures of lists before anything else is done with them (`--verify-signature`).
///
/// A list is in a private copy, so that the bytes that were verified are the bytes that are read. The signature is the
/// file of `--signature`, or stands in the list, or is the first file beside the list that fits one of the keys.
/// `ListFetch` downloads those that URLs name, and those beside lists that it downloads.
package struct ListVerifier {
  /// A longer list is refused: it is copied, and mapped into memory as a whole.
  static let mostBytes = 1 << 30
  /// More than the signature in front of a list has, or the words before a signed message.
  private static let beginningByteCount = 4096

  private let keys: VerificationKeys
  private let inputs: DecidingInputs
  /// What `--signature` names; nil looks for it. A URL is set once it has been downloaded.
  var named: SignatureFile?

  /// A list that may be used.
  struct VerifiedList {
    let file: OpenFile
    /// The offset of the signed text in the file.
    let start: Int
    let signature: ListSignature
  }

  /// Reads the keys; nil where lists need no signature.
  ///
  /// - Parameter inputs: note keys and signatures.
  package init?(_ options: SignatureOptions, notedIn inputs: DecidingInputs) throws(Failure) {
    if options.keys.isEmpty { return nil }
    self.inputs = inputs
    keys = try VerificationKeys(options.keys, notedIn: inputs)
    if let path = options.signature, !TargetName.isURL(path) { named = .path(path) }
  }

  /// Where the signature of a list is, if `--signature` does not tell.
  private enum Place {
    /// Before the list, by signify.
    case before
    /// Around the list, by OpenPGP.
    case around
    /// In a file beside the list. The list's own signature may be one for which there is no key.
    case beside(misfit: SignatureForm?)
  }

  private func place(_ beginning: [UInt8]) -> Place {
    switch SignatureForm(beginning) {
    case .ed25519: keys.ed25519.isEmpty ? .beside(misfit: .ed25519) : .before
    case .signedMessage: keys.openPGP.isEmpty ? .beside(misfit: .openPGP) : .around
    case .openPGP, .other: .beside(misfit: nil)
    }
  }

  private func beginning(of list: OpenFile) throws(Failure) -> [UInt8] {
    try list.withBytes { (bytes) throws(Failure) in Array(bytes.prefix(Self.beginningByteCount)) }
  }

  /// Whether the list's signature can only be in a file beside it.
  func looksBeside(_ list: OpenFile) throws(Failure) -> Bool {
    guard named == nil, case .beside = place(try beginning(of: list)) else { return false }
    return true
  }

  /// Verifies the signature of a list.
  ///
  /// - Parameters:
  ///   - list: a private copy.
  ///   - neighbors: the files beside the list that may be its signature, the first one first.
  ///   - shownName: of the list, for errors.
  /// - Throws: a usage error where the list is not signed by one of the keys.
  func verify(
    _ list: OpenFile, beside neighbors: [SignatureFile], _ shownName: String
  ) throws(Failure) -> VerifiedList {
    if let named {
      guard let signature = try named.read(of: "\(.signature)", notedIn: inputs) else {
        throw NamedFiles.failure(.read, named.name, of: "\(.signature)", ENOENT)
      }
      return try verify(list, signature, named)
    }
    let beginning = try beginning(of: list)
    // A signature for which there is no key.
    var misfit: (form: SignatureForm, subject: String)?
    switch place(beginning) {
    case .before: return try verifyEmbedded(list, beginning, shownName)
    case .around: return try verifyMessage(list, shownName)
    case .beside(let form): misfit = form.map { ($0, "the list \(shownName)") }
    }
    for file in neighbors {
      guard let signature = try file.read(of: "\(.verifySignature)", notedIn: inputs) else { continue }
      if decides(signature) { return try verify(list, signature, file) }
      misfit = misfit ?? (SignatureForm(signature), file.shownName)
    }
    if let misfit { throw SignatureMessages.misfit(misfit.form, of: misfit.subject) }
    throw SignatureMessages.unsigned(shownName, names: neighbors.map(\.shownName))
  }

  /// The endings of names of signatures that the keys may have made.
  var endings: [String] {
    let hasOpenPGP = !keys.openPGP.isEmpty
    return (keys.ed25519.isEmpty ? [] : [".minisig"]) + (hasOpenPGP ? [".asc", ".gpg"] : [])
      + (hasOpenPGP ? [".sig", ".sign"] : [".sig"])
  }

  /// All that keys of any kind may have made.
  package static let allEndings = [".minisig", ".asc", ".gpg", ".sig", ".sign"]

  /// Whether no further file is looked for: one of the keys may have made the signature, or it is none.
  func decides(_ signature: [UInt8]) -> Bool {
    switch SignatureForm(signature) {
    case .ed25519: !keys.ed25519.isEmpty
    case .openPGP: !keys.openPGP.isEmpty
    case .signedMessage, .other: true
    }
  }

  // MARK: Detached signatures

  /// - Parameter file: where the signature is from.
  private func verify(
    _ list: OpenFile, _ signature: [UInt8], _ file: SignatureFile
  ) throws(Failure) -> VerifiedList {
    let form = SignatureForm(signature)
    switch form {
    case .ed25519 where !keys.ed25519.isEmpty: return try verifyEd25519(list, signature, file)
    case .openPGP where !keys.openPGP.isEmpty: return try verifyOpenPGP(list, signature, file)
    case .ed25519, .openPGP, .signedMessage, .other:
      throw SignatureMessages.misfit(form, of: file.shownName)
    }
  }

  private func verifyEd25519(
    _ list: OpenFile, _ signature: [UInt8], _ file: SignatureFile
  ) throws(Failure) -> VerifiedList {
    try list.withBytes { (bytes) throws(Failure) in
      do throws(SignatureFault) {
        let signature = try Ed25519Signature(detached: signature, needsTrustedComment: file.isMinisign)
        return VerifiedList(
          file: list, start: 0, signature: .ed25519(try signature.verify(bytes, with: keys.ed25519)))
      } catch {
        throw SignatureMessages.error(error, of: file.shownName, given: keys.identifiers)
      }
    }
  }

  private func verifyOpenPGP(
    _ list: OpenFile, _ signature: [UInt8], _ file: SignatureFile
  ) throws(Failure) -> VerifiedList {
    let signature = try OpenFile.unnamed(signature)
    do throws(OpenPGPFault) {
      let signer = try Gpgv.verify(files(list, signature))
      return VerifiedList(file: list, start: 0, signature: .openPGP(signer))
    } catch {
      throw SignatureMessages.error(error, of: file.shownName)
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
  ) throws(Failure) -> VerifiedList {
    try list.withBytes { (bytes) throws(Failure) in
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
  private func verifyMessage(_ list: OpenFile, _ shownName: String) throws(Failure) -> VerifiedList {
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
        throw Failure(
          .localIO, "cannot copy the list \(shownName) to a temporary file: \(SystemMessages.reason(failed))")
      }
      if byteCount > Self.mostBytes { throw SignatureMessages.tooLong(shownName, mostBytes: Self.mostBytes) }
      throw SignatureMessages.error(error, of: "the list \(shownName)")
    }
  }
}
