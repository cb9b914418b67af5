import Testing

@testable import DownloadCore
@testable import DownloadEngine

@Suite struct `Loop time` {
  private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

  @Test func `has 100 ticks a second, tells the progress 5 times, and checks the space once a second`() {
    var time = LoopTime(now: .zero)
    var ticks = 0
    var progressCount = 0
    var looks = 0
    for millisecond in 0..<3000 {
      time.woke(now: at(millisecond))
      guard time.isTickDue else { continue }
      time.beginTick()
      ticks += 1
      if time.takeProgress(every: .milliseconds(200)) { progressCount += 1 }
      if time.takeSpaceCheck() { looks += 1 }
    }
    #expect(ticks == 300 && progressCount == 15 && looks == 3)
  }

  @Test func `has no ticks without transfers`() {
    var time = LoopTime(now: .zero)
    time.beginTick()
    _ = time.takeProgress(every: .milliseconds(200))
    #expect(time.deadline(hasTransfers: true, looks: false, wantsProgress: true) == at(10))
    #expect(time.deadline(hasTransfers: false, looks: false, wantsProgress: true) == at(200))
  }

  @Test func `distinguishes a busy loop from one that waits`() {
    var load = LoopLoad(now: .zero)
    let early = load.isSaturated(waitedTime: .zero, now: at(10))
    #expect(!early, "not measured yet")
    let busy = load.isSaturated(waitedTime: .milliseconds(4), now: at(50))
    // The last span counts until the next one ends.
    let between = load.isSaturated(waitedTime: .milliseconds(40), now: at(90))
    let idle = load.isSaturated(waitedTime: .milliseconds(44), now: at(100))
    #expect(busy && between && !idle)
  }
}
