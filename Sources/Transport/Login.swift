import DownloadCore

/// How an exchange logs in.
///
///     basic ──401 asks for Digest──► digest(isFresh: true) ──later exchanges──► digest(isFresh: false)
///                                              ▲                                          │
///                                              └───────── 401, the nonce has expired ─────┘
///
/// Basic credentials go with the first request. A server that wants Digest (RFC 7616) answers 401, and the exchange is
/// repeated without its delegate's knowledge. libcurl keeps the nonce in the easy handle, so that later exchanges of the
/// same handle need one request each. libcurl also answers a challenge itself: a 401 is final only when its body, or the
/// end of the transfer, arrives and no other answer has begun.
enum Login: Hashable {
  case none
  case basic
  /// - Parameter isFresh: the easy handle has no nonce from an earlier exchange.
  case digest(isFresh: Bool)

  /// Whether a 401 may be followed by another answer to the same exchange.
  func mayGoOn(after head: ResponseHead) -> Bool {
    guard head.status == 401 else { return false }
    switch self {
    case .none: return false
    case .basic: return head.wwwAuthenticate.contains("digest")
    case .digest: return true
    }
  }

  /// Whether an exchange that ends with a 401 is repeated with Digest and without an old nonce.
  var isRepeated: Bool {
    switch self {
    case .none, .digest(isFresh: true): false
    // A server may replace an expired nonce without `stale`, which libcurl takes for wrong credentials.
    case .basic, .digest(isFresh: false): true
    }
  }
}
