import Testing

@testable import DownloadCore

@Suite struct `Traffic of a host` {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  @Test func `a shorter round trip counts at once, longer ones change it slowly`() {
    var traffic = HostTraffic()
    for (sample, expected): (Int64, Int64) in [(64_000, 64_000), (32_000, 32_000), (96_000, 33_000)] {
      traffic.answered(roundTrip: .microseconds(sample), now: .zero)
      #expect(traffic.roundTrip == .microseconds(expected))
    }
    traffic.answered(roundTrip: nil, now: at(5))
    #expect(traffic.roundTrip == .microseconds(33_000) && traffic.heardAt == at(5))
  }

  @Test func `the speed is that of one connection`() {
    var traffic = HostTraffic()
    for tick: Int64 in 1...100 {
      traffic.received(100_000, now: at(tick * 100))
      traffic.measure(active: 2, now: at(tick * 100))
    }
    #expect(abs(traffic.connectionSpeed - 500_000) < 1000)
    traffic.measure(active: 0, now: at(20_000))
    #expect(abs(traffic.connectionSpeed - 500_000) < 1000, "not measured without active transfers")
  }

  @Test func `a host is quiet if nothing was received since a transfer started`() {
    var traffic = HostTraffic()
    #expect(!traffic.isQuiet(for: .milliseconds(50), now: at(1000)))
    traffic.started(now: at(1000))
    #expect(traffic.isQuiet(for: .milliseconds(50), now: at(1000)) && traffic.usedAt == at(1000))
    traffic.received(1, now: at(1010))
    #expect(!traffic.isQuiet(for: .milliseconds(50), now: at(2000)) && traffic.usedAt == at(1010))
  }

  @Test func `answers, bytes and short requests count as served`() {
    var traffic = HostTraffic()
    traffic.succeeded()
    traffic.received(32 << 10, now: .zero)
    traffic.shortRequestServed(hasContent: true)
    #expect(traffic.servedCount == 4 && traffic.successCount == 1)
    let work = traffic.work
    traffic.shortRequestServed(hasContent: false)
    #expect(traffic.servedCount == 4 && traffic.work > work)
  }
}
