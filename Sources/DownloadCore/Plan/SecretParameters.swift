/// Names of query parameters that carry secrets, as object stores, content delivery networks and web services name them.
///
/// What is written to a file that others may read asks for secrets, and a hint after a refusal for signatures, which expire.
package enum SecretParameters {
  package enum Kind: Hashable, Sendable {
    /// Lets whoever has the URL have the file, for a while.
    case signature
    /// Identifies the user, or lets others act for the user.
    case credential
  }

  private static let signaturePrefixes = ["x-amz-", "x-goog-", "x-oss-", "x-cos-", "q-sign"]
  private static let signatures: Set<String> = [
    "signature", "sig", "sign", "token", "hmac", "hdnea", "hdnts", "policy", "keypairid", "awsaccesskeyid",
    "googleaccessid", "ossaccesskeyid",
  ]
  private static let credentials: Set<String> = [
    "key", "auth", "authorization", "authkey", "apikey", "accesskey", "accesskeyid", "secretkey", "licensekey",
    "subscriptionkey", "password", "passwd", "passphrase", "pass", "pwd", "secret", "credential", "credentials", "jwt",
    "session", "sessionid", "sid", "ticket",
  ]
  /// Words that end many further names, such as `access_token`.
  private static let endings = ["token", "secret", "password", "signature", "apikey", "accesskey"]

  /// What a parameter of this name carries; nil for nothing secret.
  ///
  /// - Parameter name: percent-encoded, in any case. Hyphens, underscores and dots do not count.
  package static func kind(of name: some Sequence<UInt8>) -> Kind? {
    let lower = String(
      decoding: PercentEncoding.decodeKeepingInvalid(Array(name)[...]).map(\.lowercased), as: UTF8.self)
    if signaturePrefixes.contains(where: lower.hasPrefix) { return .signature }
    let bare = lower.filter { !"-_.".contains($0) }
    if signatures.contains(bare) { return .signature }
    return credentials.contains(bare) || endings.contains(where: bare.hasSuffix) ? .credential : nil
  }

  /// What the parameters of a query carry. One without a value carries nothing.
  package static func kinds(in query: String) -> Set<Kind> {
    Set(
      query.utf8.split { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") }.compactMap { parameter in
        let parts = parameter.split(separator: UInt8(ascii: "="), maxSplits: 1)
        return parts.count == 2 ? kind(of: parts[0]) : nil
      })
  }
}

extension Location {
  /// Whether whoever reads the URL can do what only the user should.
  package var hasSecret: Bool { query.map { !SecretParameters.kinds(in: $0).isEmpty } ?? false }
}
