/// Which servers speak HTTP/2 only. Those get no connections of their own for segments, which use HTTP/1.1.
///
/// unknown ──HTTP/1.1 answered──► speaks HTTP/1.1
/// unknown ──HTTP/1.1 broke before an answer──► tried with HTTP/2 ──that broke, too──► unknown
package struct ServerVersions: Sendable {
  private var speakHTTP1: Set<Origin> = []
  private var triedWithHTTP2: Set<Origin> = []

  package init() {}

  /// Whether requests must leave the choice of the version to the server.
  package func needsHTTP2(_ server: Origin) -> Bool { triedWithHTTP2.contains(server) }

  /// - Parameter isSeparate: whether the request offered HTTP/1.1 only.
  package mutating func answered(_ server: Origin, isSeparate: Bool) {
    if isSeparate { speakHTTP1.insert(server) }
  }

  /// A request has failed. A server that speaks HTTP/2 only ends the handshake or the connection of one with HTTP/1.1.
  ///
  /// - Parameter isSeparate: whether the request offered HTTP/1.1 only.
  package mutating func failed(_ server: Origin, _ fault: TransferFault, isSeparate: Bool) {
    switch fault {
    // The last one where the server speaks HTTP/2 whatever was agreed on.
    case .emptyReply, .tlsHandshake, .protocolViolation(.reported): break
    default: return
    }
    if !isSeparate {
      triedWithHTTP2.remove(server)
    } else if server.scheme.isEncrypted, !speakHTTP1.contains(server) {
      triedWithHTTP2.insert(server)
    }
  }
}
