import Testing

@testable import DownloadCore

@Suite struct `Faults of transfers` {
  typealias Row = (fault: TransferFault, kind: TransferFault.Kind, code: Failure.Code)

  static let table: [Row] = [
    (.nameLookup("x"), .unreachable, .network), (.connectRefused(), .unreachable, .network),
    (.connectTimeout, .unreachable, .network), (.connectFailed("x"), .unreachable, .network),
    (.tlsHandshake("x"), .unreachable, .network), (.tlsVerification("x"), .permanent, .tls),
    (.keptConnectionClosed, .unanswered, .network), (.emptyReply, .transient, .network),
    (.reset("x"), .transient, .network), (.stalled, .transient, .network), (.shortBody, .transient, .network),
    (.protocolViolation(.malformedHead), .transient, .protocolViolation),
    (.expiredRedirect(status: 403), .transient, .serverRefused),
    (.rateLimited(status: 403), .throttled, .serverRefused),
    (.protocolViolation(.oversizedHead), .permanent, .protocolViolation),
    (.expiredRedirect(status: 401), .transient, .authentication),
    (.refusedOverHTTP1(status: 404), .permanent, .serverRefused),
    (.foreignPage(from: "h"), .permanent, .serverRefused),
    (.refusedOverHTTP1(status: 401), .permanent, .authentication),
    (.credentialsRefused(status: 401), .permanent, .authentication),
    (.untrustedRedirect("x"), .transient, .tls), (.tooManyRedirects(20), .permanent, .protocolViolation),
    (.tlsFiles("x"), .permanent, .tls), (.insecureRedirect(to: "x"), .permanent, .protocolViolation),
    (.redirectRefused, .permanent, .protocolViolation), (.proxy("x"), .permanent, .network),
    (.tooLarge(limit: 1), .permanent, .integrity), (.wrongLength(expected: 1, announced: 2), .permanent, .integrity),
    (.wrongContent, .permanent, .integrity), (.digestUnavailable, .permanent, .other),
    (.local("x"), .permanent, .other), (.proxyStatus(403), .permanent, .network),
    (.proxyStatus(401), .permanent, .authentication),
    (.proxyStatus(502), .unreachable, .network),
  ]

  @Test(arguments: table.indices)
  func `every fault has a kind and an error code`(row: Int) {
    let row = Self.table[row]
    #expect(row.fault.kind == row.kind)
    #expect(row.fault.code == row.code)
  }

  @Test func `the status is that of the answer that the fault is about`() {
    for (fault, status) in [
      (.status(404), 404), (.expiredRedirect(status: 403), 403), (.proxyStatus(502), 502), (.shortBody, 206),
      (.protocolViolation(.malformedHead), 206), (.connectRefused(), nil), (.emptyReply, nil), (.proxy("x"), nil),
    ] as [(TransferFault, Int?)] {
      #expect(fault.status(lastAnswer: 206) == status, "\(fault)")
    }
    #expect(Failure(.deadline(lastFault: nil, hasReceived: false)).status(lastAnswer: 200) == 200)
    #expect(Failure(.deadline(lastFault: nil, hasReceived: false)).status(lastAnswer: nil) == nil)
  }

  /// RFC 9110 section 15, and 520 to 524 of content delivery networks.
  @Test func `every status has a kind and an error code`() {
    let transient: Set = [408, 425, 500, 502, 504, 520, 521, 522, 523, 524]
    let throttled: Set = [429, 503]
    for status in 100...599 {
      let fault = TransferFault.status(status)
      let kind: TransferFault.Kind =
        throttled.contains(status) ? .throttled : transient.contains(status) ? .transient : .permanent
      #expect(fault.kind == kind, "\(status)")
      let code: Failure.Code =
        kind != .permanent ? .network : status == 401 || status == 407 ? .authentication : .serverRefused
      #expect(fault.code == code, "\(status)")
    }
  }
}
