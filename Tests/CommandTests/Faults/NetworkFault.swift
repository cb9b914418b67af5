import CSwiftGetCurl

@testable import DownloadCore
@testable import DownloadTransport

/// The consequences of a libcurl code. The table has a row for each code.
struct NetworkFault: Sendable {
  /// The progress of the exchange, where it matters.
  enum Moment: Sendable { case any, refused, connecting, kept, new, answering }
  enum Decision: Sendable {
    /// The request is repeated on another connection and not counted as an attempt.
    case atOnce
    /// The host is probed while its files wait.
    case host
    /// Resumed after a pause, then from another mirror.
    case again
    /// Another mirror, or the failure of the item.
    case never
  }

  let code: CURLcode
  let moment: Moment
  let decision: Decision
  /// The exit status of the run.
  let status: Int32
  /// The message, with `detail` in place of libcurl's text.
  let message: String
  let hint: String?
  /// How it is tested: `program: NAME` is a row of `ProvokedFault.table`; a test class that covers it; or `driven: WHY`
  /// if no server can cause it, so that only the mapping is tested.
  let provoked: String

  init(
    _ code: CURLcode, _ moment: Moment, _ decision: Decision, _ status: Int32, _ message: String, hint: String?,
    _ provoked: String
  ) {
    self.code = code
    self.moment = moment
    self.decision = decision
    self.status = status
    self.message = message
    self.hint = hint
    self.provoked = provoked
  }

  /// What libcurl knows at that point.
  var circumstances: FaultMapping.Circumstances {
    FaultMapping.Circumstances(
      detail: "detail", server: "", systemError: moment == .refused ? 111 : 0, proxyStatus: 0,
      hadHead: moment == .answering,
      isReused: moment == .kept, hadConnected: moment != .connecting)
  }

  /// CURLE_TOO_LARGE, which older headers lack.
  static let tooLarge = CURLcode(rawValue: 100)
  private static let goOn = "run the same command again to resume"
  private static let lookUp = "check the host name and the network, then run the same command again"
  private static let trust = "if your own CA signed the certificate, give the CA file with --cacert"
  private static let files = "check the files given with --cacert, --capath, --cert and --key"
  private static let proxy = "check --proxy, or use --no-proxy to connect directly"

  // swift-format-ignore
  static let table: [NetworkFault] = [
    .init(CURLE_COULDNT_RESOLVE_HOST, .any, .host, 4, "name lookup failed: detail", hint: lookUp,
          "program: no such name"),
    .init(CURLE_COULDNT_RESOLVE_PROXY, .any, .host, 4, "name lookup failed: detail", hint: lookUp,
          "program: no such proxy"),
    .init(CURLE_COULDNT_CONNECT, .refused, .host, 4, "connection refused", hint: goOn,
          "program: a port without a listener"),
    .init(CURLE_COULDNT_CONNECT, .any, .host, 4, "cannot connect: detail", hint: goOn,
          "driven: needs a network without a route"),
    .init(CURLE_QUIC_CONNECT_ERROR, .any, .host, 4, "cannot connect: detail", hint: goOn,
          "driven: HTTP/3 is not asked for"),
    .init(CURLE_INTERFACE_FAILED, .any, .host, 4, "cannot connect: detail", hint: goOn, "InterfaceTests"),
    .init(CURLE_OPERATION_TIMEDOUT, .connecting, .host, 4, "connection timed out", hint: goOn,
          "TransferLoopTests, NetworkLossTests"),
    .init(CURLE_OPERATION_TIMEDOUT, .answering, .again, 4, "no data received within the stall timeout", hint: goOn,
          "program: a silent server"),
    .init(CURLE_SSL_CONNECT_ERROR, .any, .host, 4, "TLS handshake failed: detail", hint: goOn,
          "program: https to a plain server"),
    .init(CURLE_PEER_FAILED_VERIFICATION, .any, .never, 5, "TLS verification failed: detail", hint: trust,
          "program: an untrusted certificate"),
    .init(CURLE_SSL_ISSUER_ERROR, .any, .never, 5, "TLS verification failed: detail", hint: trust,
          "driven: no option of ours asks for it"),
    .init(CURLE_SSL_PINNEDPUBKEYNOTMATCH, .any, .never, 5, "TLS verification failed: detail", hint: trust,
          "driven: no option of ours asks for it"),
    .init(CURLE_SSL_INVALIDCERTSTATUS, .any, .never, 5, "TLS verification failed: detail", hint: trust,
          "driven: no option of ours asks for it"),
    .init(CURLE_SSL_CIPHER, .any, .never, 5, "TLS verification failed: detail", hint: trust,
          "driven: no option of ours asks for it"),
    .init(CURLE_USE_SSL_FAILED, .any, .never, 5, "TLS verification failed: detail", hint: trust,
          "driven: no option of ours asks for it"),
    .init(CURLE_SSL_CACERT_BADFILE, .any, .never, 5, "cannot use a certificate or key: detail", hint: files,
          "program: --cacert without a certificate"),
    .init(CURLE_SSL_CERTPROBLEM, .any, .never, 5, "cannot use a certificate or key: detail", hint: files,
          "program: --cert without a certificate"),
    .init(CURLE_SSL_CRL_BADFILE, .any, .never, 5, "cannot use a certificate or key: detail", hint: files,
          "driven: no option of ours asks for it"),
    .init(CURLE_SSL_CLIENTCERT, .any, .never, 5, "cannot use a certificate or key: detail", hint: files,
          "driven: no option of ours asks for it"),
    .init(CURLE_SSL_ENGINE_NOTFOUND, .any, .never, 5, "cannot use a certificate or key: detail", hint: files,
          "driven: no option of ours asks for it"),
    .init(CURLE_SSL_ENGINE_SETFAILED, .any, .never, 5, "cannot use a certificate or key: detail", hint: files,
          "driven: no option of ours asks for it"),
    .init(CURLE_SSL_ENGINE_INITFAILED, .any, .never, 5, "cannot use a certificate or key: detail", hint: files,
          "driven: no option of ours asks for it"),
    .init(CURLE_PARTIAL_FILE, .any, .again, 4, "the transfer ended before the end of the file", hint: goOn,
          "program: a body that is cut"),
    .init(CURLE_GOT_NOTHING, .kept, .atOnce, 4, "the server closed a reused connection", hint: nil, "TransferLoopTests"),
    .init(CURLE_GOT_NOTHING, .new, .again, 4, "the server closed the connection without a response", hint: goOn,
          "program: closed without an answer"),
    .init(CURLE_GOT_NOTHING, .answering, .again, 4, "connection lost: detail", hint: goOn,
          "program: closed without an answer"),
    .init(CURLE_SEND_ERROR, .kept, .atOnce, 4, "the server closed a reused connection", hint: nil,
          "driven: a race with the close"),
    .init(CURLE_SEND_ERROR, .new, .again, 4, "the server closed the connection without a response", hint: goOn,
          "driven: a race with the close"),
    .init(CURLE_SEND_ERROR, .answering, .again, 4, "connection lost: detail", hint: goOn,
          "driven: a race with the close"),
    .init(CURLE_RECV_ERROR, .kept, .atOnce, 4, "the server closed a reused connection", hint: nil, "TransferLoopTests"),
    .init(CURLE_RECV_ERROR, .new, .again, 4, "the server closed the connection without a response", hint: goOn,
          "program: reset in the body"),
    .init(CURLE_RECV_ERROR, .answering, .again, 4, "connection lost: detail", hint: goOn,
          "program: reset in the body"),
    .init(CURLE_HTTP2, .kept, .atOnce, 4, "the server closed a reused connection", hint: nil,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_HTTP2, .new, .again, 4, "the server closed the connection without a response", hint: goOn,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_HTTP2, .answering, .again, 4, "connection lost: detail", hint: goOn,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_HTTP2_STREAM, .kept, .atOnce, 4, "the server closed a reused connection", hint: nil,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_HTTP2_STREAM, .new, .again, 4, "the server closed the connection without a response", hint: goOn,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_HTTP2_STREAM, .answering, .again, 4, "connection lost: detail", hint: goOn,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_HTTP3, .kept, .atOnce, 4, "the server closed a reused connection", hint: nil,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_HTTP3, .new, .again, 4, "the server closed the connection without a response", hint: goOn,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_HTTP3, .answering, .again, 4, "connection lost: detail", hint: goOn,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_SSL_SHUTDOWN_FAILED, .kept, .atOnce, 4, "the server closed a reused connection", hint: nil,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_SSL_SHUTDOWN_FAILED, .new, .again, 4, "the server closed the connection without a response", hint: goOn,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_SSL_SHUTDOWN_FAILED, .answering, .again, 4, "connection lost: detail", hint: goOn,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_AGAIN, .kept, .atOnce, 4, "the server closed a reused connection", hint: nil,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_AGAIN, .new, .again, 4, "the server closed the connection without a response", hint: goOn,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_AGAIN, .answering, .again, 4, "connection lost: detail", hint: goOn,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_NO_CONNECTION_AVAILABLE, .kept, .atOnce, 4, "the server closed a reused connection", hint: nil,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_NO_CONNECTION_AVAILABLE, .new, .again, 4, "the server closed the connection without a response", hint: goOn,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_NO_CONNECTION_AVAILABLE, .answering, .again, 4, "connection lost: detail", hint: goOn,
          "driven: no HTTP/1.1 server provokes it at will"),
    .init(CURLE_OUT_OF_MEMORY, .new, .never, 7, "invalid response from the server: response headers too large", hint: nil,
          "AnswerTests: a line that never ends"),
    .init(CURLE_OUT_OF_MEMORY, .answering, .never, 1, "libcurl: detail", hint: nil,
          "driven: memory does not run out like this on Linux"),
    .init(CURLE_WEIRD_SERVER_REPLY, .any, .again, 7, "invalid response from the server: detail", hint: nil,
          "program: another protocol"),
    .init(CURLE_UNSUPPORTED_PROTOCOL, .any, .again, 7, "invalid response from the server: detail", hint: nil,
          "program: HTTP/0.9"),
    .init(CURLE_BAD_CONTENT_ENCODING, .any, .again, 7, "invalid response from the server: detail", hint: nil,
          "driven: no body is decoded"),
    .init(CURLE_HTTP_RETURNED_ERROR, .any, .again, 7, "invalid response from the server: detail", hint: nil,
          "driven: we judge the status"),
    .init(CURLE_RANGE_ERROR, .any, .again, 7, "invalid response from the server: detail", hint: nil,
          "driven: we judge ranges"),
    .init(CURLE_FILESIZE_EXCEEDED, .any, .again, 7, "invalid response from the server: detail", hint: nil,
          "driven: we judge lengths"),
    .init(CURLE_BAD_FUNCTION_ARGUMENT, .any, .again, 7, "invalid response from the server: detail", hint: nil,
          "AnswerTests: a line without a colon, by some versions"),
    .init(tooLarge, .any, .again, 7, "invalid response from the server: detail", hint: nil,
          "driven: newer versions of libcurl only"),
    .init(CURLE_PROXY, .any, .never, 4, "proxy: detail", hint: proxy, "driven: no SOCKS server among the tests"),
    .init(CURLE_FAILED_INIT, .any, .never, 1, "libcurl: detail", hint: nil, "driven: our own fault, or the system's"),
    .init(CURLE_URL_MALFORMAT, .any, .never, 1, "libcurl: detail", hint: nil, "driven: our own fault, or the system's"),
    .init(CURLE_NOT_BUILT_IN, .any, .never, 1, "libcurl: detail", hint: nil, "driven: our own fault, or the system's"),
    .init(CURLE_WRITE_ERROR, .any, .never, 1, "libcurl: detail", hint: nil, "driven: our own fault, or the system's"),
    .init(CURLE_READ_ERROR, .any, .never, 1, "libcurl: detail", hint: nil, "driven: our own fault, or the system's"),
    .init(CURLE_ABORTED_BY_CALLBACK, .any, .never, 1, "libcurl: detail", hint: nil,
          "driven: our own fault, or the system's"),
    .init(CURLE_TOO_MANY_REDIRECTS, .any, .never, 1, "libcurl: detail", hint: nil,
          "driven: our own fault, or the system's"),
    .init(CURLE_UNKNOWN_OPTION, .any, .never, 1, "libcurl: detail", hint: nil,
          "driven: our own fault, or the system's"),
    .init(CURLE_SETOPT_OPTION_SYNTAX, .any, .never, 1, "libcurl: detail", hint: nil,
          "driven: our own fault, or the system's"),
    .init(CURLE_RECURSIVE_API_CALL, .any, .never, 1, "libcurl: detail", hint: nil,
          "driven: our own fault, or the system's"),
    .init(CURLE_AUTH_ERROR, .any, .never, 1, "libcurl: detail", hint: nil, "driven: our own fault, or the system's"),
    .init(CURLE_UNRECOVERABLE_POLL, .any, .never, 1, "libcurl: detail", hint: nil,
          "driven: our own fault, or the system's"),
    .init(CURLE_REMOTE_ACCESS_DENIED, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_FTP_ACCEPT_FAILED, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_FTP_WEIRD_PASS_REPLY, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_FTP_ACCEPT_TIMEOUT, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_FTP_WEIRD_PASV_REPLY, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_FTP_WEIRD_227_FORMAT, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_FTP_CANT_GET_HOST, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_FTP_COULDNT_SET_TYPE, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_FTP_COULDNT_RETR_FILE, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_OBSOLETE20, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_QUOTE_ERROR, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_OBSOLETE24, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_UPLOAD_FAILED, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_OBSOLETE29, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_FTP_PORT_FAILED, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_FTP_COULDNT_USE_REST, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_OBSOLETE32, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_HTTP_POST_ERROR, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_BAD_DOWNLOAD_RESUME, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_FILE_COULDNT_READ_FILE, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_LDAP_CANNOT_BIND, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_LDAP_SEARCH_FAILED, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_OBSOLETE40, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_FUNCTION_NOT_FOUND, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_OBSOLETE44, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_OBSOLETE46, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_OBSOLETE50, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_OBSOLETE51, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_OBSOLETE57, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_OBSOLETE62, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_SEND_FAIL_REWIND, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_LOGIN_DENIED, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_TFTP_NOTFOUND, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_TFTP_PERM, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_REMOTE_DISK_FULL, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_TFTP_ILLEGAL, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_TFTP_UNKNOWNID, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_REMOTE_FILE_EXISTS, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_TFTP_NOSUCHUSER, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_OBSOLETE75, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_OBSOLETE76, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_REMOTE_FILE_NOT_FOUND, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_SSH, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_FTP_PRET_FAILED, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_RTSP_CSEQ_ERROR, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_RTSP_SESSION_ERROR, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_FTP_BAD_FILE_LIST, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
    .init(CURLE_CHUNK_FAILED, .any, .never, 1, "libcurl: detail", hint: nil, "driven: never of HTTP"),
  ]
}
