/// Which version of HTTP a server is asked with, where its failures tell that it cannot bear the other one.
///
/// any ──offered both, it broke off──► HTTP/1.1 ──it answered, and HTTP/2 has served before──► any
///  │                                     └──broke before an answer──► HTTP/2 ──that broke, too──► HTTP/1.1
///  └──HTTP/1.1 broke before an answer, and never answered──► HTTP/2
///
/// A failure of one stream costs a server that serves HTTP/2 well no more than a few requests with HTTP/1.1.
package struct ServerVersions: Sendable {
  private var speakHTTP1: Set<Origin> = []
  /// Brought whole answers where both versions were offered.
  private var servesBoth: Set<Origin> = []
  private var triedWithHTTP1: Set<Origin> = []
  private var triedWithHTTP2: Set<Origin> = []

  package init() {}

  /// Whether requests must leave the choice of the version to the server.
  package func needsHTTP2(_ server: Origin) -> Bool { triedWithHTTP2.contains(server) }

  /// Whether a request must offer HTTP/1.1 only.
  ///
  /// - Parameter isAfterBreak: whether the last one for the file broke off. Then the next one avoids HTTP/2 if the server
  ///   has answered without it, even if it also serves others with it.
  package func needsHTTP1(_ server: Origin, isAfterBreak: Bool = false) -> Bool {
    triedWithHTTP1.contains(server) || isAfterBreak && speakHTTP1.contains(server)
  }

  /// - Parameter isSeparate: whether the request offered HTTP/1.1 only.
  package mutating func answered(_ server: Origin, isSeparate: Bool) {
    guard isSeparate else { return }
    speakHTTP1.insert(server)
    if servesBoth.contains(server) { triedWithHTTP1.remove(server) }
  }

  /// An answer has come to its end.
  package mutating func served(_ server: Origin, isSeparate: Bool) {
    if !isSeparate, server.scheme.isEncrypted { servesBoth.insert(server) }
  }

  /// A request has failed. A server that speaks HTTP/2 only ends the handshake or the connection of one with HTTP/1.1; one
  /// that fails at HTTP/2 resets streams or ends the connection (GOAWAY), at any time.
  ///
  /// - Parameter isSeparate: whether the request offered HTTP/1.1 only.
  package mutating func failed(_ server: Origin, _ fault: TransferFault, isSeparate: Bool) {
    guard server.scheme.isEncrypted else { return }
    switch fault {
    // The last one with HTTP/1.1 where the server speaks HTTP/2 whatever was agreed on.
    case .emptyReply, .tlsHandshake, .protocolViolation(.libcurl): break
    case .reset, .shortBody: if isSeparate { return }
    // Usual for one that serves.
    case .keptConnectionClosed: if isSeparate || servesBoth.contains(server) { return }
    default: return
    }
    if !isSeparate {
      triedWithHTTP2.remove(server)
      triedWithHTTP1.insert(server)
    } else if !speakHTTP1.contains(server) {
      triedWithHTTP1.remove(server)
      triedWithHTTP2.insert(server)
    }
  }
}
