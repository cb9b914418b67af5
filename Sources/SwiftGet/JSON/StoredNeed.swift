internal import DownloadCore

/// What a stored request had and the store does not: a task that comes from there waits for it.
enum StoredNeed: Hashable, Sendable {
  /// A name and a password, or a token.
  case user
  /// The value of a header field.
  case header(String)
  /// Who logs in at the proxy.
  case proxy
  /// A closure of `DownloadPolicy`, which the program that added the task had.
  case policy(PolicyKind)

  enum PolicyKind: String, CaseIterable, Sendable { case source, credential, accepts, validate, name }

  /// `user`, `proxy`, `header NAME`, `policy NAME`.
  var text: String {
    switch self {
    case .user: "user"
    case .header(let name): "header \(name)"
    case .proxy: "proxy"
    case .policy(let kind): "policy \(kind.rawValue)"
    }
  }

  init?(text: String) {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    switch (words.first, words.dropFirst().first) {
    case ("user"?, nil): self = .user
    case ("proxy"?, nil): self = .proxy
    case ("header"?, let name?): self = .header(name)
    case ("policy"?, let name?):
      guard let kind = PolicyKind(rawValue: name) else { return nil }
      self = .policy(kind)
    default: return nil
    }
  }

  /// Whether a request or settings bring it again.
  func isMet(by credential: DownloadCredential?, _ headers: [HeaderField], urls: [String], proxy: String?) -> Bool {
    switch self {
    case .user: credential != nil || urls.contains(where: StoredURL.hasUserinfo)
    case .header(let name): headers.contains { $0.name.lowercased() == name.lowercased() }
    case .proxy: proxy != nil
    case .policy: false
    }
  }
}

/// The text of a URL as it is stored.
enum StoredURL {
  static func hasUserinfo(_ url: String) -> Bool { userinfo(url.utf8) != nil }

  static func withoutUserinfo(_ url: String) -> String {
    guard let range = userinfo(url.utf8) else { return url }
    return String(url[..<range.lowerBound]) + String(url[range.upperBound...])
  }

  /// What stands before the host, with its `@` (RFC 3986 section 3.2.1). A proxy's URL may have no scheme.
  private static func userinfo(_ url: String.UTF8View) -> Range<String.Index>? {
    guard url.contains(UInt8(ascii: "@")) else { return nil }
    var start = url.startIndex
    var rest = url[...]
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      let behind = url[colon...].dropFirst()
      if behind.starts(with: "//".utf8) {
        start = behind.dropFirst(2).startIndex
        break
      }
      rest = behind
    }
    let authority = url[start...].prefix { ![UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return nil }
    return start..<url.index(after: at)
  }
}
