/// A parsed http or https URL without userinfo and fragment: all that decisions ever see of a URL.
///
/// Made by Transport with libcurl's parser, so that there is only one opinion of what a URL means.
package struct Location: Hashable, Sendable {
  package enum Scheme: String, Sendable { case http, https }

  package let scheme: Scheme
  /// Lower case, IPv6 addresses in brackets.
  package let host: String
  package let port: UInt16
  /// Begins with a slash, percent-encoded as libcurl left it.
  package let path: String
  /// Without the question mark; nil where there is none.
  package let query: String?

  package init(scheme: Scheme, host: String, port: UInt16, path: String, query: String?) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.path = path
    self.query = query
  }

  /// Who would be asked: the scope of credentials and of the host governor (RFC 6454).
  package var origin: Origin { Origin(scheme: scheme, host: host, port: port) }

  /// The whole URL as it goes to libcurl.
  package var text: String { query.map { origin.text + path + "?" + $0 } ?? origin.text + path }

  /// For people, logs, sidecars and attributes: queries often carry signatures, so they are left out.
  package var redacted: String { query == nil ? origin.text + path : origin.text + path + "?…" }

  /// Without the query and with no mark of it, as stored in attributes and sidecars.
  package var withoutQuery: String { origin.text + path }
}

/// Scheme, host and port (RFC 6454).
package struct Origin: Hashable, Sendable {
  package let scheme: Location.Scheme
  package let host: String
  package let port: UInt16

  package init(scheme: Location.Scheme, host: String, port: UInt16) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  package var isDefaultPort: Bool { port == (scheme == .https ? 443 : 80) }

  package var text: String {
    isDefaultPort ? "\(scheme.rawValue)://\(host)" : "\(scheme.rawValue)://\(host):\(port)"
  }
}
