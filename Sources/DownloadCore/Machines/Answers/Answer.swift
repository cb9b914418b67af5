/// What a server's answer says of the file, in terms that no protocol owns.
///
/// The file of each protocol makes it; `HTTPAnswer.swift` does for HTTP. The machines decide by answers and see no heads.
package struct Answer: Hashable, Sendable {
  /// What the body is, or why there is none.
  package enum Meaning: Hashable, Sendable {
    /// The whole representation, from its first byte.
    case whole
    /// A range of the representation, which begins at the requested offset.
    case range(Range<Int64>)
    /// The condition of the request does not hold: the server has no newer file.
    case notModified
    case redirect
    /// The file is not available at this URL, or not to this client.
    case unavailable(status: Int)
    /// The request cannot be served as it is; without a range it may be.
    case unacceptable(status: Int)
    case refused(TransferFault)
  }

  package var meaning: Meaning
  /// The protocol's status, for messages.
  package var status: Int
  /// The version that the answer is of. Its length is nil while unknown.
  package var representation: Representation
  /// Digests of the whole representation that the server claims, at most one of each algorithm.
  package var claims: [ContentDigest] = []
  /// Other URLs of the file that the server names.
  package var linkedMirrors: [LinkedMirror] = []
  /// Bytes of the body itself; nil where the answer tells none.
  package var bodyLength: Int64?
  /// The server refuses the name and password that were sent.
  package var refusesCredentials = false
  /// Whether the connection can be used again after the body.
  package var keepsConnection = true
  /// Whether only the end of the connection is the end of the body, so that a truncated body looks complete.
  package var endsWithConnection = false
  /// Whether only the end of its stream is the end of the body. libcurl takes a stream that the server resets without an
  /// error for one that ended, so a truncated body looks complete.
  package var endsWithStream = false
  /// Whether other transfers may share the connection at the same time.
  package var isMultiplexed = false
  /// Whether the body is an HTML page that is meant to be shown, not saved.
  package var isPage = false
  /// How long the server asks to wait before the next request.
  package var retryAfter: Duration?
  /// The target of a redirect; nil if it is none that can be requested.
  package var redirectTarget: Location?

  /// Whether the server refuses the request because of too many of them.
  var isThrottling: Bool { if case .refused(let fault) = meaning { fault.kind == .throttled } else { false } }

  /// Whether it answers the request for good. A server that refuses the client may count its requests, so such answers do
  /// not.
  var isFinal: Bool {
    switch meaning {
    case .whole, .range, .notModified, .redirect: true
    case .unavailable(let status): status == 404 || status == 410
    case .unacceptable, .refused: false
    }
  }

  package init(_ meaning: Meaning, status: Int, representation: Representation) {
    self.meaning = meaning
    self.status = status
    self.representation = representation
  }
}
