/// The protocol that an answer came by.
package enum HTTPVersion: String, Hashable, Sendable, CaseIterable {
  case http10 = "HTTP/1.0"
  case http11 = "HTTP/1.1"
  case http2 = "HTTP/2"
  case http3 = "HTTP/3"

  /// Whether messages are framed by length, chunks or the connection's end (RFC 9112), and not by streams.
  package var isHTTP1: Bool { self == .http10 || self == .http11 }
}
