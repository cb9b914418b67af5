import Testing

@testable import DownloadCore

@Suite struct `Throttling of a host` {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  @Test func `the later of two requested times counts`() {
    let retries = Retries(tries: 3, longestWait: .seconds(60))
    var governor = HostGovernor(maximum: 4, now: .zero)
    governor.started()
    #expect(governor.pauseEnd(now: .zero) == nil)
    for wait: Int64 in [500, 300] {
      let until = governor.refused(
        retryAfter: .milliseconds(wait), sentAt: .zero, retries: retries, now: .zero, random: 0)
      #expect(until == at(500))
    }
    #expect(governor.pauseEnd(now: at(499)) == at(500) && governor.pauseEnd(now: at(500)) == nil)
  }
}
