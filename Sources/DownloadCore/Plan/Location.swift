/// A parsed URL without userinfo and fragment, the only form of URLs that decisions see.
///
/// DownloadTransport makes it with libcurl's parser, so that all code agrees on the meaning of a URL.
package struct Location: Hashable, Sendable {
  /// The protocols that are supported. Decisions ask for their properties, never for one of them.
  package enum Scheme: String, Sendable {
    case http, https

    /// The port where a URL names none.
    package var usualPort: UInt16 { self == .http ? 80 : 443 }

    /// Whether nobody on the way can read or change the content.
    package var isEncrypted: Bool { self == .https }
  }

  /// The scope of credentials and of `HostGovernor` (RFC 6454).
  package let origin: Origin
  /// Begins with a slash. Percent-encoded as by libcurl.
  package let path: String
  /// Without the question mark; nil if the URL has no query.
  package let query: String?

  package init(origin: Origin, path: String, query: String?) {
    self.origin = origin
    self.path = path
    self.query = query
  }

  package init(scheme: Scheme, host: String, port: UInt16, path: String, query: String?) {
    self.init(origin: Origin(scheme: scheme, host: host, port: port), path: path, query: query)
  }

  package var scheme: Scheme { origin.scheme }
  package var host: String { origin.host }
  package var port: UInt16 { origin.port }

  /// The whole URL, for libcurl.
  package var text: String { query.map { origin.text + path + "?" + $0 } ?? origin.text + path }

  /// The URL for people and logs. Omits the query, which often contains a signature.
  package var redacted: String { query == nil ? origin.text + path : origin.text + path + "?…" }

  /// The URL without its query, for attributes and sidecars.
  package var withoutQuery: String { origin.text + path }
}

/// Scheme, host and port (RFC 6454).
///
/// A class with a stored hash: it is looked up several times per file, and thousands of files share it.
package final class Origin: Hashable, Sendable {
  package let scheme: Location.Scheme
  /// Lower case, IPv6 addresses in brackets.
  package let host: String
  package let port: UInt16
  /// The start of a URL: scheme, host and, unless it is the default, port.
  package let text: String
  private let hash: Int

  package init(scheme: Location.Scheme, host: String, port: UInt16) {
    self.scheme = scheme
    self.host = host
    self.port = port
    text = port == scheme.usualPort ? "\(scheme.rawValue)://\(host)" : "\(scheme.rawValue)://\(host):\(port)"
    hash = text.hashValue
  }

  package static func == (left: Origin, right: Origin) -> Bool {
    left === right || (left.hash == right.hash && left.text == right.text)
  }

  /// Whether it names this machine, which needs no network (RFC 6761, section 6.3).
  package var isLoopback: Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
      || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || 48...57 ~= $0 }
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  package func _rawHashValue(seed: Int) -> Int { hash ^ seed }
}
