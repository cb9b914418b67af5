import Testing

@testable import DownloadCore

@Suite struct `Slots of a host` {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  @Test func `a slot is free until the limit is reached, and again when a transfer ends`() {
    var slots = ConnectionSlots()
    #expect(slots.isIdle(now: .zero))
    slots.occupy()
    #expect(slots.vacancy(within: 2, now: .zero) == .free)
    slots.occupy()
    #expect(slots.vacancy(within: 2, now: .zero) == .full)
    slots.release(cutUntil: nil, now: .zero)
    #expect(slots.vacancy(within: 2, now: .zero) == .free && slots.active == 1)
  }

  @Test func `a cut connection occupies its slot for a moment`() {
    var slots = ConnectionSlots()
    for _ in 0..<2 { slots.occupy() }
    slots.release(cutUntil: at(20), now: at(10))
    slots.release(cutUntil: at(15), now: at(10))
    #expect(slots.vacancy(within: 2, now: at(10)) == .closing(until: at(15)))
    #expect(slots.vacancy(within: 1, now: at(10)) == .closing(until: at(20)))
    #expect(slots.vacancy(within: 3, now: at(10)) == .free)
    #expect(slots.vacancy(within: 2, now: at(15)) == .free)
    #expect(!slots.isIdle(now: at(19)) && slots.isIdle(now: at(20)))
  }
}
