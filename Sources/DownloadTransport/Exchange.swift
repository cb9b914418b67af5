import CSwiftGetCurl
import CSwiftGetShims
package import DownloadCore

/// One HTTP exchange with a server: a libcurl easy handle, the answer's head, and the receiver of events.
///
/// Owned by the `TransferLoop` while active and used on the loop's thread only.
package final class Exchange {
  package let order: TransferOrder
  /// Held while the exchange is active.
  var delegate: (any ExchangeDelegate)?

  /// Nil before and after the transfer.
  var easy: EasyHandle?
  /// The multi handle that it uses; nil before the transfer.
  var multi: CurlMulti?
  var login = LoginAttempt()
  private var parser = ResponseHeadParser()
  package internal(set) var head: ResponseHead?
  private var bodyEnd = BodyEnd.ofLibrary
  package internal(set) var isPaused = false
  /// Whether nothing of its multi handle is read because of it.
  package internal(set) var suspendsMulti = false
  /// Whether it gets nothing at the moment, because it is paused or nothing of its multi handle is read.
  package var isBlocked: Bool { isPaused || multi?.isSuspended ?? false }
  /// The result where one of our callbacks has ended the transfer.
  private(set) var ownResult: ExchangeResult?
  /// When bytes last came in, or when it began; moved on while the loop was busy with local I/O.
  package var lastActivity: Instant
  package internal(set) var route = ExchangeRoute()

  package init(order: TransferOrder, now: Instant) {
    self.order = order
    lastActivity = now
  }

  package var id: TransferID { order.id }

  /// Whether its answer comes over a connection that others may share at the same time.
  package var isMultiplexed: Bool { head?.version.isHTTP1 == false }

  /// Whether it has a connection to itself.
  package var isSeparate: Bool { multi?.multiplexes == false }

  var handle: UnsafeMutableRawPointer? { easy?.handle }

  // MARK: What libcurl calls

  func headerLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // Trailers of a chunked body come here too; the head is closed by then.
    // A pattern, because a comparison with nil copies the head, for each line.
    if case .some = head { return true }
    switch parser.line(bytes) {
    case .more: return true
    case .tooLarge:
      ownResult = .failed(.protocolViolation(.oversizedHead))
      return false
    case .malformed:
      ownResult = .failed(.protocolViolation(.malformedHead))
      return false
    // The server writes another version into the status line than the connection has.
    case .complete(let complete) where !complete.version.isHTTP1 && !mayBeHTTP2:
      ownResult = .failed(.protocolViolation(.malformedHead))
      return false
    case .complete(let complete):
      if login.defers(complete) { return true }
      guard take(complete) else { return false }
      // Else libcurl sends the request again.
      if login.isGivenUp { ownResult = .stopped }
      return !login.isGivenUp
    }
  }

  /// Whether HTTP/2 was offered for the connection.
  private var mayBeHTTP2: Bool { order.location.scheme.isEncrypted && !isSeparate }

  private func take(_ complete: ResponseHead) -> Bool {
    var complete = complete
    complete.refusesCredentials = complete.status == 401 && login.options?.credentials != nil
    head = complete
    multi?.hasAnswered = true
    if order.purpose == .head {
      // The length is that of a GET's body.
    } else if complete.hasIdentityCoding, let length = complete.contentLength {
      bodyEnd = .ours(lacking: length)
    } else if complete.isCloseDelimited, order.location.scheme.isEncrypted {
      bodyEnd = .ofConnection(handle.flatMap { TLSEnd(of: $0) })
    }
    if delegate?.exchange(self, received: complete) ?? false { return !hasWholeBody }
    ownResult = .stopped
    return false
  }

  /// Whether we have ended the transfer at the end of its body.
  var hasWholeBody: Bool { bodyEnd == .ours(lacking: 0) }

  /// Hands out a head that was deferred: libcurl does not go on.
  @discardableResult
  func takeDeferredHead() -> Bool { login.releaseHead().map(take) ?? true }

  /// Forgets the answer, before the request is sent again.
  func begin(as kind: Login) {
    login.begin(as: kind)
    parser = ResponseHeadParser()
    isPaused = false
  }

  func body(_ bytes: UnsafeRawBufferPointer) -> Int {
    if login.hasDeferredHead {
      if login.kind.isRepeated { return login.drains(byteCount: bytes.count) ? bytes.count : 0 }
      guard takeDeferredHead() else { return 0 }
    }
    // libcurl calls what follows a status 101 a body.
    guard case .some = head else {
      ownResult = .failed(.protocolViolation(.missingHead))
      return 0
    }
    guard case .ours(let lacking) = bodyEnd else { return handOver(bytes) }
    let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(clamping: lacking)))
    let taken = handOver(part)
    guard taken == part.count else { return taken }
    bodyEnd = .ours(lacking: lacking - Int64(part.count))
    return hasWholeBody ? 0 : taken
  }

  private func handOver(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let delegate else { return 0 }
    switch delegate.exchange(self, body: bytes) {
    case .taken: return bytes.count
    case .pause:
      isPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    case .stop:
      ownResult = .stopped
      return 0
    }
  }

  /// What it means that libcurl has found the end of the body and nothing wrong.
  var completion: ExchangeResult {
    guard case .some = head else { return .failed(.protocolViolation(.missingHead)) }
    switch bodyEnd {
    case .ofLibrary: return .complete
    case .ofConnection(let end): return end?.isNotified ?? false ? .complete : .unauthenticatedEnd
    case .ours(let lacking): return lacking == 0 ? .complete : .failed(.shortBody)
    }
  }

  /// The handshake's time; nil where the connection was kept from an earlier exchange.
  package var handshake: Duration? {
    guard let handle else { return nil }
    var count = 0
    _ = shim_easy_get_long(handle, CURLINFO_NUM_CONNECTS, &count)
    guard count > 0 else { return nil }
    var lookup: curl_off_t = 0
    var connect: curl_off_t = 0
    _ = shim_easy_get_offset(handle, CURLINFO_NAMELOOKUP_TIME_T, &lookup)
    _ = shim_easy_get_offset(handle, CURLINFO_CONNECT_TIME_T, &connect)
    return .microseconds(Int64(max(connect - lookup, 1)))
  }

  /// About a round trip: the handshake's time, or the wait from the request to its answer where that was longer.
  package var roundTrip: Duration? {
    guard let handle else { return nil }
    var sent: curl_off_t = 0
    var answered: curl_off_t = 0
    _ = shim_easy_get_offset(handle, CURLINFO_PRETRANSFER_TIME_T, &sent)
    _ = shim_easy_get_offset(handle, CURLINFO_STARTTRANSFER_TIME_T, &answered)
    return max(.microseconds(Int64(max(answered - sent, 1))), handshake ?? .zero)
  }

  /// The port of its connection at our end, the same for all exchanges that share it; nil before it stands.
  package var localPort: Int? {
    guard let handle else { return nil }
    var port = 0
    _ = shim_easy_get_long(handle, CURLINFO_LOCAL_PORT, &port)
    return port > 0 ? port : nil
  }

  private var peerAddress: String? {
    guard let handle else { return nil }
    var text: UnsafePointer<CChar>?
    _ = shim_easy_get_string(handle, CURLINFO_PRIMARY_IP, &text)
    return text.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The fault for a lack of data: before the connection is established it is a connect timeout, later a stall.
  package var stall: TransferFault { FaultMapping.fault(for: CURLE_OPERATION_TIMEDOUT, circumstances()) }

  /// Whom the certificate of the peer is for.
  private var certificateNames: [String] {
    var line = handle.flatMap { shim_easy_peer_certificate($0) }
    while let current = line {
      let text = String(cString: current.pointee.data)
      let label = "X509v3 Subject Alternative Name:"
      if text.hasPrefix(label) { return FaultMapping.names(inAlternatives: text.dropFirst(label.count)) }
      line = UnsafePointer(current.pointee.next)
    }
    return []
  }

  func circumstances() -> FaultMapping.Circumstances {
    var connects = 0
    var systemError = 0
    var proxyStatus = 0
    var sent: curl_off_t = 0
    if let handle {
      _ = shim_easy_get_long(handle, CURLINFO_NUM_CONNECTS, &connects)
      _ = shim_easy_get_long(handle, CURLINFO_OS_ERRNO, &systemError)
      _ = shim_easy_get_long(handle, CURLINFO_HTTP_CONNECTCODE, &proxyStatus)
      _ = shim_easy_get_offset(handle, CURLINFO_PRETRANSFER_TIME_T, &sent)
    }
    route.failed(at: peerAddress)
    // A connect that fails is not counted as one, so the count alone would call the connection a kept one.
    return FaultMapping.Circumstances(
      detail: easy.map { route.shownWords(String(cString: $0.errorBuffer)) } ?? "",
      server: "\(order.location.host):\(order.location.port)", systemError: Int32(truncatingIfNeeded: systemError),
      certificateNames: certificateNames, proxyStatus: proxyStatus, hadHead: head != nil,
      isReused: connects == 0 && sent > 0, hadConnected: sent > 0)
  }
}

/// Who is told what an exchange brings; called on the loop's thread, inside libcurl's callbacks.
package protocol ExchangeDelegate: AnyObject {
  /// - Returns: false to end the exchange here.
  func exchange(_ exchange: Exchange, received head: ResponseHead) -> Bool
  func exchange(_ exchange: Exchange, body: UnsafeRawBufferPointer) -> BodyAnswer
  /// Told outside of libcurl's callbacks; the handle is gone.
  func exchangeEnded(_ exchange: Exchange, _ result: ExchangeResult)
}

package enum BodyAnswer { case taken, pause, stop }

package enum ExchangeResult: Hashable, Sendable {
  case complete
  /// The body ended with its TLS connection, which closed without close_notify: it may have been cut anywhere.
  case unauthenticatedEnd
  /// The delegate ended it.
  case stopped
  case failed(TransferFault)
}

/// Who finds the end of a body.
private enum BodyEnd: Equatable {
  /// libcurl, by the length, the chunks or the end of a plain connection.
  case ofLibrary
  /// The end of the TLS connection, which counts only if close_notify came; nil if that is not recorded.
  case ofConnection(TLSEnd?)
  /// We do: libcurl 7.88 ignores a length beside `Transfer-Encoding: identity` and waits for the end of the connection.
  /// - Parameter lacking: the number of missing bytes.
  case ours(lacking: Int64)
}

/// Whether the peer of a TLS connection has sent close_notify; readable when the connection is gone.
private final class TLSEnd: Equatable {
  private let end: OpaquePointer

  /// The connection of the answer; nil if it is not recorded.
  init?(of handle: UnsafeMutableRawPointer) {
    guard let end = shim_easy_tls_end(handle) else { return nil }
    self.end = end
  }

  deinit { shim_tls_end_release(end) }

  static func == (left: TLSEnd, right: TLSEnd) -> Bool { left === right }

  var isNotified: Bool { shim_tls_end_is_notified(end) != 0 }
}
