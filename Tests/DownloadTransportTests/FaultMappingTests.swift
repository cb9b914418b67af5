import CSwiftGetCurl
import DownloadCore
@testable import DownloadTransport
import Testing

@Suite struct `A libcurl code` {
  /// The fault of a code, with defaults for everything else.
  private func fault(
    _ code: CURLcode, hadHead: Bool = false, isReused: Bool = false, hadConnected: Bool = false,
    systemError: Int32 = 0, proxyStatus: Int = 0, detail: String = "detail"
  ) -> TransferFault {
    FaultMapping.fault(
      for: code,
      FaultMapping.Circumstances(
        detail: detail, server: "", systemError: systemError, proxyStatus: proxyStatus, hadHead: hadHead,
        isReused: isReused,
        hadConnected: hadConnected))
  }

  /// Codes of broken connections, whose meaning depends on the progress of the exchange.
  private static let breaks: [CURLcode] = [
    CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3,
    CURLE_SSL_SHUTDOWN_FAILED, CURLE_AGAIN, CURLE_NO_CONNECTION_AVAILABLE,
  ]

  @Test func `of a broken connection depends on the progress of the exchange`() {
    for code in Self.breaks {
      #expect(fault(code, hadHead: false, isReused: true, hadConnected: true) == .keptConnectionClosed, "\(code)")
      #expect(fault(code, hadHead: false, isReused: false, hadConnected: true) == .emptyReply, "\(code)")
      #expect(fault(code, hadHead: true, isReused: true, hadConnected: true) == .reset("detail"), "\(code)")
      #expect(fault(code, hadHead: true, isReused: false, hadConnected: true) == .reset("detail"), "\(code)")
    }
  }

  @Test func `of a request on a closed connection through a proxy is that of a broken connection`() {
    let detail = "[CONN-1-0] send: no filter connected"
    #expect(fault(CURLE_FAILED_INIT, isReused: true, detail: detail) == .keptConnectionClosed)
    #expect(fault(CURLE_FAILED_INIT, detail: detail) == .emptyReply)
    #expect(fault(CURLE_FAILED_INIT, hadHead: true, detail: detail) == .reset(detail))
  }

  /// Codes whose meaning does not depend on the exchange.
  private static let fixed: [(CURLcode, TransferFault)] =
    [
      (CURLE_COULDNT_RESOLVE_HOST, .nameLookup("detail")), (CURLE_COULDNT_RESOLVE_PROXY, .nameLookup("detail")),
      (CURLE_SSL_CONNECT_ERROR, .tlsHandshake("detail")), (CURLE_QUIC_CONNECT_ERROR, .connectFailed("detail")),
      (CURLE_INTERFACE_FAILED, .connectFailed("detail")),
      (CURLE_PARTIAL_FILE, .shortBody), (CURLE_PROXY, .proxy("detail")),
    ]
    + [
      CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED,
    ].map { ($0, .tlsVerification("detail")) }
    + [
      CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_CLIENTCERT,
      CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
    ].map { ($0, .tlsFiles("detail")) }
    + [
      CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP_RETURNED_ERROR,
      CURLE_RANGE_ERROR, CURLE_FILESIZE_EXCEEDED, CURLE_BAD_FUNCTION_ARGUMENT,
    ].map { ($0, .protocolViolation(.libcurl("detail"))) }
    + [
      CURLE_FAILED_INIT, CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN, CURLE_ABORTED_BY_CALLBACK,
      CURLE_UNRECOVERABLE_POLL, CURLE_UNKNOWN_OPTION, CURLE_SETOPT_OPTION_SYNTAX,
      CURLE_RECURSIVE_API_CALL, CURLE_WRITE_ERROR, CURLE_READ_ERROR, CURLE_TOO_MANY_REDIRECTS,
    ].map { ($0, .local("detail")) }

  @Test func `usually has one meaning at any point of the exchange`() {
    for (code, expected) in Self.fixed {
      for hadHead in [false, true] {
        for isReused in [false, true] {
          #expect(fault(code, hadHead: hadHead, isReused: isReused) == expected, "\(code)")
        }
      }
    }
  }

  @Test func `has words of its own for a line that is no field`() {
    let circumstances = FaultMapping.Circumstances(
      detail: "", server: "", systemError: 0, proxyStatus: 0, hadHead: false, isReused: false, hadConnected: true)
    #expect(FaultMapping.fault(for: CURLE_BAD_FUNCTION_ARGUMENT, circumstances) == .protocolViolation(.malformedHead))
  }

  @Test func `distinguishes a refused connection from other failures`() {
    #expect(fault(CURLE_COULDNT_CONNECT, systemError: 111) == .connectRefused())
    #expect(fault(CURLE_COULDNT_CONNECT, systemError: 113) == .connectFailed("detail"))
    #expect(fault(CURLE_COULDNT_CONNECT) == .connectFailed("detail"))
  }

  @Test(
    arguments: [
      ("Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server", "127.0.0.1:9", true),
      ("Failed to connect to h.example port 3128 after 12 ms: Could not connect to server", "h.example:3128", false),
      ("Failed to connect to ::1 port 9 after 0 ms: Couldn't connect to server", "[::1]:9", true),
      ("connect to 127.0.0.1 port 9 failed: Connection refused", nil, false), ("", nil, false),
    ] as [(String, String?, Bool)])
  func `tells who refused a connection`(detail: String, address: String?, isProxy: Bool) {
    let circumstances = FaultMapping.Circumstances(
      detail: detail, server: "h.example:3128", systemError: 111, proxyStatus: 0, hadHead: false, isReused: false,
      hadConnected: false)
    #expect(
      FaultMapping.fault(for: CURLE_COULDNT_CONNECT, circumstances)
        == .connectRefused(by: address, isProxy: isProxy))
  }

  @Test(
    arguments: [
      ("DNS:a.example, DNS:*.b.example", "; the certificate is for a.example, *.b.example"),
      (
        "DNS:a, IP Address:10.0.0.1, email:x@y, IP Address:0:0:0:0:0:0:0:1, DNS:d, DNS:e",
        "; the certificate is for a, 10.0.0.1, 0:0:0:0:0:0:0:1 and 2 more"
      ),
      ("DNS:a b, DNS:\u{1b}[2J, DNS:, DNS:\(String(repeating: "a", count: 254)), othername:<unsupported>", ""),
      ("", ""),
    ])
  func `tells whom a certificate for another host is for`(alternatives: String, told: String) {
    func fault(_ detail: String) -> TransferFault {
      var circumstances = FaultMapping.Circumstances(
        detail: detail, server: "", systemError: 0, proxyStatus: 0, hadHead: false, isReused: false,
        hadConnected: false)
      circumstances.certificateNames = FaultMapping.names(inAlternatives: alternatives[...])
      return FaultMapping.fault(for: CURLE_PEER_FAILED_VERIFICATION, circumstances)
    }
    let mismatch = "SSL: no alternative certificate subject name matches target host name 'x'"
    #expect(fault(mismatch) == .tlsVerification(mismatch + told))
    let untrusted = "SSL certificate problem: self-signed certificate"
    #expect(fault(untrusted) == .tlsVerification(untrusted))
  }

  @Test func `distinguishes a timeout during connecting from a later one`() {
    #expect(fault(CURLE_OPERATION_TIMEDOUT, hadConnected: false) == .connectTimeout)
    #expect(fault(CURLE_OPERATION_TIMEDOUT, hadConnected: true) == .stalled)
  }

  @Test func `for a head beyond the limits is a protocol violation`() {
    #expect(fault(CURLE_OUT_OF_MEMORY) == .protocolViolation(.oversizedHead))
    #expect(fault(CURLE_OUT_OF_MEMORY, hadHead: true) == .local("detail"))
    #expect(fault(Self.tooLarge) == .protocolViolation(.libcurl("detail")))
  }

  /// CURLE_TOO_LARGE of newer versions.
  private static let tooLarge = CURLcode(rawValue: 100)

  @Test func `for a tunnel is the proxy's answer`() {
    for code in [CURLE_RECV_ERROR, CURLE_COULDNT_CONNECT, CURLE_PROXY] {
      #expect(fault(code, proxyStatus: 407) == .status(407))
      #expect(fault(code, proxyStatus: 403) == .proxyStatus(403))
      #expect(fault(code, proxyStatus: 502) == .proxyStatus(502))
    }
    // The tunnel was established, so the broken connection is behind it.
    #expect(fault(CURLE_RECV_ERROR, proxyStatus: 200) == .emptyReply)
    #expect(fault(CURLE_RECV_ERROR, hadHead: true, proxyStatus: 200) == .reset("detail"))
  }

  @Test func `without a detail has libcurl's description`() {
    #expect(fault(CURLE_COULDNT_RESOLVE_HOST, detail: "") == .nameLookup("Couldn't resolve host name"))
  }

  @Test func `is always mapped, and no mapping retries forever`() {
    // Includes codes beyond the last one, which a newer libcurl may define.
    for number in 1..<CURL_LAST.rawValue + 20 {
      for hadHead in [false, true] {
        for isReused in [false, true] {
          let code = CURLcode(rawValue: number)
          let found = fault(code, hadHead: hadHead, isReused: isReused, hadConnected: true)
          let isListed =
            Self.breaks.contains(code) || Self.fixed.contains { $0.0 == code }
            || [CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT, CURLE_OUT_OF_MEMORY, Self.tooLarge].contains(code)
          // Codes that HTTP never returns are local failures and not retried.
          if !isListed { #expect(found.kind == .permanent && found.code == .other, "\(number): \(found)") }
          // Only a kept connection without an answer is repeated without counting.
          if found.kind == .unanswered { #expect(isReused && !hadHead) }
        }
      }
    }
  }
}
