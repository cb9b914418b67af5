import CSwiftGetCurl
import CSwiftGetShims
import DownloadCore

/// The one place where options of libcurl's easy handles are set.
final class CurlOptions {
  private let transport: TransportSettings
  private let secrets: Secrets
  private let share: UnsafeMutableRawPointer?
  /// Tells one set of options from those that it replaces.
  let number: Int
  /// Of exchanges without individual headers, by whether the origin is trusted.
  private var commonHeaders: [Bool: Headers] = [:]
  private let resolveList: HeaderList?
  /// Nil where neither the user nor the environment names hosts.
  private let noProxy: NoProxy?

  /// Header lines, and the values of Cookie lines, which libcurl joins with the cookies that it sends by itself.
  private struct Headers {
    let list: HeaderList
    let cookies: String

    init(_ lines: [String]) {
      list = HeaderList(["Accept-Encoding: identity"] + lines.filter { Self.cookies(in: $0) == nil })
      // A request has one Cookie field (RFC 6265, section 5.4).
      cookies = lines.compactMap(Self.cookies).filter { !$0.isEmpty }.joined(separator: "; ")
    }

    /// The value of a line that is a Cookie field.
    static func cookies(in line: String) -> String? {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0].lowercased() == "cookie" else { return nil }
      let blanks: [Character] = [" ", "\t"]
      return String(parts[1].drop { blanks.contains($0) })
    }
  }

  /// - Parameter share: libcurl's share handle for the DNS cache and TLS sessions.
  init(_ transport: TransportSettings, _ secrets: Secrets, share: UnsafeMutableRawPointer?, number: Int = 0) {
    self.number = number
    self.transport = transport
    self.secrets = secrets
    self.share = share
    noProxy = NoProxy.named(by: transport.noProxy, value: ProxyVariables.ofProcess)
    resolveList = transport.resolve.isEmpty ? nil : HeaderList(transport.resolve)
  }

  static func reset(_ handle: UnsafeMutableRawPointer) {
    // libcurl 7.88 would forget the list of cookie files without freeing it.
    _ = shim_easy_set_string(handle, CURLOPT_COOKIEFILE, nil)
    curl_easy_reset(handle)
  }

  /// Sets what differs from exchange to exchange: the URL, the range and the callbacks.
  static func address(_ handle: UnsafeMutableRawPointer, to exchange: Exchange) {
    let context = Unmanaged.passUnretained(exchange).toOpaque()
    _ = shim_easy_set_write(
      handle,
      { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        return Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
          .body(UnsafeRawBufferPointer(start: bytes, count: size * count))
      }, context)
    _ = shim_easy_set_header(
      handle,
      { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().headerLine(line) ? line.count : 0
      }, context)
    _ = shim_easy_set_string(handle, CURLOPT_URL, exchange.order.location.text)
    _ = shim_easy_set_string(handle, CURLOPT_RANGE, exchange.order.asked.rangeText)
    if exchange.order.purpose == .head { _ = shim_easy_set_long(handle, CURLOPT_NOBODY, 1) }
  }

  /// Sets what all exchanges of a profile share, on a handle that was reset.
  ///
  /// - Returns: the header lines, which `setCondition` sets.
  func configure(
    _ easy: EasyHandle, for order: TransferOrder, _ options: ExchangeOptions, usesDigest: Bool
  ) -> HeaderList {
    let handle = easy.handle
    _ = shim_easy_set_error_buffer(handle, easy.errorBuffer)
    _ = shim_easy_set_close_on_exec(handle)
    set(handle, CURLOPT_NOSIGNAL, 1)
    set(handle, CURLOPT_FOLLOWLOCATION, 0)
    set(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    set(handle, CURLOPT_BUFFERSIZE, options.bufferByteCount)
    // A look-up that hangs must not hold up the end of the program.
    set(handle, CURLOPT_QUICK_EXIT, 1)
    let connectTimeout = options.task.settings?.connectTimeout ?? transport.connectTimeout
    set(handle, CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: connectTimeout.wholeNanoseconds / 1_000_000))
    set(handle, CURLOPT_TCP_KEEPALIVE, 1)
    // A connection that was idle while another stalled may be as dead.
    let stallSeconds = Int(clamping: transport.stallTimeout.wholeNanoseconds / 1_000_000_000)
    set(handle, CURLOPT_MAXAGE_CONN, min(max(1, stallSeconds - 1), 118))
    setVersion(handle, order.location, options)
    if let share { _ = shim_easy_set_share(handle, share) }
    // No file: this turns the cookie engine on, which libcurl does not do for shared cookies alone.
    if secrets.cookies != nil { set(handle, CURLOPT_COOKIEFILE, "") }
    set(
      handle, CURLOPT_USERAGENT, options.task.settings?.userAgent ?? transport.userAgent ?? "swiftget/\(programVersion)"
    )
    setTLS(handle, options)
    setRoute(handle, bypassesProxy: bypassesProxy(order.location), options)
    setCredentials(handle, options, usesDigest: usesDigest)
    return commonHeaders(handle, options)
  }

  private func setVersion(_ handle: UnsafeMutableRawPointer, _ location: Location, _ options: ExchangeOptions) {
    let version: Int
    // Without TLS there is no negotiation, so waiting for the first answer would only delay the others.
    if options.isSeparate || transport.httpVersion == .http1 || !location.scheme.isEncrypted {
      version = Int(CURL_HTTP_VERSION_1_1)
    } else {
      version = Int(CURL_HTTP_VERSION_2TLS)
      // Wait for a connection that may turn out to carry many streams.
      set(handle, CURLOPT_PIPEWAIT, 1)
    }
    set(handle, CURLOPT_HTTP_VERSION, version)
  }

  private func commonHeaders(_ handle: UnsafeMutableRawPointer, _ options: ExchangeOptions) -> HeaderList {
    let headers: Headers
    let (own, hosts) = options.isTrusted ? (options.headers, options.hostHeaders) : ([], [])
    let isCommon = own.isEmpty && hosts.isEmpty
    if isCommon, let common = commonHeaders[options.isTrusted] {
      headers = common
    } else {
      let run = options.isTrusted ? transport.headers.without(hosts) : []
      // A server takes the first of two Authorization fields. Cookies are joined.
      headers = Headers((run + hosts).without(own.filter { Headers.cookies(in: $0) == nil }) + own)
      if isCommon { commonHeaders[options.isTrusted] = headers }
    }
    let cookies = [Array(headers.cookies.utf8), options.cookies ?? []].filter { !$0.isEmpty }
    if !cookies.isEmpty { set(handle, CURLOPT_COOKIE, Array(cookies.joined(separator: Array("; ".utf8)))) }
    if options.isTrusted, let referer = transport.referer { set(handle, CURLOPT_REFERER, referer) }
    return headers.list
  }

  private func setCredentials(_ handle: UnsafeMutableRawPointer, _ options: ExchangeOptions, usesDigest: Bool) {
    guard let credentials = options.credentials else { return }
    // With both, libcurl sends no credentials before it has a challenge.
    set(handle, CURLOPT_HTTPAUTH, usesDigest ? shim_auth_basic_or_digest() : shim_auth_basic())
    set(handle, CURLOPT_USERNAME, credentials.name)
    set(handle, CURLOPT_PASSWORD, credentials.password)
  }

  /// Sets the header lines of the handle's profile, after those of the exchange's condition if it has one.
  ///
  /// Not `CURLOPT_TIMECONDITION`: that drops the body of a 200 whose Last-Modified is not younger.
  static func setCondition(of order: TransferOrder, on easy: inout EasyHandle) {
    var headers = easy.commonHeaders
    if let copy = order.condition {
      // The tag's octets need not be UTF-8.
      let tag = copy.entityTag.map { [Array("If-None-Match: ".utf8) + $0.bytes] } ?? []
      headers = HeaderList(
        [Array("If-Modified-Since: ".utf8) + Array(HTTPDate.format(copy.modified).utf8)] + tag, before: headers)
    }
    guard headers !== easy.headers else { return }
    // First, because libcurl must not be left with a list that is gone.
    _ = shim_easy_set_list(easy.handle, CURLOPT_HTTPHEADER, headers?.list)
    easy.headers = headers
  }

  private func setTLS(_ handle: UnsafeMutableRawPointer, _ options: ExchangeOptions) {
    // For every connection, for it may be kept and end under another exchange. Where libcurl has no OpenSSL nothing is
    // noted, and then no such end is believed.
    _ = shim_easy_note_tls_end(handle)
    if let file = transport.caFile { set(handle, CURLOPT_CAINFO, file) }
    if let path = transport.caPath { set(handle, CURLOPT_CAPATH, path) }
    // Once for each connection: only this tells whose certificate it is that does not fit.
    if transport.verifiesTLS {
      set(handle, CURLOPT_CERTINFO, 1)
    } else {
      set(handle, CURLOPT_SSL_VERIFYPEER, 0)
      set(handle, CURLOPT_SSL_VERIFYHOST, 0)
    }
    // libcurl compares the certificate's name before it reuses a connection or resumes a session: what was made with
    // it serves trusted origins only.
    guard options.isTrusted, let certificate = transport.clientCertificate else { return }
    set(handle, CURLOPT_SSLCERT, certificate)
    if let key = transport.clientKey { set(handle, CURLOPT_SSLKEY, key) }
    // Without one OpenSSL would ask on the terminal, in the middle of the run.
    set(handle, CURLOPT_KEYPASSWD, secrets.clientKeyPassword ?? "")
  }

  /// Whether no proxy is used for the URL; nil where no list says anything.
  func bypassesProxy(_ location: Location) -> Bool? { noProxy?.covers(location.host) }

  private func setRoute(_ handle: UnsafeMutableRawPointer, bypassesProxy: Bool?, _ options: ExchangeOptions) {
    if let proxy = options.task.settings?.proxy ?? transport.proxy { set(handle, CURLOPT_PROXY, proxy) }
    if let interface = options.task.settings?.interface ?? transport.interface {
      // Without a prefix libcurl would take a mistyped one for the name of a host, and look that up.
      set(handle, CURLOPT_INTERFACE, (NetworkInterface.isAddress(interface) ? "host!" : "if!") + interface)
    }
    if let file = transport.proxyCAFile { set(handle, CURLOPT_PROXY_CAINFO, file) }
    if !transport.verifiesProxyTLS {
      set(handle, CURLOPT_PROXY_SSL_VERIFYPEER, 0)
      set(handle, CURLOPT_PROXY_SSL_VERIFYHOST, 0)
    }
    // An empty list keeps libcurl from its own reading of the environment's.
    if let bypassesProxy { set(handle, CURLOPT_NOPROXY, bypassesProxy ? "*" : "") }
    switch transport.addressFamily == .any ? options.addressFamily : transport.addressFamily {
    case .any: break
    case .ipv4: set(handle, CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
    case .ipv6: set(handle, CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
    }
    if let resolveList { _ = shim_easy_set_list(handle, CURLOPT_RESOLVE, resolveList.list) }
  }

  private func set(_ handle: UnsafeMutableRawPointer, _ option: CURLoption, _ value: Int) {
    _ = shim_easy_set_long(handle, option, value)
  }

  private func set(_ handle: UnsafeMutableRawPointer, _ option: CURLoption, _ value: String) {
    _ = shim_easy_set_string(handle, option, value)
  }

  /// - Parameter value: bytes without NUL.
  private func set(_ handle: UnsafeMutableRawPointer, _ option: CURLoption, _ value: [UInt8]) {
    (value + [0]).withUnsafeBytes {
      _ = shim_easy_set_string(handle, option, $0.assumingMemoryBound(to: CChar.self).baseAddress)
    }
  }
}
