import Testing

@testable import DownloadCore

@Suite struct `Versions of HTTP that servers speak` {
  private let server = Origin(scheme: .https, host: "h", port: 443)

  @Test func `a server that breaks off HTTP/1.1 is tried with HTTP/2, and back again`() {
    var versions = ServerVersions()
    #expect(!versions.needsHTTP2(server))
    versions.failed(server, .emptyReply, isSeparate: true)
    #expect(versions.needsHTTP2(server))
    versions.failed(server, .emptyReply, isSeparate: false)
    #expect(!versions.needsHTTP2(server))
    versions.failed(server, .tlsHandshake("no application protocol"), isSeparate: true)
    versions.answered(server, isSeparate: false)
    #expect(versions.needsHTTP2(server))

    versions = ServerVersions()
    versions.failed(server, .protocolViolation(.reported("Received HTTP/0.9 when not allowed")), isSeparate: true)
    #expect(versions.needsHTTP2(server))
  }

  @Test func `one that has answered with HTTP/1.1 speaks it, and plain text has nothing else`() {
    var versions = ServerVersions()
    versions.answered(server, isSeparate: true)
    versions.failed(server, .emptyReply, isSeparate: true)
    let plain = Origin(scheme: .http, host: "h", port: 80)
    versions.failed(plain, .emptyReply, isSeparate: true)
    #expect(!versions.needsHTTP2(server) && !versions.needsHTTP2(plain))
  }

  @Test func `other faults tell nothing`() {
    var versions = ServerVersions()
    for fault: TransferFault in [.connectTimeout, .stalled, .reset("x"), .status(500), .tlsVerification("x")] {
      versions.failed(server, fault, isSeparate: true)
    }
    #expect(!versions.needsHTTP2(server))
  }
}
