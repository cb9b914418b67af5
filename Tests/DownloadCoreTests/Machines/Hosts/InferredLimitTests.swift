import Testing

@testable import DownloadCore

@Suite struct `Inferred limit` {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  /// Eight requests sent at 0 ms, of which some are refused at 1 ms; counted at 100 ms.
  private func refusing(_ count: Int, maximum: Int = 64) -> InferredLimit {
    var limit = InferredLimit(maximum: maximum)
    for refused in 0..<count {
      let established = limit.refused(
        sentAt: at(0), active: 8 - refused, servedNow: 0, roundTrip: .milliseconds(1), now: at(1))
      #expect(established == nil)
    }
    let established = limit.ticked(now: at(100))
    #expect(established == max(1, 8 - count))
    return limit
  }

  private func refuse(_ limit: inout InferredLimit, sentAt: Int64, _ milliseconds: Int64) -> Int? {
    limit.refused(
      sentAt: at(sentAt), active: limit.count, servedNow: 0, roundTrip: .milliseconds(1), now: at(milliseconds))
  }

  @Test func `the number of accepted requests becomes the limit`() {
    #expect(refusing(3).count == 5)
    #expect(refusing(8).count == 1)
    #expect(!InferredLimit(maximum: 64).isLimiting)
  }

  @Test func `transfers that are served stay allowed while answers are awaited`() {
    var limit = InferredLimit(maximum: 64)
    for served in 0...3 {
      _ = limit.refused(sentAt: at(0), active: 8, servedNow: served, roundTrip: .milliseconds(1), now: at(1))
      #expect(limit.count == max(1, served))
    }
    let early = limit.ticked(now: at(30))
    #expect(early == nil)
    let established = limit.ticked(now: at(31))
    #expect(established == 4)
  }

  @Test func `a late refusal of an earlier request lowers the limit by one`() {
    var limit = refusing(3)
    let established = refuse(&limit, sentAt: 0, 200)
    #expect(established == 4 && limit.count == 4)
  }

  @Test func `the limit is raised by a quarter on trial until it is lifted`() {
    var limit = refusing(3, maximum: 7)
    var counts: [Int] = []
    for second: Int64 in [30, 31, 61, 91] {
      _ = limit.ticked(now: at(second * 1000))
      counts.append(limit.count)
    }
    #expect(counts == [5, 6, 7, 7] && !limit.isLimiting)
    #expect(limit.isForgettable(now: at(91_000)))
  }

  @Test func `a refused trial restores the accepted number, for twice as long`() {
    var limit = refusing(3)
    _ = limit.ticked(now: at(30_100))
    #expect(limit.count == 6)
    let established = refuse(&limit, sentAt: 30_150, 30_200)
    #expect(established == 5)
    _ = limit.ticked(now: at(90_199))
    #expect(limit.count == 5)
    _ = limit.ticked(now: at(90_200))
    #expect(limit.count == 6)
  }

  @Test func `a guess after a broken connection expires and gives way to the established limit`() {
    var limit = refusing(3)
    limit.connectionBroke(active: 5, servedNow: 0, roundTrip: .milliseconds(1), now: at(200))
    #expect(limit.count == 4)
    _ = limit.ticked(now: at(450))
    #expect(limit.count == 5)
    limit.connectionBroke(active: 5, servedNow: 5, roundTrip: .milliseconds(1), now: at(500))
    #expect(limit.count == 5, "transfers that are served stay allowed")
  }

  @Test func `a guess without an established limit expires, each time later`() {
    var limit = InferredLimit(maximum: 64)
    var start: Int64 = 0
    for retention: Int64 in [250, 500, 1000] {
      limit.connectionBroke(active: 5, servedNow: 0, roundTrip: .milliseconds(1), now: at(start))
      _ = limit.ticked(now: at(start + retention - 1))
      #expect(limit.count == 4)
      _ = limit.ticked(now: at(start + retention))
      #expect(!limit.isLimiting)
      start += 10_000
    }
  }

  @Test func `a raised maximum does not lift the limit`() {
    var free = InferredLimit(maximum: 64)
    free.limit(to: 100)
    #expect(free.count == 100)
    var limit = refusing(3)
    limit.limit(to: 100)
    #expect(limit.count == 5 && limit.maximum == 100)
  }

  @Test func `a lower maximum holds at once, also for what refusals established`() {
    var free = InferredLimit(maximum: 64)
    free.limit(to: 3)
    #expect(free.count == 3 && !free.isLimiting)
    var limit = refusing(3)
    limit.limit(to: 2)
    limit.connectionBroke(active: 2, servedNow: 0, roundTrip: .zero, now: at(200))
    #expect(limit.count == 1)
    _ = limit.ticked(now: at(1000))
    #expect(limit.count == 2)
  }

  @Test func `a limit that was too low is raised, and stays until it expires`() {
    var limit = refusing(3)
    let raised = limit.wasTooLow(by: 1)
    #expect(raised == 6 && limit.count == 6)
    _ = limit.ticked(now: at(30_099))
    #expect(limit.count == 6)
    _ = limit.ticked(now: at(30_100))
    #expect(limit.count == 7)
  }

  @Test func `a lifted limit is forgotten`() {
    var limit = refusing(3)
    limit.lift()
    #expect(limit.count == 64 && limit.isForgettable(now: at(101)))
    _ = limit.ticked(now: at(40_000))
    #expect(!limit.isLimiting)
  }
}
