import Testing

@testable import DownloadCore

/// `RememberedHostsTests` covers the removal of idle hosts.
@Suite struct `Host table` {
  private func origin(_ host: String) -> Origin {
    Location(scheme: .http, host: host, port: 80, path: "/", query: nil).origin
  }

  @Test func `a host has one entry`() {
    var hosts = HostTable(maxConnectionsPerHost: 3)
    let first = hosts.entry(for: origin("a"), now: .zero)
    let again = hosts.entry(for: origin("a"), now: .zero)
    let other = hosts.entry(for: origin("b"), now: .zero)
    #expect(first === again && first !== other && hosts.count == 2)
    #expect(hosts[origin("a")] === first && hosts[origin("c")] == nil)
    #expect(first.governor.limit == 3)
  }

  @Test func `waiting items leave the queue of their host in order`() {
    var hosts = HostTable(maxConnectionsPerHost: 3)
    let (a, b) = (hosts.entry(for: origin("a"), now: .zero), hosts.entry(for: origin("b"), now: .zero))
    for item: ItemHandle in [5, 3] { hosts.enqueue(item, at: a) }
    hosts.enqueue(4, at: b)
    let items = [a, a, a, b].map { host in
      let first = host.queue.first
      if let first { hosts.remove(first, from: host) }
      return first
    }
    #expect(items == [5, 3, nil, 4])
  }

  @Test func `entity tags of an unknown host are assumed to be reliable`() {
    var hosts = HostTable(maxConnectionsPerHost: 3)
    #expect(hosts.conditions(at: origin("a")).isETagReliable)
    hosts.entry(for: origin("a"), now: .zero).governor.entityTagsAreUnreliable()
    #expect(!hosts.conditions(at: origin("a")).isETagReliable)
  }

  @Test func `an unreachable host is reported once, not for each of its items`() {
    var hosts = HostTable(maxConnectionsPerHost: 3)
    let host = hosts.entry(for: origin("a"), now: .zero)
    var actions: [RunAction] = []
    let retries = Retries(tries: 3, longestWait: .seconds(60))
    let expected: [(isProbe: Bool, milliseconds: Int64?)] = [(false, 500), (false, 500), (true, 1000), (true, nil)]
    for (isProbe, milliseconds) in expected {
      let at = host.unreached(.connectTimeout, isProbe: isProbe, retries: retries, now: .zero, random: 0, &actions)
      #expect(at?.nanoseconds == milliseconds.map { $0 * 1_000_000 })
    }
    #expect(actions.count == 1)
  }

  /// What is told of refusals at these seconds, each of which asks for a pause of so many seconds; nil asks for none.
  private func told(_ refusals: [(at: Int, pause: Int?)]) -> [RunAction] {
    var hosts = HostTable(maxConnectionsPerHost: 3)
    let host = hosts.entry(for: origin("a"), now: .zero)
    var actions: [RunAction] = []
    for (second, pause) in refusals {
      let now = Instant.zero + .seconds(second)
      _ = host.governor.refused(
        retryAfter: pause.map { .seconds($0) }, sentAt: now, retries: Retries(tries: 3, longestWait: .seconds(600)),
        now: now,
        random: 0)
      host.tellRefusal(.status(429), now: now, &actions)
    }
    return actions
  }

  @Test func `a host that refuses is reported once for each pause`() {
    let pause = Duration.seconds(100)
    let action = RunAction.notice(item: nil, .note, .hostRefuses(origin("a"), .status(429), pause: pause))
    #expect(told([(1, 100), (1, 100), (50, 1), (101, 100)]) == [action, action])
  }

  @Test func `a host that refuses without a pause, or with a short one, is a detail, twice a minute`() {
    let kinds = told([(1, nil), (2, nil), (30, 4), (31, 4), (60, nil), (61, nil)])
    let expected = [nil, Duration.seconds(4), nil].map {
      RunAction.notice(item: nil, .detail, .hostRefuses(origin("a"), .status(429), pause: $0))
    }
    #expect(kinds == expected)
  }
}
