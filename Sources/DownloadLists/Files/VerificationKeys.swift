internal import DownloadCore
internal import DownloadSignatures
internal import DownloadWords
internal import Glibc

/// The keys of `--verify-signature`, read before the run starts.
struct VerificationKeys {
  private(set) var ed25519: [Ed25519Key] = []
  /// Keyrings of OpenPGP in unnamed files.
  private(set) var openPGP: [OpenFile] = []

  var identifiers: [KeyIdentifier] { ed25519.map(\.identifier) }

  /// More than any key has, and twice as much as the keyring of all Debian developers.
  private static let mostBytes = 64 << 20
  private static let option: Phrase = "\(.verifySignature)"

  /// - Parameters:
  ///   - arguments: paths of keys, or keys of minisign and signify in one line.
  ///   - inputs: note the keys.
  init(_ arguments: [[UInt8]], notedIn inputs: DecidingInputs) throws(Failure) {
    for argument in arguments {
      if let key = Ed25519Key(text: argument) {
        ed25519.append(key)
        continue
      }
      if Self.resemblesKey(argument) {
        throw Failure(
          .usage, words: "\(Self.option): the argument is not a public key", hint: Phrase(SignatureMessages.keyHint))
      }
      switch try Self.read(argument, inputs) {
      case .ed25519(let key): ed25519.append(key)
      case .openPGP(let keyring):
        // Keys expire.
        inputs.noteOther()
        openPGP.append(try OpenFile.unnamed(keyring.bytes))
      }
    }
  }

  private static func read(_ path: [UInt8], _ inputs: DecidingInputs) throws(Failure) -> VerificationKey {
    guard let bytes = try SmallFiles.readIfPresent(path, of: option, notedIn: inputs, mostBytes: mostBytes) else {
      throw NamedFiles.failure(.read, path, of: option, ENOENT, hint: Phrase(SignatureMessages.keyHint))
    }
    do { return try VerificationKey(file: bytes) } catch {
      throw Failure(
        .usage, words: "\(option): \(NamedFiles.shown(path)) \(SignatureMessages.message(error))",
        hint: Phrase(SignatureMessages.hint(error)))
    }
  }

  /// Whether an argument may be a damaged key, or a secret one, which no message may show.
  private static func resemblesKey(_ argument: [UInt8]) -> Bool {
    argument.count > 40 && argument.starts(with: "RW".utf8) && !argument.contains(UInt8(ascii: "."))
  }
}
