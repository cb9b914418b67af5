import CSwiftGetCurl
import CSwiftGetShims
import DownloadCore

/// A libcurl multi handle, driven by socket events from the loop's epoll descriptor. One thread.
final class CurlMulti {
  /// Indices of the loop's multi handles: connections of one may be shared, those of the other have one exchange each.
  static let (shared, separate) = (0, 1)

  let handle: UnsafeMutableRawPointer
  private let interests: EpollInterests
  private let tag: UInt64
  /// When libcurl's timer expires.
  var deadline = Instant.distantFuture
  /// Whether its connections are shared by exchanges.
  let multiplexes: Bool
  /// Whether an answer has come on one of its connections.
  var hasAnswered = false
  /// Exchanges that use it.
  var exchangeCount = 0

  /// The number of exchanges because of which nothing is read.
  private var suspensionCount = 0
  /// Whether nothing is read.
  var isSuspended: Bool { suspensionCount > 0 }

  /// - Parameter tag: the upper half of the epoll token of this multi's sockets.
  init(interests: EpollInterests, tag: UInt64, multiplexes: Bool, mostConnections: Int) {
    // Fails only without memory.
    handle = curl_multi_init()!
    self.interests = interests
    self.tag = tag
    self.multiplexes = multiplexes
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = shim_multi_set_socket(
      handle,
      { _, socket, what, context, known in
        guard let context else { return 0 }
        Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue()
          .interest(socket: socket, what: what, isKnown: known != nil)
        return 0
      }, context)
    _ = shim_multi_set_timer(
      handle,
      { _, milliseconds, context in
        guard let context else { return 0 }
        let multi = Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue()
        multi.deadline = milliseconds < 0 ? .distantFuture : Clock.now() + .milliseconds(Int64(milliseconds))
        return 0
      }, context)
    _ = shim_multi_set_long(handle, CURLMOPT_PIPELINING, Int(multiplexes ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING))
    keep(mostConnections)
  }

  /// Keeps so many connections at most from now on.
  func keep(_ mostConnections: Int) { _ = shim_multi_set_long(handle, CURLMOPT_MAXCONNECTS, mostConnections) }

  deinit { curl_multi_cleanup(handle) }

  private func interest(socket: Int32, what: Int32, isKnown: Bool) {
    let events: UInt32 =
      switch what {
      case Int32(CURL_POLL_IN): UInt32(SHIM_READABLE)
      case Int32(CURL_POLL_OUT): UInt32(SHIM_WRITABLE)
      case Int32(CURL_POLL_INOUT): UInt32(SHIM_READABLE | SHIM_WRITABLE)
      default: 0
      }
    interests.set(socket, events, token: tag << 32 | UInt64(UInt32(bitPattern: socket)), isNew: !isKnown)
    if !isKnown { curl_multi_assign(handle, socket, Unmanaged.passUnretained(self).toOpaque()) }
  }

  /// One more exchange wants nothing to be read.
  func suspend() {
    suspensionCount += 1
    if suspensionCount == 1 { interests.setSilent(true, tag: tag) }
  }

  /// - Returns: whether it was the last one.
  func resume() -> Bool {
    suspensionCount -= 1
    if suspensionCount == 0 { interests.setSilent(false, tag: tag) }
    return suspensionCount == 0
  }

  func socketEvent(_ socket: Int32, _ what: UInt32) {
    // Of the same wait, and after the suspension began.
    if isSuspended { return }
    var mask: Int32 = 0
    if what & UInt32(SHIM_READABLE) != 0 { mask |= Int32(CURL_CSELECT_IN) }
    if what & UInt32(SHIM_WRITABLE) != 0 { mask |= Int32(CURL_CSELECT_OUT) }
    if what & UInt32(SHIM_BROKEN) != 0 { mask |= Int32(CURL_CSELECT_ERR) }
    var running: Int32 = 0
    curl_multi_socket_action(handle, socket, mask, &running)
  }

  func timerEvent() {
    deadline = .distantFuture
    var running: Int32 = 0
    curl_multi_socket_action(handle, -1, 0, &running)
  }

  /// The next transfer that has ended.
  func nextDone() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
    var easy: UnsafeMutableRawPointer?
    var code = CURLE_OK
    guard shim_multi_next_done(handle, &easy, &code) != 0, let easy else { return nil }
    return (easy, code)
  }
}
