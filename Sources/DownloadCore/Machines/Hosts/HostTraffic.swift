/// The traffic of a host: answers, bytes, speed and the last activity.
struct HostTraffic: Sendable {
  /// Whether it has answered a request, whatever it said.
  private(set) var hasAnswered = false
  /// Answers with content.
  private(set) var successCount = 0
  /// Bytes received, and for each short request a fixed amount.
  private(set) var work: Int64 = 0
  /// When anything came from the host last.
  private(set) var heardAt = Instant.zero
  /// When its last transfer started.
  private(set) var startedAt = Instant.zero
  /// The approximate time between a request and its answer.
  private(set) var roundTrip = HostTraffic.unknownRoundTrip
  private var received: Int64 = 0
  /// The work for error pages and the like, which are no service.
  private var unwantedByteCount: Int64 = 0
  private var connection = RateMeter()
  private var measuredAt = Instant.zero

  /// The work of a short request beside its bytes.
  private static let requestWork: Int64 = 16 << 10
  private static let unknownRoundTrip: Duration = .milliseconds(1)
  /// The shortest significant span, in seconds.
  private static let shortestMeasurement = 0.05

  /// Bytes per second of one connection lately, pauses between requests included.
  var connectionSpeed: Double { connection.rate }

  /// Grows with every answer that has content and with the bytes of long ones: as long as it grows the host serves.
  var servedCount: Int64 { Int64(successCount) &+ (work &- unwantedByteCount) / Self.requestWork }

  var usedAt: Instant { max(startedAt, heardAt) }

  /// Whether a transfer was started after the last sign of life, which was this long ago.
  func isQuiet(for span: Duration, now: Instant) -> Bool { startedAt > heardAt && now - heardAt > span }

  mutating func started(now: Instant) { startedAt = now }

  /// - Parameter sample: how long the request or its connection took; nil where unknown.
  mutating func answered(roundTrip sample: Duration?, now: Instant) {
    hasAnswered = true
    heardAt = now
    guard let sample, sample > .zero else { return }
    // The shortest sample is the most accurate, because a busy loop or server lengthens the others.
    let isFirst = roundTrip == Self.unknownRoundTrip
    guard !isFirst, sample > roundTrip else { return roundTrip = sample }
    roundTrip += .nanoseconds((sample - roundTrip).wholeNanoseconds / 64)
  }

  mutating func succeeded() { successCount += 1 }

  /// - Parameter hasContent: whether the answer has content. Others are work, too, but no service.
  mutating func shortRequestServed(hasContent: Bool) {
    work &+= Self.requestWork
    if !hasContent { unwantedByteCount &+= Self.requestWork }
  }

  /// - Parameter isContent: of an answer with content.
  mutating func received(_ byteCount: Int64, isContent: Bool = true, now: Instant) {
    heardAt = now
    if !isContent { unwantedByteCount &+= byteCount }
    work &+= byteCount
    received &+= byteCount
  }

  /// Measures the speed of a connection; called 20 to 50 times a second.
  mutating func measure(active: Int, now: Instant) {
    let span = (now - measuredAt).inSeconds
    guard span > Self.shortestMeasurement else { return }
    measuredAt = now
    guard active > 0 else { return connection.skip(to: received) }
    connection.measure(received, span: span, memory: 1, connections: active)
  }
}
