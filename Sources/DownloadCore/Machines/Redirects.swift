/// The redirects of one mirror: where it is asked now, and which redirects are followed.
///
/// A target is remembered until it stops serving. Then the original URL is asked again, for it may lead elsewhere.
struct Redirects: Sendable {
  let original: Location
  /// Nil before the first redirect and after the target stopped serving.
  private var target: Location?
  /// Redirects in a row without progress.
  private var hopCount = 0
  /// `location` has answered with content.
  private(set) var isSettled = false

  init(original: Location) { self.original = original }

  /// Where the next request goes.
  var location: Location { target ?? original }

  /// Where a redirect may be followed to.
  ///
  /// - Parameters:
  ///   - next: the head's `Location`, resolved; nil where that is no http or https URL.
  ///   - limit: of redirects in a row.
  ///   - isJudged: a digest that was known before the start judges the content.
  /// - Throws: why it is not followed.
  func checked(_ next: Location?, limit: Int, isJudged: Bool) throws(TransferFault) -> Location {
    guard let next else { throw .redirectRefused }
    guard hopCount < limit else { throw .tooManyRedirects(limit) }
    if location.scheme == .https, next.scheme == .http, !isJudged { throw .insecureRedirect(to: next.redacted) }
    return next
  }

  /// A request to `asked` was redirected. Of several that are redirected together, the first counts.
  mutating func followed(from asked: Location, to next: Location) {
    guard asked == location else { return }
    target = next
    hopCount += 1
    isSettled = false
  }

  /// The next request goes to the original URL, unless another transfer has found a new target meanwhile.
  mutating func expired(at asked: Location) {
    guard asked == location else { return }
    target = nil
    hopCount = 0
    isSettled = false
  }

  /// A request to `asked` failed. A target that cannot be reached or trusted is left.
  ///
  /// - Returns: the fault as it counts for the mirror: the certificate of a target is not the mirror's own.
  mutating func failed(_ fault: TransferFault, at asked: Location) -> TransferFault {
    guard asked != original else { return fault }
    if case .tlsVerification(let detail) = fault {
      expired(at: asked)
      return .untrustedRedirect(detail)
    }
    if fault.kind == .hostSilent { expired(at: asked) }
    return fault
  }

  mutating func servedContent() { isSettled = true }

  mutating func madeProgress() { hopCount = 0 }
}
