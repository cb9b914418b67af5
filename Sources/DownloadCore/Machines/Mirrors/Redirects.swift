/// The redirects of one mirror: its current URL, and which redirects are followed.
///
/// A target is remembered until it stops serving. Then the original URL is requested again, because it may redirect
/// elsewhere.
struct Redirects: Sendable {
  let original: Location
  /// Nil before the first redirect and after the target stopped serving.
  private var target: Location?
  /// Consecutive redirects without progress.
  private var hopCount = 0
  /// Whether `location` has answered with content.
  private(set) var locationHasServed = false
  /// Whether any URL has, before or after redirects.
  private(set) var hasServed = false
  /// Whether content came at all, of the wanted version or of another one.
  private var hasAnswered = false
  /// Content bytes since the last redirect that were never recorded before.
  private var byteCount: Int64 = 0

  init(original: Location) { self.original = original }

  /// The URL of the next request.
  var location: Location { target ?? original }

  /// Checks whether a redirect may be followed.
  ///
  /// - Parameters:
  ///   - next: the head's `Location`, resolved; nil if it is not an http or https URL.
  ///   - limit: the maximum of consecutive redirects.
  ///   - hasGivenDigests: whether a given digest verifies the content.
  /// - Throws: the reason why it is not followed.
  func checked(_ next: Location?, limit: Int, hasGivenDigests: Bool) throws(TransferFault) -> Location {
    guard let next else { throw .redirectRefused }
    guard hopCount < limit else { throw .tooManyRedirects(limit) }
    if location.scheme.isEncrypted, !next.scheme.isEncrypted, !hasGivenDigests {
      throw .insecureRedirect(to: next.redacted)
    }
    return next
  }

  /// A request to `asked` was redirected. The first of several concurrent redirects counts.
  mutating func followed(from asked: Location, to next: Location) {
    guard asked == location else { return }
    turn(to: next, hopCount: hopCount + 1)
  }

  /// The next request goes to the original URL, unless another transfer has found a new target.
  ///
  /// - Returns: whether the target has served its time: it brought ample content, or has been left already.
  @discardableResult
  mutating func expired(at asked: Location) -> Bool {
    guard asked == location else { return true }
    defer { turn(to: nil, hopCount: 0) }
    return byteCount >= Retries.ampleByteCount
  }

  private mutating func turn(to next: Location?, hopCount: Int) {
    target = next
    self.hopCount = hopCount
    locationHasServed = false
    byteCount = 0
  }

  /// A request to `asked` failed. A target that cannot be reached or trusted is left.
  ///
  /// - Returns: the fault for the mirror. The certificate of a target is not the mirror's own.
  mutating func failed(_ fault: TransferFault, at asked: Location) -> TransferFault {
    guard asked != original else { return fault }
    if case .tlsVerification(let detail) = fault {
      expired(at: asked)
      return .untrustedRedirect(detail)
    }
    if fault.kind == .unreachable { expired(at: asked) }
    return fault
  }

  /// Whether `asked` is the target of a redirect that may have expired, because content came before. The refusal of a
  /// target that the original URL has just named, and that never served, is final. An earlier target, which concurrent
  /// transfers may still ask, has expired.
  func mayHaveExpired(at asked: Location) -> Bool { asked != original && (asked != location || hasAnswered) }

  /// The origin of the redirect's target; nil if it is that of the original URL.
  var otherOrigin: Origin? { location.origin == original.origin ? nil : location.origin }

  /// Content bytes have arrived.
  mutating func brought(_ byteCount: Int64) { self.byteCount += byteCount }

  mutating func answeredWithContent() { hasAnswered = true }

  mutating func servedContent() {
    answeredWithContent()
    locationHasServed = true
    hasServed = true
  }

  mutating func madeProgress() { hopCount = 0 }
}
