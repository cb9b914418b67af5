import CSwiftGetCurl
import CSwiftGetShims
package import DownloadCore
import Glibc

/// The one thread's wait for everything: sockets of all exchanges, signals, messages of other threads, time.
///
/// Each multi handle has connections of its own. In one they may be multiplexed (small files, HTTP/2), in one each is
/// alone (segments of big files), because libcurl reuses an HTTP/2 connection even for HTTP/1.1. Further ones come into
/// being for distant hosts: libcurl 7.88 uses one multiplexed connection of a multi handle as far as it goes, and then
/// opens one for each exchange.
package final class TransferLoop {
  private let epoll: Int32
  private let interests: EpollInterests
  /// Those of `CurlMulti`'s indices, then further ones. The tag of each is its index and one.
  private var multis: [CurlMulti] = []
  private var mostConnections: Int
  private let share: UnsafeMutableRawPointer?
  /// Nil where the run keeps no cookies.
  private let cookieStore: CookieStore?
  private var watched: [Int32: () -> Void] = [:]
  private var exchanges: [UnsafeMutableRawPointer: Exchange] = [:]
  private var idleHandles: [EasyHandle] = []
  private let events: UnsafeMutablePointer<shim_event>
  private var options: CurlOptions
  /// Servers that have asked for Digest instead of Basic.
  private var digestOrigins: Set<Origin> = []
  /// The proxies that may be used, as they were given, passwords and all.
  private var proxies: [String]

  /// Time spent in waits for events so far; what is missing to the time gone by was work.
  package private(set) var waitedTime: Duration = .zero

  /// Multiplexed connections that the exchanges with a distant host are spread over.
  private static let spreadCount = 4
  /// Exchanges that may wait for a connection that is still being made.
  private static let pioneerCount = 6
  private static let eventCapacity = 128
  private static let mostIdleHandles = 64

  package init(_ transport: TransportSettings = TransportSettings(), _ secrets: Secrets = Secrets()) {
    CurlGlobal.start()
    epoll = shim_epoll_create()
    interests = EpollInterests(epoll: epoll)
    events = .allocate(capacity: Self.eventCapacity)
    share = curl_share_init()
    options = CurlOptions(transport, secrets, share: share)
    proxies = Self.proxies(transport)
    if let share {
      _ = shim_share_data(share, CURL_LOCK_DATA_DNS)
      _ = shim_share_data(share, CURL_LOCK_DATA_SSL_SESSION)
    }
    cookieStore = share.flatMap { share in secrets.cookies.map { CookieStore(share, loading: $0.loaded) } }
    mostConnections = transport.mostKeptConnections
    addMulti(multiplexes: true)
    addMulti(multiplexes: false)
  }

  private func addMulti(multiplexes: Bool) {
    multis.append(
      CurlMulti(
        interests: interests, tag: UInt64(multis.count + 1), multiplexes: multiplexes,
        mostConnections: mostConnections))
  }

  deinit {
    for exchange in exchanges.values {
      release(exchange)
      exchange.delegate = nil
    }
    multis.removeAll()
    for idle in idleHandles { idle.free() }
    if let share { curl_share_cleanup(share) }
    events.deallocate()
    shim_close(epoll)
  }

  /// The settings of requests that are sent from now on. Whether cookies are kept stays.
  package func use(_ transport: TransportSettings, _ secrets: Secrets) {
    options = CurlOptions(transport, secrets, share: share, number: options.number + 1)
    proxies = Self.proxies(transport)
    mostConnections = transport.mostKeptConnections
    for multi in multis { multi.keep(mostConnections) }
  }

  /// Those of the settings, or of the variables that libcurl looks at.
  private static func proxies(_ transport: TransportSettings) -> [String] {
    if let proxy = transport.proxy { return [proxy] }
    return ProxyVariables.names.compactMap(ProxyVariables.ofProcess)
  }

  // MARK: Exchanges

  /// Sends the request; the delegate hears of the answer from within `wait`, and is held until the exchange has ended.
  package func start(_ exchange: Exchange, options: ExchangeOptions, delegate: any ExchangeDelegate) {
    exchange.route.choose(options, proxies: proxies)
    exchange.delegate = delegate
    guard options.credentials != nil else { return send(exchange, options, as: .none) }
    exchange.login.options = options
    let usesDigest = digestOrigins.contains(exchange.order.location.origin)
    send(exchange, options, as: usesDigest ? .digest(isFresh: false) : .basic)
  }

  private func send(_ exchange: Exchange, _ options: ExchangeOptions, as login: Login) {
    var login = login
    let usesDigest = if case .digest = login { true } else { false }
    var easy = idleHandles.popLast() ?? EasyHandle()
    easy.errorBuffer.pointee = 0
    let handle = easy.handle
    let profile = ExchangeProfile(
      options, exchange.order, settingsNumber: self.options.number, usesDigest: usesDigest,
      bypassesProxy: self.options.bypassesProxy(exchange.order.location))
    if easy.profile == nil || easy.profile != profile || login == .digest(isFresh: true) {
      CurlOptions.reset(handle)
      easy.commonHeaders = self.options.configure(easy, for: exchange.order, options, usesDigest: usesDigest)
      easy.listOwner = self.options
      easy.headers = nil
      if usesDigest { login = .digest(isFresh: true) }
    }
    exchange.begin(as: login)
    easy.profile = profile
    CurlOptions.setCondition(of: exchange.order, on: &easy)
    exchange.easy = easy
    CurlOptions.address(handle, to: exchange)
    exchanges[handle] = exchange
    let multi = multi(for: exchange.order, options)
    exchange.multi = multi
    multi.exchangeCount += 1
    curl_multi_add_handle(multi.handle, handle)
  }

  /// Ends an exchange; its delegate hears nothing more. Not to be called from within its own callbacks.
  ///
  /// - Parameter closesConnection: also one that could carry others, once no other exchange is on it.
  package func stop(_ exchange: Exchange, closesConnection: Bool = false) {
    if closesConnection, let handle = exchange.handle {
      _ = shim_easy_set_long(handle, CURLOPT_FORBID_REUSE, 1)
      // The next user of the handle must not inherit that.
      exchange.easy?.profile = nil
    }
    // A delegate usually knows the exchange: the circle ends here.
    defer { exchange.delegate = nil }
    guard let handle = exchange.handle, exchanges.removeValue(forKey: handle) != nil else { return }
    release(exchange)
  }

  /// Reads nothing more of the exchange's multi handle until `unpause`. For multiplexed exchanges: libcurl 7.88 leaks
  /// streams of HTTP/2 that end while they are paused.
  package func suspend(_ exchange: Exchange) {
    guard !exchange.suspendsMulti, exchange.handle != nil, let multi = exchange.multi else { return }
    exchange.suspendsMulti = true
    multi.suspend()
  }

  private func endSuspension(_ exchange: Exchange) {
    guard exchange.suspendsMulti else { return }
    exchange.suspendsMulti = false
    guard let multi = exchange.multi, multi.resume() else { return }
    let now = Clock.now()
    for other in exchanges.values where other.multi === multi { other.lastActivity = now }
  }

  /// Hands out what was held back, and more as it comes. Not to be called from within libcurl's callbacks.
  package func unpause(_ exchange: Exchange) {
    endSuspension(exchange)
    guard exchange.isPaused, let handle = exchange.handle else { return }
    exchange.isPaused = false
    let code = curl_easy_pause(handle, Int32(CURLPAUSE_CONT))
    // libcurl has ended the transfer already; `nextDone` has its result.
    if code == CURLE_BAD_FUNCTION_ARGUMENT { return }
    // Who stops at what was held back: libcurl tells only us, and would go on with the next bytes.
    if code != CURLE_OK { ended(handle, code) }
  }

  package var exchangeCount: Int { exchanges.count }

  /// The cookies that the run has now, as lines of a `CookieFile`.
  package var cookies: [[UInt8]] { cookieStore?.lines ?? [] }

  private func multi(for order: TransferOrder, _ options: ExchangeOptions) -> CurlMulti {
    if options.isSeparate { return multis[CurlMulti.separate] }
    guard order.isSpread else { return multis[CurlMulti.shared] }
    while multis.count < Self.spreadCount + 1 { addMulti(multiplexes: true) }
    let candidates = multis.filter(\.multiplexes)
    // A new connection needs two round trips before its first request. A few exchanges wait for it, and the others use
    // those that answer meanwhile.
    let usable = candidates.filter { $0.hasAnswered || $0.exchangeCount < Self.pioneerCount }
    return (usable.isEmpty ? candidates : usable).min { $0.exchangeCount < $1.exchangeCount }!
  }

  private func release(_ exchange: Exchange) {
    endSuspension(exchange)
    guard let easy = exchange.easy, let multi = exchange.multi else { return }
    multi.exchangeCount -= 1
    curl_multi_remove_handle(multi.handle, easy.handle)
    exchange.easy = nil
    if idleHandles.count < Self.mostIdleHandles { idleHandles.append(easy) } else { easy.free() }
  }

  // MARK: Waiting

  /// What a descriptor is watched for.
  package enum Readiness { case readable, writable }

  /// Calls `handler` whenever the descriptor can be read, or written to.
  package func watch(_ descriptor: Int32, _ readiness: Readiness = .readable, _ handler: @escaping () -> Void) {
    let isKnown = watched.updateValue(handler, forKey: descriptor) != nil
    let what = readiness == .readable ? SHIM_READABLE : SHIM_WRITABLE
    interests.set(descriptor, UInt32(what), token: UInt64(UInt32(bitPattern: descriptor)), isNew: !isKnown)
  }

  /// Its handler is not called any more; one that is not watched is passed over.
  package func unwatch(_ descriptor: Int32) {
    guard watched.removeValue(forKey: descriptor) != nil else { return }
    interests.set(descriptor, 0, token: UInt64(UInt32(bitPattern: descriptor)), isNew: false)
  }

  /// Serves events until one has been served or the time has come, and tells delegates of ended exchanges.
  package func wait(until deadline: Instant) {
    // First, because a request that is sent now keeps its connection registered.
    let hasServed = serveTimers()
    interests.tellKernel()
    let now = Clock.now()
    let next = hasServed ? now : multis.reduce(deadline) { $1.isSuspended ? $0 : min($0, $1.deadline) }
    let microseconds = next == .distantFuture ? -1 : max(0, (next - now).wholeNanoseconds / 1000)
    let count = shim_epoll_wait(epoll, events, Int32(Self.eventCapacity), microseconds)
    if microseconds != 0 { waitedTime += Clock.now() - now }
    for index in 0..<max(0, Int(count)) {
      let event = events[index]
      let descriptor = Int32(truncatingIfNeeded: event.token & 0xffff_ffff)
      let tag = Int(event.token >> 32)
      if tag > 0 { multis[tag - 1].socketEvent(descriptor, event.what) } else { watched[descriptor]?() }
    }
    tellEnded()
  }

  /// - Returns: whether a timer was due.
  private func serveTimers() -> Bool {
    let now = Clock.now()
    var isAny = false
    for multi in multis {
      // Adding a transfer in a callback asks for an immediate call: a few rounds, then the events get their turn.
      var rounds = 0
      while multi.deadline <= now, !multi.isSuspended, rounds < 4 {
        multi.timerEvent()
        rounds += 1
        isAny = true
      }
    }
    if isAny { tellEnded() }
    return isAny
  }

  private func tellEnded() {
    for multi in multis {
      while let (handle, code) = multi.nextDone() { ended(handle, code) }
    }
  }

  private func ended(_ handle: UnsafeMutableRawPointer, _ code: CURLcode) {
    guard let exchange = exchanges.removeValue(forKey: handle) else { return }
    if exchange.login.hasDeferredHead {
      if exchange.login.kind.isRepeated, let options = exchange.login.options {
        digestOrigins.insert(exchange.order.location.origin)
        release(exchange)
        exchange.lastActivity = Clock.now()
        return send(exchange, options, as: .digest(isFresh: true))
      }
      // After a failure the 401 may have been followed by another answer.
      if code == CURLE_OK { exchange.takeDeferredHead() }
    }
    // The next exchange must not send a nonce that was refused.
    if exchange.head?.status == 401 { exchange.easy?.profile = nil }
    let result: ExchangeResult
    if let ownResult = exchange.ownResult {
      result = ownResult
    } else if code == CURLE_OK || exchange.hasWholeBody {
      result = exchange.completion
    } else {
      result = .failed(FaultMapping.fault(for: code, exchange.circumstances()))
    }
    release(exchange)
    exchange.delegate?.exchangeEnded(exchange, result)
    exchange.delegate = nil
  }
}
