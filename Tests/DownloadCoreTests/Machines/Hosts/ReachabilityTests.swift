import Testing

@testable import DownloadCore

@Suite struct `Reachability of a host` {
  private let retries = Retries(tries: 3, longestWait: .seconds(60))

  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private func fail(_ state: inout Reachability, _ milliseconds: Int64, isProbe: Bool) -> Reachability.FailureOutcome {
    state.failed(.connectTimeout, isProbe: isProbe, retries: retries, now: at(milliseconds), random: 0)
  }

  @Test func `a host is given up for good after three failures in a row`() throws {
    var state = Reachability.reachable
    var isProbe = state.started()
    #expect(!isProbe)
    var outcome = fail(&state, 0, isProbe: false)
    #expect(outcome == .probe(at: at(500)) && state.isUnreachable)
    isProbe = state.started()
    #expect(isProbe)
    outcome = fail(&state, 500, isProbe: true)
    #expect(outcome == .probe(at: at(1500)))
    outcome = fail(&state, 1500, isProbe: true)
    #expect(outcome == .dead)
    // Of those that were active with it.
    outcome = fail(&state, 2000, isProbe: false)
    #expect(outcome == .dead)
    var endsAt: Int64 = 1500 + 60_000
    for span: Int64 in [120_000, 240_000, 480_000, 960_000, 960_000] {
      guard case .dead(let death) = state else {
        Issue.record("\(state)")
        return
      }
      #expect(death.failures.fault == .connectTimeout && death.endsAt == at(endsAt))
      // One probe decides whether it is given up again, for longer.
      isProbe = state.started()
      #expect(isProbe && state.isUnreachable)
      outcome = fail(&state, endsAt + 5, isProbe: true)
      #expect(outcome == .dead)
      endsAt += 5 + span
    }
    state.answered()
    guard case .reachable = state else {
      Issue.record("\(state)")
      return
    }
  }

  @Test func `with patience a host is given up when no attempt got a connection for so long, however many there were`()
  {
    let retries = Retries(tries: 3, longestWait: .seconds(600), patience: .seconds(86_400))
    var state = Reachability.reachable
    var now = at(5000)
    var waits: [Duration] = []
    while case .probe(let next) = state.failed(
      .connectTimeout, isProbe: state.started(), retries: retries, now: now, random: 1)
    {
      waits.append(next - now)
      now = next
    }
    #expect(waits.prefix(4) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)] && waits.last == .seconds(600))
    #expect(now - at(5000) >= .seconds(86_400) && now - at(5000) < .seconds(87_000))
    state.answered()
    // The time begins anew with an answer.
    let outcome = state.failed(
      .connectTimeout, isProbe: state.started(), retries: retries, now: now, random: 1)
    #expect(outcome == .probe(at: now + .seconds(1)))
  }

  @Test func `a name that the resolver does not know is tried twice`() {
    for tries in [1, 2, 5] {
      var state = Reachability.reachable
      let retries = Retries(tries: tries, longestWait: .seconds(60), patience: tries == 5 ? .seconds(86_400) : nil)
      var count = 0
      var outcome: Reachability.FailureOutcome?
      while outcome != .dead, count < 9 {
        count += 1
        let isProbe = state.started()
        outcome = state.failed(
          .unknownHost("x"), isProbe: isProbe, retries: retries, now: at(Int64(count) * 5000), random: 0)
      }
      #expect(count == min(tries, 2))
    }
  }

  @Test func `transfers that were active together count as one failure`() {
    var state = Reachability.reachable
    var outcome = fail(&state, 0, isProbe: false)
    for milliseconds: Int64 in [1, 2, 3] {
      outcome = fail(&state, milliseconds, isProbe: false)
      #expect(outcome == .probe(at: at(500)))
    }
  }

  @Test func `a probe occupies the step until it is over`() throws {
    var state = Reachability.reachable
    _ = fail(&state, 0, isProbe: false)
    _ = state.started()
    guard case .unreachable(let failures, let probe) = state, failures.count == 1 else {
      Issue.record("\(state)")
      return
    }
    #expect(probe.isActive && probe.dueAt == at(500))
    state.probeEnded()
    guard case .unreachable(let counted, let next) = state, counted.count == 1 else {
      Issue.record("\(state)")
      return
    }
    #expect(!next.isActive && next.dueAt == at(500))
  }

  @Test func `a connection clears a suspicion, but only an answer makes an unreachable host reachable`() {
    var state = Reachability.reachable
    state.stalled(now: at(10))
    #expect(state.isSuspected)
    state.connected()
    #expect(!state.isSuspected)
    state.stalled(now: at(20))
    let isProbe = state.started()
    let outcome = fail(&state, 30, isProbe: isProbe)
    #expect(isProbe && outcome == .probe(at: at(530)) && state.isUnreachable)
    state.connected()
    state.stalled(now: at(40))
    #expect(state.isUnreachable)
    state.answered()
    #expect(!state.isUnreachable && !state.isSuspected)
  }
}
