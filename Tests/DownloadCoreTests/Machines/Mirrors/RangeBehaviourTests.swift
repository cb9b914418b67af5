import Testing

@testable import DownloadCore

@Suite struct `Range behaviour` {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  @Test func `a refusal beside another transfer limits ranges to one at a time until it expires`() {
    var ranges = RangeBehaviour()
    #expect(!ranges.areRefused)
    ranges.refusedFurther()
    #expect(ranges.areRefused && !ranges.isAvoided)
    #expect(!ranges.bearsAnother(tries: 5, lastStart: at(0)) && ranges.bearsAnother(tries: 5, lastStart: nil))
    let gained = [ranges.gained(10), ranges.gained(20)]
    #expect(gained == [10, 30])
    ranges.refusedFurther()
    #expect(ranges.gained(5) == 5, "it counts from the last refusal")
    ranges.refusalExpired(lastStart: at(7))
    #expect(!ranges.areRefused && ranges.bearsAnother(tries: 5, lastStart: at(7)))
    #expect(!ranges.bearsAnother(tries: 5, lastStart: at(8)), "one trial is active")
    ranges.served(startedAt: at(7))
    #expect(!ranges.bearsAnother(tries: 5, lastStart: at(8)), "that began before the trial")
    ranges.served(startedAt: at(8))
    #expect(ranges.bearsAnother(tries: 5, lastStart: at(8)))
  }

  @Test func `after failures beside a transfer one range at a time is requested for good`() {
    var ranges = RangeBehaviour()
    ranges.failedFurther()
    #expect(!ranges.areRefused && !ranges.isAvoided)
    #expect(!ranges.bearsAnother(tries: 5, lastStart: at(0)) && ranges.bearsAnother(tries: 5, lastStart: nil))
  }

  @Test func `a refusal lasts until it expires, a doubt until a plain GET determines the version`() {
    var refused = RangeBehaviour()
    refused.refused()
    refused.wholeCame()
    #expect(refused.isAvoided && refused.areRefused)
    refused.refusalExpired(lastStart: nil)
    #expect(!refused.isAvoided)
    var doubtful = RangeBehaviour()
    for _ in 0..<2 {
      doubtful.cameInDoubt()
      #expect(doubtful.isAvoided && !doubtful.areRefused)
      doubtful.wholeCame()
      #expect(!doubtful.isAvoided)
    }
    doubtful.cameInDoubt()
    doubtful.wholeCame()
    #expect(doubtful.isAvoided, "a third doubt is final")
    doubtful.versionChanged(.length(2, was: 1))
    #expect(!doubtful.isAvoided, "unless another version starts over")
    for change in 1...4 {
      doubtful.cameInDoubt()
      doubtful.versionChanged(.entityTag)
      doubtful.wholeCame()
      #expect(doubtful.isAvoided == (change > 3), "tags that keep changing tell nothing")
    }
  }

  @Test func `after ranges without progress one is tried at a time, then none`() {
    var ranges = RangeBehaviour()
    #expect(ranges.bearsAnother(tries: 2, lastStart: at(0)))
    ranges.wasFruitless(startedAt: at(0), tries: 2, now: at(10))
    #expect(!ranges.bearsAnother(tries: 2, lastStart: at(11)), "one trial is active")
    #expect(ranges.bearsAnother(tries: 2, lastStart: at(5)), "the active one started before the last was counted")
    #expect(ranges.bearsAnother(tries: 2, lastStart: nil))
    ranges.wasFruitless(startedAt: at(5), tries: 2, now: at(12))
    #expect(!ranges.isAvoided, "concurrent ranges count once")
    ranges.wasFruitless(startedAt: at(11), tries: 2, now: at(20))
    #expect(ranges.isAvoided && !ranges.bearsAnother(tries: 2, lastStart: nil))
  }

  @Test func `a mirror that has served a range may get further ranges`() {
    var ranges = RangeBehaviour()
    ranges.served(startedAt: at(0))
    for time in 1...5 { ranges.wasFruitless(startedAt: at(Int64(time)), tries: 2, now: at(Int64(time))) }
    #expect(!ranges.isAvoided && !ranges.bearsAnother(tries: 2, lastStart: nil))
    ranges.served(startedAt: at(4))
    #expect(!ranges.bearsAnother(tries: 2, lastStart: nil), "it began before the last fruitless one was counted")
    ranges.served(startedAt: at(6))
    #expect(ranges.bearsAnother(tries: 2, lastStart: nil))
  }

  @Test func `broken and avoided ranges are suspect`() {
    var ranges = RangeBehaviour()
    #expect(!ranges.areSuspect)
    ranges.contradicted()
    #expect(ranges.areSuspect && !ranges.isAvoided)
    ranges.exhausted()
    ranges.wholeCame()
    #expect(ranges.isAvoided)
  }
}
