import Testing

@testable import DownloadCore
@testable import DownloadWords

@Suite struct `Words of faults` {
  /// The cases of `TransferFault`: the compiler asks for a new one below, and the test for a sample of it.
  private enum Name: CaseIterable {
    case nameLookup, unknownHost, connectRefused, connectTimeout, connectFailed, tlsHandshake, tlsVerification, tlsFiles
    case keptConnectionClosed, emptyReply, reset, stalled, shortBody, unauthenticatedEnd, status, protocolViolation
    case credentialsRefused, rateLimited, refusedOverHTTP1, foreignPage
    case expiredRedirect, untrustedRedirect, tooManyRedirects, redirectRefused, insecureRedirect, proxy, proxyStatus
    case tooLarge, coded, wrongLength, wrongContent, digestUnavailable, local

    init(_ fault: TransferFault) {
      self =
        switch fault {
        case .nameLookup: .nameLookup
        case .unknownHost: .unknownHost
        case .connectRefused: .connectRefused
        case .connectTimeout: .connectTimeout
        case .connectFailed: .connectFailed
        case .tlsHandshake: .tlsHandshake
        case .tlsVerification: .tlsVerification
        case .tlsFiles: .tlsFiles
        case .keptConnectionClosed: .keptConnectionClosed
        case .emptyReply: .emptyReply
        case .reset: .reset
        case .stalled: .stalled
        case .shortBody: .shortBody
        case .unauthenticatedEnd: .unauthenticatedEnd
        case .status: .status
        case .refusedOverHTTP1: .refusedOverHTTP1
        case .foreignPage: .foreignPage
        case .credentialsRefused: .credentialsRefused
        case .rateLimited: .rateLimited
        case .protocolViolation: .protocolViolation
        case .expiredRedirect: .expiredRedirect
        case .untrustedRedirect: .untrustedRedirect
        case .tooManyRedirects: .tooManyRedirects
        case .redirectRefused: .redirectRefused
        case .insecureRedirect: .insecureRedirect
        case .proxy: .proxy
        case .proxyStatus: .proxyStatus
        case .tooLarge: .tooLarge
        case .coded: .coded
        case .wrongLength: .wrongLength
        case .wrongContent: .wrongContent
        case .digestUnavailable: .digestUnavailable
        case .local: .local
        }
    }
  }

  /// The cases of `ProtocolViolation`.
  private enum ViolationName: CaseIterable {
    case missingHead, oversizedHead, malformedHead, invalidContentLength, missingLocation, unconditionalNotModified
    case unexpectedStatus, contentRangeInWhole, unaskedRange, codedRange, unusableContentRange, otherRange
    case contradictoryLengths, unknownRepresentation, rangeBeyondEnd, sameValidator, unidentified, libcurl

    init(_ violation: ProtocolViolation) {
      self =
        switch violation {
        case .missingHead: .missingHead
        case .oversizedHead: .oversizedHead
        case .malformedHead: .malformedHead
        case .invalidContentLength: .invalidContentLength
        case .missingLocation: .missingLocation
        case .unconditionalNotModified: .unconditionalNotModified
        case .unexpectedStatus: .unexpectedStatus
        case .contentRangeInWhole: .contentRangeInWhole
        case .unaskedRange: .unaskedRange
        case .codedRange: .codedRange
        case .unusableContentRange: .unusableContentRange
        case .otherRange: .otherRange
        case .contradictoryLengths: .contradictoryLengths
        case .unknownRepresentation: .unknownRepresentation
        case .rangeBeyondEnd: .rangeBeyondEnd
        case .sameValidator: .sameValidator
        case .unidentified: .unidentified
        case .libcurl: .libcurl
        }
    }
  }

  /// One of each; all cases, for it has no payload but a pair of numbers.
  static let changes: [Sample<VersionChange>] = [
    Sample(.entityTag, "its ETag"), Sample(.lastModified, "its Last-Modified"),
    Sample(.length(20, was: 10), "from 10 to 20"), Sample(.contentCoding, "Content-Encoding"),
    Sample(.digest, "checksum"), Sample(.validators, "ETag and Last-Modified"),
  ]

  private static let violations: [Sample<ProtocolViolation>] =
    changes.map { Sample(.sameValidator($0.value), $0.facts[0]) }
    + [
      Sample(.missingHead), Sample(.oversizedHead), Sample(.malformedHead),
      Sample(.invalidContentLength, "Content-Length"), Sample(.missingLocation, "Location"),
      Sample(.unconditionalNotModified, "304"), Sample(.unexpectedStatus(204), "204"),
      Sample(.contentRangeInWhole, "200", "Content-Range"), Sample(.unaskedRange, "206"), Sample(.codedRange),
      Sample(.unusableContentRange, "206", "Content-Range"), Sample(.otherRange(start: 5, asked: 7), "5", "7"),
      Sample(.contradictoryLengths, "Content-Length", "Content-Range"), Sample(.unknownRepresentation),
      Sample(.rangeBeyondEnd), Sample(.unidentified, "ETag", "Last-Modified"),
      Sample(.libcurl(Wording.detail), Wording.detail),
    ]

  private static let details: [TransferFault] = [
    .nameLookup(Wording.detail), .unknownHost(Wording.detail), .connectFailed(Wording.detail),
    .tlsHandshake(Wording.detail),
    .tlsVerification(Wording.detail), .tlsFiles(Wording.detail), .reset(Wording.detail),
    .untrustedRedirect(Wording.detail), .proxy(Wording.detail), .local(Wording.detail),
  ]

  static let samples: [Sample<TransferFault>] =
    (100...999).map { Sample(.status($0), "\($0)") } + violations.map { Sample(.protocolViolation($0.value)) }
    + details.map { Sample($0, Wording.detail) }
    + [
      Sample(.connectRefused()), Sample(.connectRefused(by: "h:7"), "by h:7"),
      Sample(.connectRefused(by: "p:8", isProxy: true), "the proxy p:8"), Sample(.connectTimeout),
      Sample(.keptConnectionClosed), Sample(.emptyReply),
      Sample(.stalled), Sample(.shortBody), Sample(.unauthenticatedEnd, "close_notify"),
      Sample(.refusedOverHTTP1(status: 403), "403", "HTTP/1.1"),
      Sample(.foreignPage(from: "login.example"), "login.example"),
      Sample(.credentialsRefused(status: 401), "401", "refused"), Sample(.rateLimited(status: 403), "403"),
      Sample(.expiredRedirect(status: 403), "403"),
      Sample(.tooManyRedirects(20), "20"), Sample(.redirectRefused),
      Sample(.insecureRedirect(to: "http://me:secret@b/?secret"), "http://"),
      Sample(.proxyStatus(403), "proxy", "403"), Sample(.proxyStatus(502), "proxy", "502"),
      Sample(.tooLarge(limit: 4321), "4321"), Sample(.coded("gzip"), "gzip"),
      Sample(.wrongLength(expected: 11, announced: 22), "11", "22"),
      Sample(.wrongContent), Sample(.digestUnavailable),
    ]

  @Test func `exist for each fault and each violation`() {
    #expect(Set(Self.samples.map { Name($0.value) }) == Set(Name.allCases))
    #expect(Set(Self.violations.map { ViolationName($0.value) }) == Set(ViolationName.allCases))
  }

  @Test func `tell its facts`() {
    for sample in Self.samples {
      Wording.check(
        FaultMessages.message(sample.value), hint: hint(sample.value), facts: sample.facts,
        "\(sample.value)")
    }
    for sample in Self.violations {
      Wording.check(
        FaultMessages.message(.protocolViolation(sample.value)), facts: sample.facts, "\(sample.value)")
    }
    for sample in Self.changes {
      Wording.check(FaultMessages.change(sample.value), facts: sample.facts, "\(sample.value)")
    }
  }

  private func hint(_ fault: TransferFault, query: String? = nil, isSaved: Bool = false) -> String? {
    let location = Location(scheme: .https, host: "example.org", port: 443, path: "/a.iso", query: query)
    return FaultMessages.hint(fault, at: location, isSaved: isSaved)?.text(in: .command)
  }

  @Test func `say what helps`() {
    #expect(hint(.status(401))?.contains("--user") == true)
    #expect(hint(.credentialsRefused(status: 401))?.contains("--user") == true)
    #expect(hint(.status(407))?.contains("--proxy") == true)
    #expect(hint(.status(503))?.contains("later") == true && hint(.status(400)) == nil)
    #expect(hint(.tlsVerification("x"))?.contains("--cacert") == true)
    #expect(hint(.tooLarge(limit: 5))?.contains("--max-filesize") == true)
    #expect(hint(.local("x")) == nil)
    // A busy proxy may do later; one that refuses will not.
    #expect(FaultMessages.message(.proxyStatus(502)) == "cannot connect: the proxy returned 502")
    #expect(FaultMessages.message(.proxyStatus(403)) == "the proxy returned 403")
    #expect(hint(.proxyStatus(502)) == hint(.reset("x")))
    #expect(hint(.proxyStatus(403))?.contains("--no-proxy") == true)
  }

  @Test(arguments: [
    ("SSL certificate problem: certificate has expired", "clock"),
    ("SSL certificate problem: certificate is not yet valid", "clock"),
    ("SSL: no alternative certificate subject name matches target host name 'b'", "for another host"),
    ("SSL: certificate subject name 'a' does not match target host name 'b'", "for another host"),
    ("SSL certificate problem: self-signed certificate in certificate chain", "--cacert"),
    ("SSL certificate problem: unable to get local issuer certificate", "--cacert"),
  ])
  func `say what helps against the certificate's fault`(detail: String, remedy: String) {
    #expect(hint(.tlsVerification(detail))?.contains(remedy) == true)
  }

  @Test func `speak of http where the port does not speak TLS`() {
    let detail = "OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number"
    for isSaved in [false, true] {
      #expect(hint(.tlsHandshake(detail), isSaved: isSaved)?.contains("http://") == true)
      #expect(hint(.tlsHandshake("alert handshake failure"), isSaved: isSaved)?.contains("http://") == false)
    }
  }

  @Test func `say that the next run goes on only where something is saved`() {
    let faults: [TransferFault] = [
      .connectRefused(), .connectTimeout, .connectFailed("x"), .tlsHandshake("x"), .emptyReply, .reset("x"), .stalled,
      .shortBody, .proxyStatus(502),
    ]
    for fault in faults {
      #expect(hint(fault, isSaved: true) == "run the same command again to resume")
      #expect(hint(fault)?.contains("go on") == false && hint(fault)?.contains("later") == true)
    }
  }

  @Test(arguments: [
    "X-Amz-Signature=1&X-Amz-Expires=60", "Expires=1&Signature=2&Key-Pair-Id=3", "a=b&sig=x", "token=x",
    "X-Goog-Signature=1",
  ])
  func `speak of signatures where the URL has one`(query: String) {
    for status in [403, 404, 410] {
      #expect(hint(.status(status), query: query)?.contains("signed") == true)
      for other in [nil, "a=b", "signal=1", "id=sig"] {
        #expect(hint(.status(status), query: other)?.contains("signed") == false)
      }
    }
  }
}
