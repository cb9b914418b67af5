import Testing

@testable import DownloadCore

@Suite struct `Spaced requests` {
  private let start = Instant.zero + .seconds(100)

  @Test func `follow each other at even distances, and none is made up for`() {
    var spacing = RequestSpacing(rate: 4)
    #expect(spacing.earliestStart(now: start) == nil)
    spacing.started(now: start)
    #expect(spacing.earliestStart(now: start) == start + .milliseconds(250))
    #expect(spacing.earliestStart(now: start + .milliseconds(250)) == nil)
    // Nobody has asked for a while: still one at a time.
    let later = start + .seconds(10)
    spacing.started(now: later)
    #expect(spacing.earliestStart(now: later) == later + .milliseconds(250))
  }

  @Test func `start at once without a rate, and by another one from now on`() {
    var spacing = RequestSpacing()
    for _ in 0..<3 {
      spacing.started(now: start)
      #expect(spacing.earliestStart(now: start) == nil)
    }
    spacing.rate = 0.5
    spacing.started(now: start)
    #expect(spacing.earliestStart(now: start + .seconds(1)) == start + .seconds(2))
    spacing.rate = nil
    #expect(spacing.earliestStart(now: start + .seconds(1)) == nil)
  }

  /// What starts at each of these milliseconds of five files: three of host a and two of host b.
  private func starts(at times: [Int64], _ change: (inout RunSettings) -> Void) -> [[String]] {
    let trace = FileTrace(hosts: ["a"], change)
    for (item, host) in ["a", "b", "a", "b"].enumerated() {
      trace.control { run, now, actions in
        let machine = FileMachine(
          item: ItemHandle(item + 1), mirrors: [FileTrace.location(host, path: "/\(item + 1)")], digests: [],
          expectedLength: nil, settings: run.fileSettings, beginning: .fresh, now: now)
        run.add(machine, now: now, &actions)
      }
    }
    return times.map { time in
      trace.wait(milliseconds: time - trace.now.nanoseconds / 1_000_000)
      // Hosts come in no order.
      return trace.take().map { String($0.split(separator: " ")[2]) }.sorted()
    }
  }

  @Test func `a limit for hosts spaces the requests of each of them alone`() {
    func limit(_ rate: Double, of hosts: [String], in settings: inout RunSettings) {
      settings.transport.hosts.rules.append(HostRules.Rule(patterns: hosts))
      settings.transport.hosts.changeLast { $0.requestsPerSecond = rate }
    }
    let times: [Int64] = [0, 990, 1000, 1990, 2000]
    #expect(starts(at: times) { _ in } == [["a/1", "a/3", "a/f", "b/2", "b/4"], [], [], [], []])
    #expect(starts(at: times) { limit(1, of: ["a"], in: &$0) } == [["a/f", "b/2", "b/4"], [], ["a/1"], [], ["a/3"]])
    #expect(
      starts(at: times) { limit(1, of: ["*"], in: &$0) } == [["a/f", "b/2"], [], ["a/1", "b/4"], [], ["a/3"]])
    // The limit of the run holds as well.
    #expect(
      starts(at: times) {
        limit(10, of: ["a"], in: &$0)
        $0.limits.requestsPerSecond = 1
      }.map(\.count) == [1, 0, 1, 0, 1])
  }

  @Test func `a limit for hosts may be given while the run waits, or be taken back`() {
    let trace = FileTrace(hosts: ["a"]) {
      $0.transport.hosts.rules = [HostRules.Rule(patterns: ["a"])]
      $0.transport.hosts.changeLast { $0.requestsPerSecond = 0.01 }
    }
    trace.control { run, now, actions in
      let machine = FileMachine(
        item: 1, mirrors: [FileTrace.location("a", path: "/1")], digests: [], expectedLength: nil,
        settings: run.fileSettings, beginning: .fresh, now: now)
      run.add(machine, now: now, &actions)
    }
    #expect(trace.take() == ["get 0 a/f all"])
    trace.control { run, now, actions in run.use(RunSettings(), now: now, &actions) }
    trace.wait(milliseconds: 10)
    #expect(trace.take() == ["get 1 a/1 all"])
  }
}
