package import DownloadCore
package import DownloadSignatures

/// What a person reads of signatures of lists and their keys.
package enum SignatureMessages {
  package static let keyHint = "KEY is the file of a public key, or its line of 56 characters that begins with RW"

  // MARK: Keys

  /// The text after the name of the file.
  package static func message(_ fault: KeyFault) -> String {
    switch fault {
    case .secretKey: "is a private key, not a public one"
    case .signature: "is a signature, not a key"
    case .damaged: "is a damaged public key"
    case .unknownForm: "is not a public key of minisign, signify or OpenPGP"
    }
  }

  package static func hint(_ fault: KeyFault) -> String {
    switch fault {
    case .secretKey: "give the public key, and keep the private one to yourself"
    case .signature, .unknownForm: keyHint
    case .damaged: "get the public key again, or check its text"
    }
  }

  // MARK: Signatures

  /// The text after the name of the signature's file and a colon.
  package static func message(_ fault: SignatureFault) -> String {
    switch fault {
    case .malformedLine(let number): "line \(number) is not \(content(ofLine: number))"
    case .missingTrustedComment: "the trusted comment and its signature are missing"
    case .containsText: "the file is not a detached signature: it contains the signed text"
    case .lacksText: "the file is a signature without the text that it signs"
    case .trailingText: "text follows the signature"
    case .unknownKey(let key): "the signature is by key \(key.text), which is not one of the given keys"
    case .wrongSignature(let key): "the signature by key \(key.text) does not match the list"
    case .wrongTrustedComment(let key): "the trusted comment is not the one that key \(key.text) has signed"
    case .uncomputable: "cannot verify the signature: OpenSSL has disabled Ed25519 or BLAKE2b"
    }
  }

  private static let completenessHint: Phrase =
    "check whether the signature is complete, or an error page was saved instead of it"
  private static let mismatchHint: Phrase =
    "the list or its signature was changed, or they do not belong together; get both again"

  private static func content(ofLine number: Int) -> String {
    switch number {
    case 1: "the untrusted comment of a signature"
    case 3: "a trusted comment"
    case 4: "the signature of the trusted comment"
    default: "a signature of minisign or signify"
    }
  }

  private static func hint(_ fault: SignatureFault, given: [KeyIdentifier]) -> Phrase {
    switch fault {
    case .malformedLine, .missingTrustedComment, .trailingText:
      completenessHint
    case .containsText: "give this file as the list, with \(.inputFile)"
    case .lacksText: "give the list that it signs"
    case .unknownKey: "the given keys: \(given.map(\.text).joined(separator: ", "))"
    case .wrongSignature, .wrongTrustedComment:
      mismatchHint
    case .uncomputable: "enable them in openssl.cnf (providers, default_properties)"
    }
  }

  /// - Parameters:
  ///   - subject: the file of the signature, or the list with its signature.
  ///   - given: the given keys.
  package static func error(_ fault: SignatureFault, of subject: String, given: [KeyIdentifier]) -> Failure {
    Failure(.usage, words: "\(subject): \(message(fault))", hint: hint(fault, given: given))
  }

  // MARK: OpenPGP

  /// The text after the name of the signature's file and a colon.
  package static func message(_ fault: OpenPGPFault) -> String {
    switch fault {
    case .unknownKey(let key): "the signature is by key \(key), which is not one of the given keys"
    case .wrongSignature(let key): "the signature by key \(key) does not match the list"
    case .expiredSignature(let key): "the signature by key \(key) has expired"
    case .expiredKey(let key): "the signature is by key \(key), which has expired"
    case .revokedKey(let key): "the signature is by key \(key), which was revoked"
    case .weakDigest(let key): "the signature by key \(key) uses a digest that can be forged, such as SHA-1"
    case .uncheckable(let key): "gpgv cannot check the signature by key \(key)"
    case .noSignature: "gpgv finds no signature"
    case .severalTexts: "the file contains text besides the signed text"
    case .refused(let status): "gpgv refuses the signature" + (status.map { " (status \($0))" } ?? "")
    case .missing: "cannot verify a signature of OpenPGP: gpgv is not installed"
    case .unusable(let errno): "cannot run gpgv: \(SystemMessages.reason(errno))"
    case .tooLong: "the report of gpgv on the signature is too long"
    }
  }

  private static func hint(_ fault: OpenPGPFault) -> Phrase {
    switch fault {
    case .unknownKey: "every signature of the list must be by a given key; give its key, too, if you trust it"
    case .wrongSignature: mismatchHint
    case .expiredSignature, .expiredKey: "get the list, its signature and the public key again"
    case .revokedKey: "get a list that is signed with a valid key"
    case .weakDigest: "get a list that is signed with SHA-256 or better"
    case .noSignature: completenessHint
    case .severalTexts: "a list is one signed text; split the file"
    case .uncheckable, .refused, .tooLong: "run gpgv by hand, with the same keyring, to see why"
    case .missing: "install the package gpgv"
    case .unusable: "check the limits on processes and open files (ulimit -u, -n)"
    }
  }

  package static func error(_ fault: OpenPGPFault, of subject: String) -> Failure {
    Failure(.usage, words: "\(subject): \(message(fault))", hint: hint(fault))
  }

  // MARK: Lists

  /// A signature that none of the given keys can have made.
  ///
  /// - Parameter subject: the file of the signature, or the list with its signature.
  package static func misfit(_ form: SignatureForm, of subject: String) -> Failure {
    switch form {
    case .ed25519:
      Failure(
        .usage, words: "\(subject): a signature of minisign or signify, and no given key is one of these",
        hint: "give its public key with \(.verifySignature, "KEY")")
    case .openPGP:
      Failure(
        .usage, words: "\(subject): a signature of OpenPGP, and no given key is one of OpenPGP",
        hint: "give its public key with \(.verifySignature, "KEY")")
    case .signedMessage:
      Failure(
        .usage, words: "\(subject): the file is not a detached signature: it contains the signed text",
        hint: "give this file as the list, with \(.inputFile)")
    case .other:
      Failure(
        .usage, words: "\(subject): not a signature of minisign, signify or OpenPGP", hint: completenessHint)
    }
  }

  /// - Parameter names: of the files beside the list that may have been its signature, as messages show them; none for
  ///   standard input.
  package static func unsigned(_ shownName: String, names: [String]) -> Failure {
    let first = names.dropLast().joined(separator: ", ")
    let missing = names.last.map { ": neither \(first) nor \($0) exists" } ?? ""
    return Failure(
      .usage, words: "the list \(shownName) is not signed\(missing)",
      hint: "name its signature with \(.signature, "FILE"); FILE may be a URL")
  }

  package static func unsignedBag(_ shownName: String) -> Failure {
    Failure(
      .usage, words: "the bag \(shownName) is not signed: \(.verifySignature) is for single lists",
      hint: "leave it out, or give a list that is signed")
  }

  package static func tooLong(_ shownName: String, mostBytes: Int) -> Failure {
    Failure(.usage, "the list \(shownName) is longer than \(mostBytes >> 30) GiB, the most for a signed list")
  }

  package static func verified(_ shownName: String, _ signature: ListSignature) -> Diagnostic {
    switch signature {
    case .ed25519(let verified):
      let comment = verified.trustedComment.map { "; trusted comment: " + Diagnostic.escaped($0) } ?? ""
      return Diagnostic(message: "the list \(shownName) is signed by key \(verified.key.text)\(comment)")
    case .openPGP(let signer):
      let user = signer.user.isEmpty ? "" : " of " + Diagnostic.escaped(signer.user)
      return Diagnostic(message: "the list \(shownName) is signed by key \(signer.fingerprint)\(user)")
    }
  }
}
