import Testing

@testable import DownloadCore

@Suite struct `Throttling of a host` {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  @Test func `the later of two requested times counts`() {
    var state = Throttling.none
    #expect(state.end(now: .zero) == nil)
    var until = state.extend(to: at(500))
    #expect(until == at(500))
    until = state.extend(to: at(300))
    #expect(until == at(500))
    #expect(state.end(now: at(499)) == at(500) && state.end(now: at(500)) == nil)
  }
}
