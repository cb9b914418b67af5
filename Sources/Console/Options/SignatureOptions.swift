import DownloadCore

/// `--verify-signature` and `--signature`.
package struct SignatureOptions: Sendable, Equatable {
  /// Paths of keys, or keys. Lists need no signature where there is none.
  package var keys: [[UInt8]] = []
  /// The path or URL of the one list's signature; nil looks beside each list.
  package var signature: [UInt8]?

  package init() {}

  /// What is wrong with the options.
  ///
  /// - Parameters:
  ///   - listCount: of the command line.
  ///   - usesNetwork: whether URLs may be downloaded.
  func errors(listCount: Int, usesNetwork: Bool) -> [DownloadError] {
    guard let signature else { return [] }
    if keys.isEmpty {
      return [
        DownloadError(
          .usage, "--signature has a meaning only with --verify-signature",
          hint: "give the public key with --verify-signature KEY")
      ]
    }
    if listCount != 1 {
      return [
        DownloadError(
          .usage, "--signature needs exactly one list",
          hint: "put the signature of each list beside it, such as LIST.minisig")
      ]
    }
    if !usesNetwork, TargetName.isURL(signature) {
      return [
        DownloadError(
          .usage, "--check reads no signature from a URL: \(Diagnostic.escaped(Redaction.url(signature)))",
          hint: "download the signature first; --check uses no network")
      ]
    }
    return []
  }
}
