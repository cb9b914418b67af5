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
    versions.failed(server, .protocolViolation(.libcurl("Received HTTP/0.9 when not allowed")), isSeparate: true)
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

  private static let breaks: [TransferFault] = [
    .emptyReply, .reset("x"), .keptConnectionClosed, .shortBody, .protocolViolation(.libcurl("x")), .tlsHandshake("x"),
  ]

  @Test(arguments: breaks)
  func `a server that fails where HTTP/2 is offered is asked with HTTP/1.1`(fault: TransferFault) {
    var versions = ServerVersions()
    versions.failed(server, fault, isSeparate: false)
    #expect(versions.needsHTTP1(server) && !versions.needsHTTP2(server))
    versions.answered(server, isSeparate: true)
    versions.served(server, isSeparate: true)
    #expect(versions.needsHTTP1(server), "it has never served otherwise")
    let plain = Origin(scheme: .http, host: "h", port: 80)
    versions.failed(plain, fault, isSeparate: false)
    #expect(!versions.needsHTTP1(plain))
  }

  @Test func `one that serves with HTTP/2, too, is soon asked with it again`() {
    var versions = ServerVersions()
    versions.served(server, isSeparate: false)
    versions.failed(server, .keptConnectionClosed, isSeparate: false)
    #expect(!versions.needsHTTP1(server), "that is usual")
    #expect(!versions.needsHTTP1(server, isAfterBreak: true), "it has not answered over HTTP/1.1")
    versions.failed(server, .reset("x"), isSeparate: false)
    #expect(versions.needsHTTP1(server))
    versions.answered(server, isSeparate: true)
    #expect(!versions.needsHTTP1(server))
    #expect(versions.needsHTTP1(server, isAfterBreak: true), "a file whose request broke off is not asked for so again")
  }

  @Test func `one that has no HTTP/1.1 is asked with HTTP/2 again`() {
    var versions = ServerVersions()
    versions.failed(server, .reset("x"), isSeparate: false)
    versions.failed(server, .tlsHandshake("no application protocol"), isSeparate: true)
    #expect(!versions.needsHTTP1(server) && versions.needsHTTP2(server))
  }

  @Test func `refusals and silence say nothing about HTTP/2`() {
    var versions = ServerVersions()
    for fault: TransferFault in [
      .connectTimeout, .stalled, .connectRefused(), .status(500), .protocolViolation(.missingLocation),
    ] {
      versions.failed(server, fault, isSeparate: false)
    }
    #expect(!versions.needsHTTP1(server))
  }
}
