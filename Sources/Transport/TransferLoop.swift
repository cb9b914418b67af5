import CCurl
import CShims
package import DownloadCore
import Glibc

/// The one thread's wait for everything: sockets of all exchanges, signals, messages of other threads, time.
///
/// Two multi handles: one whose connections may be multiplexed (small files, HTTP/2), one whose connections are each
/// alone (segments of big files), because libcurl gives a pooled HTTP/2 connection even to who asked for HTTP/1.1.
package final class TransferLoop {
  private let epoll: Int32
  private var multis: [CurlMulti] = []
  private let share: UnsafeMutableRawPointer?
  private var watched: [Int32: () -> Void] = [:]
  private var exchanges: [UnsafeMutableRawPointer: Exchange] = [:]
  private var idleHandles: [IdleHandle] = []
  private let events: UnsafeMutablePointer<shim_event>
  private let settings: DownloadSettings
  private var commonHeaders: [Bool: HeaderList] = [:]
  private let resolveList: HeaderList?
  /// The proxies that may be used, as they were given, passwords and all.
  private let proxies: [String]

  /// An easy handle between two exchanges, and what it is set up for: setting all of it again would be felt.
  private struct IdleHandle {
    let handle: UnsafeMutableRawPointer
    let errorBuffer: UnsafeMutablePointer<CChar>
    let profile: ExchangeProfile?
  }

  /// Time spent in waits for events so far; what is missing to the time gone by was work.
  package private(set) var waitedTime: Duration = .zero

  private static let eventCapacity = 128

  package init(settings: DownloadSettings) {
    CurlGlobal.start()
    self.settings = settings
    epoll = shim_epoll_create()
    events = .allocate(capacity: Self.eventCapacity)
    share = curl_share_init()
    resolveList = settings.resolve.isEmpty ? nil : HeaderList(settings.resolve)
    proxies = settings.proxy.map { [$0] } ?? Self.environmentProxies
    if let share {
      _ = shim_share_data(share, CURL_LOCK_DATA_DNS)
      _ = shim_share_data(share, CURL_LOCK_DATA_SSL_SESSION)
    }
    multis = [
      CurlMulti(epoll: epoll, tag: 1, multiplexes: true, mostConnections: settings.mostKeptConnections),
      CurlMulti(epoll: epoll, tag: 2, multiplexes: false, mostConnections: settings.mostKeptConnections),
    ]
  }

  deinit {
    for exchange in exchanges.values {
      release(exchange)
      exchange.delegate = nil
    }
    multis.removeAll()
    for idle in idleHandles {
      curl_easy_cleanup(idle.handle)
      idle.errorBuffer.deallocate()
    }
    if let share { curl_share_cleanup(share) }
    events.deallocate()
    shim_close(epoll)
  }

  /// Of the variables that libcurl looks at.
  private static var environmentProxies: [String] {
    ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].compactMap { (name: String) in
      getenv(name).map { String(cString: $0) }
    }
  }

  // MARK: Exchanges

  /// Sends the request; the delegate hears of the answer from within `wait`, and is held until the exchange has ended.
  package func start(_ exchange: Exchange, options: CurlOptions, delegate: any ExchangeDelegate) {
    exchange.proxies = proxies
    exchange.delegate = delegate
    exchange.isSeparate = options.isSeparate
    let idle = idleHandles.popLast() ?? newHandle()
    let handle = idle.handle
    idle.errorBuffer.pointee = 0
    exchange.handle = handle
    exchange.errorBuffer = idle.errorBuffer
    let profile = ExchangeProfile(options, exchange.order)
    if idle.profile == nil || idle.profile != profile {
      curl_easy_reset(handle)
      configure(handle, exchange, options)
    }
    exchange.profile = profile
    address(handle, exchange)
    exchanges[handle] = exchange
    curl_multi_add_handle(multi(of: exchange).handle, handle)
  }

  /// Ends an exchange; its delegate hears nothing more. Not to be called from within its own callbacks.
  ///
  /// - Parameter closesConnection: also one that could carry others, once no other exchange is on it.
  package func stop(_ exchange: Exchange, closesConnection: Bool = false) {
    if closesConnection, let handle = exchange.handle {
      set(handle, CURLOPT_FORBID_REUSE, 1)
      // Whoever gets the handle next does not want that.
      exchange.profile = nil
    }
    // A delegate usually knows the exchange: the circle ends here.
    defer { exchange.delegate = nil }
    guard let handle = exchange.handle, exchanges.removeValue(forKey: handle) != nil else { return }
    release(exchange)
  }

  /// Hands out what was held back, and more as it comes. Not to be called from within libcurl's callbacks.
  package func unpause(_ exchange: Exchange) {
    guard exchange.isPaused, let handle = exchange.handle else { return }
    exchange.isPaused = false
    let code = curl_easy_pause(handle, Int32(CURLPAUSE_CONT))
    // Who stops at what was held back: libcurl tells only us, and would go on with the next bytes.
    if code != CURLE_OK { ended(handle, code) }
  }

  package var exchangeCount: Int { exchanges.count }

  private func multi(of exchange: Exchange) -> CurlMulti { multis[exchange.isSeparate ? 1 : 0] }

  private func newHandle() -> IdleHandle {
    let errorBuffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    // Only out of memory can fail here.
    return IdleHandle(handle: curl_easy_init()!, errorBuffer: errorBuffer, profile: nil)
  }

  private func release(_ exchange: Exchange) {
    guard let handle = exchange.handle, let errorBuffer = exchange.errorBuffer else { return }
    curl_multi_remove_handle(multi(of: exchange).handle, handle)
    exchange.handle = nil
    exchange.errorBuffer = nil
    if idleHandles.count < 64 {
      idleHandles.append(IdleHandle(handle: handle, errorBuffer: errorBuffer, profile: exchange.profile))
    } else {
      curl_easy_cleanup(handle)
      errorBuffer.deallocate()
    }
  }

  // MARK: Waiting

  /// What a descriptor is watched for.
  package enum Readiness { case readable, writable }

  /// Calls `handler` whenever the descriptor can be read, or written to.
  package func watch(_ descriptor: Int32, _ readiness: Readiness = .readable, _ handler: @escaping () -> Void) {
    let isKnown = watched.updateValue(handler, forKey: descriptor) != nil
    let what = readiness == .readable ? SHIM_READABLE : SHIM_WRITABLE
    _ = shim_epoll_set(epoll, descriptor, UInt32(what), UInt64(UInt32(bitPattern: descriptor)), isKnown ? 1 : 0)
  }

  /// Its handler is not called any more; one that is not watched is passed over.
  package func unwatch(_ descriptor: Int32) {
    guard watched.removeValue(forKey: descriptor) != nil else { return }
    _ = shim_epoll_set(epoll, descriptor, 0, 0, 1)
  }

  /// Serves events until one has been served or the time has come, and tells delegates of ended exchanges.
  package func wait(until deadline: Instant) {
    let now = Clock.now()
    let next = multis.reduce(deadline) { min($0, $1.deadline) }
    let microseconds = next == .distantFuture ? -1 : max(0, (next - now).wholeNanoseconds / 1000)
    let count = shim_epoll_wait(epoll, events, Int32(Self.eventCapacity), microseconds)
    if microseconds != 0 { waitedTime += Clock.now() - now }
    for index in 0..<max(0, Int(count)) {
      let event = events[index]
      let descriptor = Int32(truncatingIfNeeded: event.token & 0xffff_ffff)
      switch event.token >> 32 {
      case 1: multis[0].socketEvent(descriptor, event.what)
      case 2: multis[1].socketEvent(descriptor, event.what)
      default: watched[descriptor]?()
      }
    }
    let after = Clock.now()
    for multi in multis {
      // Adding a transfer in a callback asks for an immediate call: a few rounds, then the events get their turn.
      var rounds = 0
      while multi.deadline <= after, rounds < 4 {
        multi.timerEvent()
        rounds += 1
      }
      while let (handle, code) = multi.nextDone() { ended(handle, code) }
    }
  }

  private func ended(_ handle: UnsafeMutableRawPointer, _ code: CURLcode) {
    guard let exchange = exchanges.removeValue(forKey: handle) else { return }
    let result: ExchangeResult
    if let violation = exchange.violation {
      result = .failed(violation)
    } else if exchange.wasStopped {
      result = .stopped
    } else if code == CURLE_OK {
      result = exchange.completion
    } else {
      result = .failed(FaultMapping.fault(for: code, exchange.circumstances()))
    }
    release(exchange)
    exchange.delegate?.exchangeEnded(exchange, result)
    exchange.delegate = nil
  }

  // MARK: Options

  /// What differs from exchange to exchange.
  private func address(_ handle: UnsafeMutableRawPointer, _ exchange: Exchange) {
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
    set(handle, CURLOPT_URL, exchange.order.location.text)
    _ = shim_easy_set_string(handle, CURLOPT_RANGE, exchange.order.asked.rangeText)
  }

  /// What all exchanges of a profile share.
  private func configure(_ handle: UnsafeMutableRawPointer, _ exchange: Exchange, _ options: CurlOptions) {
    _ = shim_easy_set_error_buffer(handle, exchange.errorBuffer)
    set(handle, CURLOPT_NOSIGNAL, 1)
    set(handle, CURLOPT_FOLLOWLOCATION, 0)
    set(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    set(handle, CURLOPT_BUFFERSIZE, options.bufferByteCount)
    // A look-up that hangs must not hold up the end of the program.
    set(handle, CURLOPT_QUICK_EXIT, 1)
    set(handle, CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: settings.connectTimeout.wholeNanoseconds / 1_000_000))
    set(handle, CURLOPT_TCP_KEEPALIVE, 1)
    // A connection that was idle while another stalled may be as dead.
    let stallSeconds = Int(clamping: settings.stallTimeout.wholeNanoseconds / 1_000_000_000)
    set(handle, CURLOPT_MAXAGE_CONN, min(max(1, stallSeconds - 1), 118))
    setVersion(handle, exchange.order.location, options)
    if let share { _ = shim_easy_set_share(handle, share) }
    set(handle, CURLOPT_USERAGENT, settings.userAgent ?? "swiftget/\(programVersion)")
    setHeaders(handle, exchange, options)
    setTLS(handle, options)
    setRoute(handle)
  }

  private func setVersion(_ handle: UnsafeMutableRawPointer, _ location: Location, _ options: CurlOptions) {
    let version: Int
    // Without TLS nobody negotiates; to wait for the first answer there would hold all others up for nothing.
    if options.isSeparate || settings.httpVersion == .http1 || location.scheme == .http {
      version = Int(CURL_HTTP_VERSION_1_1)
    } else {
      version = Int(CURL_HTTP_VERSION_2TLS)
      // Wait for a connection that may turn out to carry many streams.
      set(handle, CURLOPT_PIPEWAIT, 1)
    }
    set(handle, CURLOPT_HTTP_VERSION, version)
  }

  private func setHeaders(_ handle: UnsafeMutableRawPointer, _ exchange: Exchange, _ options: CurlOptions) {
    let list: HeaderList
    let own = (options.isTrusted ? options.headers : []) + condition(exchange.order)
    if own.isEmpty {
      if let common = commonHeaders[options.isTrusted] {
        list = common
      } else {
        list = HeaderList(["Accept-Encoding: identity"] + (options.isTrusted ? settings.headers : []))
        commonHeaders[options.isTrusted] = list
      }
    } else {
      list = HeaderList(["Accept-Encoding: identity"] + (options.isTrusted ? settings.headers : []) + own)
    }
    exchange.headers = list
    _ = shim_easy_set_list(handle, CURLOPT_HTTPHEADER, list.list)
    guard options.isTrusted else { return }
    if let referer = settings.referer { set(handle, CURLOPT_REFERER, referer) }
    if let userinfo = options.userinfo {
      set(handle, CURLOPT_HTTPAUTH, shim_auth_basic())
      set(handle, CURLOPT_USERPWD, userinfo)
    }
    if settings.usesNetrc || settings.netrcFile != nil {
      set(handle, CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
      if let file = settings.netrcFile { set(handle, CURLOPT_NETRC_FILE, file) }
    }
  }

  /// Not `CURLOPT_TIMECONDITION`: that drops the body of a 200 whose Last-Modified is not younger.
  private func condition(_ order: TransferOrder) -> [String] {
    guard let copy = order.condition else { return [] }
    let tag = copy.entityTag.map { "If-None-Match: " + $0.text }
    return ["If-Modified-Since: " + HTTPDate.format(copy.modified)] + (tag.map { [$0] } ?? [])
  }

  private func setTLS(_ handle: UnsafeMutableRawPointer, _ options: CurlOptions) {
    // For every connection, for it may be kept and end under another exchange. Where libcurl has no OpenSSL nothing is
    // noted, and then no such end is believed.
    _ = shim_easy_note_tls_end(handle)
    if let file = settings.caFile { set(handle, CURLOPT_CAINFO, file) }
    if let path = settings.caPath { set(handle, CURLOPT_CAPATH, path) }
    if !settings.verifiesTLS {
      set(handle, CURLOPT_SSL_VERIFYPEER, 0)
      set(handle, CURLOPT_SSL_VERIFYHOST, 0)
    }
    // libcurl compares the certificate's name before it reuses a connection or resumes a session: what was made with
    // it serves trusted origins only.
    guard options.isTrusted, let certificate = settings.clientCertificate else { return }
    set(handle, CURLOPT_SSLCERT, certificate)
    if let key = settings.clientKey { set(handle, CURLOPT_SSLKEY, key) }
    // Without one OpenSSL would ask on the terminal, in the middle of the run.
    set(handle, CURLOPT_KEYPASSWD, settings.clientKeyPassword ?? "")
  }

  private func setRoute(_ handle: UnsafeMutableRawPointer) {
    if let proxy = settings.proxy { set(handle, CURLOPT_PROXY, proxy) }
    if let noProxy = settings.noProxy { set(handle, CURLOPT_NOPROXY, noProxy) }
    switch settings.addressFamily {
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
}
