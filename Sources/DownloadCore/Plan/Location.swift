/// A parsed http or https URL without userinfo and fragment: all that decisions ever see of a URL.
///
/// Made by Transport with libcurl's parser, so that there is only one opinion of what a URL means.
package struct Location: Hashable, Sendable {
  package enum Scheme: String, Sendable { case http, https }

  /// Who would be asked: the scope of credentials and of the host governor (RFC 6454).
  package let origin: Origin
  /// Begins with a slash, percent-encoded as libcurl left it.
  package let path: String
  /// Without the question mark; nil where there is none.
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

  /// The whole URL as it goes to libcurl.
  package var text: String { query.map { origin.text + path + "?" + $0 } ?? origin.text + path }

  /// For people, logs, sidecars and attributes: queries often carry signatures, so they are left out.
  package var redacted: String { query == nil ? origin.text + path : origin.text + path + "?…" }

  /// Without the query and with no mark of it, as stored in attributes and sidecars.
  package var withoutQuery: String { origin.text + path }
}

/// Scheme, host and port (RFC 6454).
///
/// By reference and with its hash known: it is looked up several times for every file, and thousands have the same.
package final class Origin: Hashable, Sendable {
  package let scheme: Location.Scheme
  /// Lower case, IPv6 addresses in brackets.
  package let host: String
  package let port: UInt16
  /// As a URL begins.
  package let text: String
  private let hash: Int

  package init(scheme: Location.Scheme, host: String, port: UInt16) {
    self.scheme = scheme
    self.host = host
    self.port = port
    let usualPort: UInt16 = scheme == .https ? 443 : 80
    text = port == usualPort ? "\(scheme.rawValue)://\(host)" : "\(scheme.rawValue)://\(host):\(port)"
    hash = text.hashValue
  }

  package static func == (left: Origin, right: Origin) -> Bool {
    left === right || (left.hash == right.hash && left.text == right.text)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
