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

/// The login of one exchange, from its first request to the answer that counts.
struct LoginAttempt {
  private(set) var kind = Login.none
  /// What the exchange is repeated with; nil where it cannot be.
  var options: ExchangeOptions?
  /// A 401 after which libcurl may send the request again.
  private var deferredHead: ResponseHead?
  /// The number of 401s since the request was sent.
  private var challengeCount = 0
  private var drainedByteCount = 0

  /// The maximum of 401s that may be followed by another answer: a server asks for Digest, and may replace the nonce.
  /// libcurl sends the request again for each further nonce, as long as the server calls the last one stale.
  private static let mostChallenges = 2

  /// Whether no further challenge is answered.
  var isGivenUp: Bool { challengeCount > Self.mostChallenges }

  var hasDeferredHead: Bool {
    if case .some = deferredHead { true } else { false }
  }

  /// The request is sent.
  mutating func begin(as kind: Login) {
    self.kind = kind
    deferredHead = nil
    challengeCount = 0
    drainedByteCount = 0
  }

  /// Defers the head if another answer may follow. One that was deferred before is obsolete.
  mutating func defers(_ head: ResponseHead) -> Bool {
    deferredHead = nil
    guard kind.mayGoOn(after: head) else { return false }
    challengeCount += 1
    if !isGivenUp { deferredHead = head }
    return !isGivenUp
  }

  mutating func releaseHead() -> ResponseHead? {
    defer { deferredHead = nil }
    return deferredHead
  }

  /// Whether these further bytes of an unwanted body are still read.
  mutating func drains(byteCount: Int) -> Bool {
    drainedByteCount += byteCount
    return drainedByteCount <= BodyDisposition.drainLimit
  }
}
