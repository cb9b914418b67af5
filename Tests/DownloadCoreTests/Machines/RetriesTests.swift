import Testing

@testable import DownloadCore

@Suite struct `Retry decisions` {
  private let retries = Retries(tries: 5, longestWait: .seconds(60))

  @Test(arguments: [
    (1, 0.0, 500), (1, 0.5, 750), (2, 0.0, 1000), (3, 0.0, 2000), (4, 0.5, 6000), (6, 0.0, 16_000),
    // The maximum is sixty seconds, at least half of which is waited.
    (7, 0.0, 30_000), (60, 0.0, 30_000), (Int.max, 0.0, 30_000),
    // Invalid arguments are clamped.
    (0, 0.0, 500), (-5, 0.0, 500), (1, -3.0, 500), (1, 7.0, 1000),
  ])
  func `waits double up to the cap, with a random half`(failures: Int, random: Double, milliseconds: Int64) {
    #expect(retries.backoff(failures: failures, random: random) == .milliseconds(milliseconds))
  }

  @Test func `Retry-After is limited to the maximum`() {
    #expect(retries.wait(for: nil) == nil)
    #expect(retries.wait(for: .seconds(5)) == .seconds(5))
    #expect(retries.wait(for: .seconds(86_400)) == .seconds(60))
    #expect(retries.wait(for: .seconds(-5)) == .zero)
  }

  @Test func `there is at least one try`() {
    #expect(Retries(tries: 0, longestWait: .zero).tries == 1)
    #expect(Retries(tries: 7, longestWait: .zero).tries == 7)
  }

  @Test func `a refused request waits 20 ms or two round trips, plus up to 40 ms`() {
    #expect(Retries.waitAfterRefusal(roundTrip: .milliseconds(1), random: 0) == .milliseconds(20))
    #expect(Retries.waitAfterRefusal(roundTrip: .milliseconds(100), random: 0.5) == .milliseconds(220))
  }

  @Test func `progress shortens the wait, ample progress ends it`() {
    func wait(_ byteCount: Int64) -> Duration {
      retries.wait(fruitlessCount: 1, recordedByteCount: byteCount, random: 0.5)
    }
    #expect(wait(4095) == .milliseconds(1500))
    #expect(wait(4096) == .milliseconds(175))
    #expect(wait((64 << 10) - 1) == .milliseconds(175))
    #expect(wait(64 << 10) == .zero)
  }

  @Test func `after ample progress the next transfer starts at once while others deliver`() {
    func next(_ byteCount: Int64, othersDeliver: Bool, retryAfter: Duration? = nil) -> Instant {
      retries.nextAttempt(
        backoff: .zero + .seconds(9), recordedByteCount: byteCount, othersDeliver: othersDeliver,
        retryAfter: retryAfter, now: .zero + .seconds(1))
    }
    #expect(next(64 << 10, othersDeliver: true) == .zero + .seconds(1))
    #expect(next(64 << 10, othersDeliver: false) == .zero + .seconds(9))
    #expect(next(4096, othersDeliver: true) == .zero + .seconds(9))
    // The later of both times counts.
    #expect(next(64 << 10, othersDeliver: true, retryAfter: .seconds(5)) == .zero + .seconds(6))
    #expect(next(0, othersDeliver: false, retryAfter: .seconds(5)) == .zero + .seconds(9))
  }

  /// The decision for each fault, without and with other transfers that are served.
  @Test(
    arguments: [
      (.keptConnectionClosed, .repeatAtOnce, .repeatAtOnce), (.status(404), .giveUp, .giveUp),
      (.connectRefused(), .retryHost, .lowerLimit), (.nameLookup("x"), .retryHost, .lowerLimit),
      (.status(429), .lowerLimitAndCount, .lowerLimit), (.status(503), .lowerLimitAndCount, .lowerLimit),
      (.emptyReply, .count, .lowerLimitOnTrial), (.reset("x"), .count, .lowerLimitOnTrial),
      (.stalled, .count, .count), (.shortBody, .count, .count), (.status(500), .count, .count),
    ] as [(TransferFault, Retries.Remedy, Retries.Remedy)])
  func `a fault while others are served may be a limit`(
    fault: TransferFault, alone: Retries.Remedy, amongOthers: Retries.Remedy
  ) {
    for (isCongestion, expected) in [(false, alone), (true, amongOthers)] {
      let remedy = Retries.remedy(
        for: fault, isServed: false, mayRepeatAtOnce: { true }, isCongestion: { isCongestion })
      #expect(remedy == expected)
    }
  }

  @Test func `a connection that breaks while it delivers is no refusal, and repetitions are limited`() {
    let broken = Retries.remedy(
      for: .reset("x"), isServed: true, mayRepeatAtOnce: { true }, isCongestion: { true })
    let closed = Retries.remedy(
      for: .keptConnectionClosed, isServed: false, mayRepeatAtOnce: { false }, isCongestion: { true })
    #expect(broken == .count && closed == .count)
  }
}
