/// One mirror of a file: where it is asked, how well it serves, and whether it may serve this content.
struct MirrorState: Sendable {
  enum Standing: Hashable, Sendable {
    /// As far as is known it has the version of the content.
    case agreeing
    /// It has another version than the content, or none that can be told to be the same: it waits until no other is
    /// left, and begins at zero then.
    case replacement
    /// No further request goes there.
    case expelled(TransferFault)
  }

  var redirects: Redirects
  var ranges = RangeBehaviour.untried
  var attempts = MirrorAttempts()
  /// What it brings.
  var meter = MirrorMeter()
  /// How many connections to it pay.
  var climber: ConcurrencyProbe
  private(set) var standing = Standing.agreeing
  /// It is so much slower than another one that it would only hold the file up: asked again where no other is left.
  private(set) var isLaggard = false
  /// Bytes of the current content that came from it.
  private(set) var contribution: Int64 = 0

  init(_ location: Location, climber: ConcurrencyProbe) {
    redirects = Redirects(original: location)
    self.climber = climber
  }

  var location: Location { redirects.location }

  /// Why no further request goes there; nil while it may be asked.
  var expelledBy: TransferFault? { if case .expelled(let fault) = standing { fault } else { nil } }

  /// Whether nobody has shown that its version is not the content's.
  var isAgreeing: Bool { if case .agreeing = standing { true } else { false } }

  /// Whether it may be asked at all.
  var isLeft: Bool { if case .expelled = standing { false } else { true } }

  /// Bytes of the content came from it that were missing.
  ///
  /// - Parameter progress: how many of them were never recorded before.
  mutating func brought(_ byteCount: Int64, progress: Int64) {
    contribution += byteCount
    attempts.recorded(progress)
  }

  /// The driver's measurement.
  ///
  /// - Parameters:
  ///   - connections: transfers of it that deliver.
  ///   - span: seconds since the last time.
  mutating func observed(
    connections: Int, roundTrip: Duration, span: Double, isSaturated: Bool, now: Instant
  ) {
    meter.observed(connections: connections, roundTrip: roundTrip, span: span)
    guard connections > 0 else { return }
    climber.observed(
      work: meter.byteCount, active: connections, roundTrip: roundTrip, isSaturated: isSaturated, now: now)
  }

  /// The content of an earlier run came from it.
  mutating func broughtEarlier(_ byteCount: Int64) { contribution = byteCount }

  mutating func disagrees() { if isLeft { standing = .replacement } }

  mutating func lags() { isLaggard = true }

  mutating func expel(_ fault: TransferFault) { standing = .expelled(fault) }

  /// Nothing of the content is left, so that nothing is there to disagree with.
  mutating func contentDiscarded() {
    contribution = 0
    if case .replacement = standing { standing = .agreeing }
  }
}
