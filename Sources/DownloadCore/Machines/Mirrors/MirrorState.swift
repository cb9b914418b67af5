/// One mirror of a file: its URL, its speed, and whether it may supply this content.
struct MirrorState: Sendable {
  enum Standing: Hashable, Sendable {
    /// No answer shows another version than the content's.
    case agreeing
    /// It has another version than the content, or one that cannot be compared. It is used when no other is left, and
    /// then starts over.
    case replacement
    /// It gets no further request.
    case expelled(TransferFault)
  }

  var redirects: Redirects
  /// Whether only an answer named it, and not the request.
  let isLinked: Bool
  /// Whether the request names no other mirror.
  let isOnly: Bool
  var ranges = RangeBehaviour()
  var attempts = MirrorAttempts()
  /// Its rate.
  var meter = MirrorMeter()
  /// The number of connections that pay.
  var probe: ConcurrencyProbe
  private(set) var standing = Standing.agreeing
  /// Whether it is far slower than another one. It is used again if no other is left.
  private(set) var isLaggard = false
  /// Those that it sent with the content's version; nil for one that has not shown that it has this version.
  var validators: Validators?
  /// The number of bytes of the current content from this mirror.
  private(set) var contribution: Int64 = 0
  /// Whether an earlier run recorded some of these bytes. Its record names one mirror, but others may have brought some.
  private(set) var includesEarlierRun = false

  init(_ location: Location, isLinked: Bool = false, isOnly: Bool = false, probe: ConcurrencyProbe) {
    redirects = Redirects(original: location)
    self.isLinked = isLinked
    self.isOnly = isOnly
    self.probe = probe
  }

  var location: Location { redirects.location }

  /// Whether no answer shows another version than the content's.
  var isAgreeing: Bool { if case .agreeing = standing { true } else { false } }

  /// Whether it is known to have the content's version.
  var isSource: Bool { isAgreeing && validators != nil }

  /// Whether it may be used.
  var isLeft: Bool { if case .expelled = standing { false } else { true } }

  /// The mirror supplied missing bytes.
  ///
  /// - Parameter progress: the number of bytes that were never recorded before.
  mutating func brought(_ byteCount: Int64, progress: Int64) {
    contribution += byteCount
    attempts.recorded(progress)
    redirects.brought(progress)
  }

  /// The driver's measurement.
  ///
  /// - Parameters:
  ///   - connections: the number of its transfers that deliver.
  ///   - span: seconds since the last call.
  mutating func observed(
    connections: Int, roundTrip: Duration, span: Double, isSaturated: Bool, now: Instant
  ) {
    meter.observed(connections: connections, roundTrip: roundTrip, span: span)
    guard connections > 0 else { return }
    probe.observed(
      work: meter.byteCount, active: connections, roundTrip: roundTrip, isSaturated: isSaturated, now: now)
  }

  /// The content of an earlier run is from this mirror.
  ///
  /// - Parameter validators: nil if it only takes the place of another URL.
  mutating func broughtEarlier(_ byteCount: Int64, validators: Validators?) {
    self.validators = validators
    contribution = byteCount
    includesEarlierRun = true
  }

  mutating func disagrees() { if isLeft { standing = .replacement } }

  mutating func lags() { isLaggard = true }

  mutating func expel(_ fault: TransferFault) { standing = .expelled(fault) }

  /// The content was discarded, so a mirror with another version is no replacement any more.
  mutating func contentDiscarded() {
    validators = nil
    contribution = 0
    includesEarlierRun = false
    if case .replacement = standing { standing = .agreeing }
  }
}
