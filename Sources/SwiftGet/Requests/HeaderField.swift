/// A field of a request's header. The text of a secret one never appears in descriptions.
public struct HeaderField: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The field's name, for example `Accept`.
  public let name: String
  /// The field's value, secret or not.
  public let value: String
  /// Whether the value is hidden wherever the field is shown.
  public let isSecret: Bool

  /// The values of `Authorization`, `Cookie` and `Proxy-Authorization` are secret.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
    isSecret = ["authorization", "cookie", "proxy-authorization"].contains(name.lowercased())
  }

  /// A field whose value is hidden wherever the field is shown.
  public init(_ name: String, secret value: String) {
    self.name = name
    self.value = value
    isSecret = true
  }

  /// The field as it is sent, without a secret value.
  public var description: String { "\(name): \(isSecret ? "…" : value)" }
  /// As `description`.
  public var debugDescription: String { description }

  /// As it is sent; nil for a name that is no token, or a value with line breaks (RFC 9110 section 5).
  var line: String? {
    let isToken = !name.isEmpty && name.utf8.allSatisfy { 0x21...0x7e ~= $0 && !Self.delimiters.contains($0) }
    guard isToken, !value.utf8.contains(where: { $0 == 0 || $0 == 0x0a || $0 == 0x0d }) else { return nil }
    // libcurl takes away a field without a value; one that is to be sent empty ends with a semicolon.
    return value.isEmpty ? "\(name);" : "\(name): \(value)"
  }

  private static let delimiters = Set("\"(),/:;<=>?@[\\]{}".utf8)
}

/// Who logs in. It is sent to the origins of the request's own URLs only, and never shown.
public enum DownloadCredential: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
  /// A name and a password.
  case user(String, password: String)
  /// The token of `Authorization: Bearer`.
  case bearer(token: String)

  /// The kind, without the secret.
  public var description: String {
    switch self {
    case .user(let name, _): "user \(name)"
    case .bearer: "bearer"
    }
  }
  /// As `description`.
  public var debugDescription: String { description }
}
