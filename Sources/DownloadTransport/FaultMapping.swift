import CSwiftGetCurl
import CSwiftGetShims
import DownloadCore
import Glibc

/// Maps libcurl's result of a transfer to a `TransferFault`.
enum FaultMapping {
  /// The state of the transfer at its end.
  struct Circumstances {
    var detail: String
    /// `host:port` of the URL.
    var server: String
    /// The errno of the failed connect; 0 where there was none.
    var systemError: Int32
    /// Whom the peer's certificate is for.
    var certificateNames: [String] = []
    /// The proxy's status for CONNECT; 0 without a tunnel.
    var proxyStatus: Int
    var hadHead: Bool
    /// The connection had served an earlier request, and this request was sent on it.
    var isReused: Bool
    /// The connection was established, TLS included.
    var hadConnected: Bool
  }

  /// CURLE_TOO_LARGE, which libcurl 7.88 does not define yet.
  private static let tooLarge = CURLcode(rawValue: 100)

  static func fault(for code: CURLcode, _ at: Circumstances) -> TransferFault {
    let detail = at.detail.isEmpty ? String(cString: curl_easy_strerror(code)) : at.detail
    // Without a tunnel there was no exchange with the origin. libcurl reports a failed receive.
    switch at.proxyStatus {
    case 407: return .status(407)
    case 300...599: return .proxyStatus(at.proxyStatus)
    default: break
    }
    switch code {
    // libcurl reports a header line beyond its limit like this. Linux does not report real shortage of memory here.
    case CURLE_OUT_OF_MEMORY where !at.hadHead: return .protocolViolation(.oversizedHead)
    // From libcurl 8.3 on it says so.
    case CURLE_RECV_ERROR where detail.hasPrefix("Too large response headers"):
      return .protocolViolation(.oversizedHead)
    case tooLarge: return .protocolViolation(.libcurl(detail))
    case CURLE_COULDNT_RESOLVE_HOST: return .nameLookup(detail)
    case CURLE_COULDNT_RESOLVE_PROXY: return .nameLookup(detail)
    case CURLE_COULDNT_CONNECT:
      guard at.systemError == ECONNREFUSED else { return .connectFailed(detail) }
      let address = address(in: detail)
      return .connectRefused(by: address, isProxy: address != nil && address != at.server)
    case CURLE_OPERATION_TIMEDOUT: return at.hadConnected ? .stalled : .connectTimeout
    case CURLE_SSL_CONNECT_ERROR: return .tlsHandshake(detail)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED:
      return .tlsVerification(detail + owners(at))
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_CLIENTCERT,
      CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED:
      return .tlsFiles(detail)
    case CURLE_PARTIAL_FILE: return .shortBody
    case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3,
      CURLE_SSL_SHUTDOWN_FAILED, CURLE_AGAIN, CURLE_NO_CONNECTION_AVAILABLE:
      return broken(at, detail)
    // libcurl 7.88 sends a request on a connection of HTTP/2 through a proxy that the server has just closed.
    case CURLE_FAILED_INIT where detail.contains("no filter connected"): return broken(at, detail)
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP_RETURNED_ERROR,
      CURLE_RANGE_ERROR, CURLE_FILESIZE_EXCEEDED:
      return .protocolViolation(.libcurl(detail))
    // From `Curl_headers_push` (7.88), for a line that is no field. The default words speak of a function's argument.
    case CURLE_BAD_FUNCTION_ARGUMENT:
      return .protocolViolation(at.detail.isEmpty ? .malformedHead : .libcurl(detail))
    case CURLE_QUIC_CONNECT_ERROR, CURLE_INTERFACE_FAILED: return .connectFailed(detail)
    case CURLE_PROXY: return .proxy(detail)
    default: return .local(detail)
    }
  }

  private static func broken(_ at: Circumstances, _ detail: String) -> TransferFault {
    if at.hadHead { return .reset(detail) }
    return at.isReused ? .keptConnectionClosed : .emptyReply
  }

  /// Whom the certificate is for, where libcurl only says whom it is not for.
  private static func owners(_ at: Circumstances) -> String {
    guard at.detail.contains("no alternative certificate subject name"), !at.certificateNames.isEmpty else { return "" }
    let rest = at.certificateNames.count - shownNameCount
    return "; the certificate is for " + at.certificateNames.prefix(shownNameCount).joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more" : "")
  }

  private static let shownNameCount = 3

  /// The names in a certificate's property `X509v3 Subject Alternative Name`, which has the form `DNS:a, IP Address:b`
  /// (x509v3_config(5)). The server chose them: only what looks like a host or an address is taken.
  static func names(inAlternatives value: Substring) -> [String] {
    value.split(separator: ",").compactMap { entry in
      let parts = entry.drop { $0 == " " }.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, parts[0] == "DNS" || parts[0] == "IP Address", parts[1].utf8.count <= 253 else {
        return nil
      }
      let isPlain = parts[1].utf8.allSatisfy { $0.isLetter || $0.isDigit || Array("*.-_:".utf8).contains($0) }
      return isPlain ? String(parts[1]) : nil
    }
  }

  /// The host and port in libcurl's words `Failed to connect to HOST port PORT after 3 ms: …`, which name the proxy where
  /// it was the proxy. No property of the handle tells the address of a failed connect.
  private static func address(in detail: String) -> String? {
    let words = detail.split(separator: " ")
    guard detail.hasPrefix("Failed to connect to "), words.count > 6, words[5] == "port" else { return nil }
    let isAddress = words[4].contains(":") && !words[4].hasPrefix("[")
    return (isAddress ? "[\(words[4])]" : String(words[4])) + ":\(words[6])"
  }
}
