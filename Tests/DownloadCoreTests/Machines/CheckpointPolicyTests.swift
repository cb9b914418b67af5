import Testing

@testable import DownloadCore

@Suite struct `When to record and to sync` {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  @Test func `without written bytes nothing is due`() {
    var policy = CheckpointPolicy(now: .zero)
    let step = policy.step(now: at(60_000), syncs: true)
    #expect(step == .nothing)
  }

  @Test func `a record is due after a tenth of a second, or 1 MiB and 5 milliseconds, or 8 MiB`() {
    var policy = CheckpointPolicy(now: .zero)
    policy.wrote(1)
    var step = policy.step(now: at(99), syncs: true)
    #expect(step == .nothing)
    step = policy.step(now: at(100), syncs: true)
    #expect(step == .record)
    step = policy.step(now: at(100), syncs: true)
    #expect(step == .nothing)
    policy.wrote(8 << 20)
    step = policy.step(now: at(101), syncs: true)
    #expect(step == .record)
    policy.wrote(1 << 20)
    step = policy.step(now: at(105), syncs: true)
    #expect(step == .nothing)
    step = policy.step(now: at(106), syncs: true)
    #expect(step == .record)
    policy.wrote(1 << 19)
    step = policy.step(now: at(205), syncs: true)
    #expect(step == .nothing)
  }

  @Test func `a sync is due after a second, one at a time`() {
    var policy = CheckpointPolicy(now: .zero)
    policy.wrote(1000)
    var step = policy.step(now: at(1000), syncs: true)
    #expect(step == .sync)
    policy.wrote(1000)
    // The first sync is still running, so only records are due.
    step = policy.step(now: at(5000), syncs: true)
    #expect(step == .record)
    step = policy.step(now: at(5000), syncs: true)
    #expect(step == .nothing)
    policy.syncEnded(now: at(5000))
    step = policy.step(now: at(5999), syncs: true)
    #expect(step == .nothing)
    step = policy.step(now: at(6000), syncs: true)
    #expect(step == .sync)
    policy.syncEnded(now: at(6001))
    step = policy.step(now: at(9000), syncs: true)
    #expect(step == .nothing)
  }

  @Test func `a sync is due early after 256 MiB, but not five times a second`() {
    var policy = CheckpointPolicy(now: .zero)
    policy.wrote(256 << 20)
    var step = policy.step(now: at(100), syncs: true)
    #expect(step == .record)
    step = policy.step(now: at(200), syncs: true)
    #expect(step == .sync)
  }

  @Test func `without syncs there are records only`() {
    var policy = CheckpointPolicy(now: .zero)
    policy.wrote(1 << 30)
    var step = policy.step(now: at(5000), syncs: false)
    #expect(step == .record)
    step = policy.step(now: at(9000), syncs: false)
    #expect(step == .nothing)
  }

  @Test func `discarded content is not recorded`() {
    var policy = CheckpointPolicy(now: .zero)
    policy.wrote(1 << 30)
    policy.restarted()
    let step = policy.step(now: at(5000), syncs: true)
    #expect(step == .nothing)
  }
}
