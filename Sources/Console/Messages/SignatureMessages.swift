import DownloadCore
import Signatures

/// What a person reads of signatures of lists and their keys.
enum SignatureMessages {
  static let keyHint = "KEY is the file of a public key, or its line of 56 characters that begins with RW"

  // MARK: Keys

  /// The text after the name of the file.
  static func message(_ fault: VerificationKey.Fault) -> String {
    switch fault {
    case .secretKey: "is a secret key"
    case .signature: "is a signature, not a key"
    case .damaged: "is a damaged key of minisign or signify"
    case .unknownForm: "is not a public key of minisign or signify"
    }
  }

  static func hint(_ fault: VerificationKey.Fault) -> String {
    switch fault {
    case .secretKey: "give the public key, and keep the secret one to yourself"
    case .signature, .unknownForm: keyHint
    case .damaged: "the public key has two lines: an untrusted comment, and 56 characters that begin with RW"
    }
  }

  // MARK: Signatures

  /// The text after the name of the signature's file and a colon.
  static func message(_ fault: SignatureFault) -> String {
    switch fault {
    case .malformedLine(let number): "line \(number) is not \(content(ofLine: number))"
    case .missingTrustedComment: "the trusted comment and its signature are missing"
    case .containsText: "the file is no detached signature: it has the signed text in it"
    case .lacksText: "the file is a signature without the text that it signs"
    case .trailingText: "the file goes on behind the signature"
    case .unknownKey(let key): "the signature is by key \(key.text), which is not one of the given keys"
    case .wrongSignature(let key): "the signature by key \(key.text) does not match the list"
    case .wrongTrustedComment(let key): "the trusted comment is not the one that key \(key.text) has signed"
    case .uncomputable: "cannot verify the signature: OpenSSL has disabled Ed25519 or BLAKE2b"
    }
  }

  private static func content(ofLine number: Int) -> String {
    switch number {
    case 1: "the untrusted comment of a signature"
    case 3: "a trusted comment"
    case 4: "the signature of the trusted comment"
    default: "a signature of minisign or signify"
    }
  }

  private static func hint(_ fault: SignatureFault, given: [KeyIdentifier]) -> String {
    switch fault {
    case .malformedLine, .missingTrustedComment, .trailingText:
      "check whether the signature is complete, or an error page was saved instead of it"
    case .containsText: "give this file as the list, with -i"
    case .lacksText: "give the list that it signs"
    case .unknownKey: "the given keys: " + given.map(\.text).joined(separator: ", ")
    case .wrongSignature, .wrongTrustedComment:
      "the list or its signature was changed, or they do not belong together; get both again"
    case .uncomputable: "enable them in openssl.cnf (providers, default_properties)"
    }
  }

  /// - Parameters:
  ///   - subject: the file of the signature, or the list with its signature.
  ///   - given: the given keys.
  static func error(_ fault: SignatureFault, of subject: String, given: [KeyIdentifier]) -> DownloadError {
    DownloadError(.usage, "\(subject): \(message(fault))", hint: hint(fault, given: given))
  }

  // MARK: Lists

  /// - Parameter names: the files beside the list that may have been its signature; none for standard input.
  static func unsigned(_ shownName: String, names: [[UInt8]]) -> DownloadError {
    let shown = names.map(NamedFiles.shown)
    let first = shown.dropLast().joined(separator: ", ")
    let missing = shown.isEmpty ? "" : ": neither \(first) nor \(shown.last ?? "") is there"
    return DownloadError(
      .usage, "the list \(shownName) is not signed\(missing)",
      hint: "name its signature with --signature FILE")
  }

  static func tooLong(_ shownName: String, mostBytes: Int) -> DownloadError {
    DownloadError(.usage, "the list \(shownName) is longer than \(mostBytes >> 30) GiB, the most for a signed list")
  }

  static func verified(_ shownName: String, _ signature: ListSignature) -> Diagnostic {
    switch signature {
    case .ed25519(let verified):
      let comment = verified.trustedComment.map { "; trusted comment: " + Diagnostic.escaped($0) } ?? ""
      return Diagnostic(message: "the list \(shownName) is signed by key \(verified.key.text)\(comment)")
    }
  }
}
