import Testing

@testable import DownloadCore

/// What commands do to a run. That nothing is lost under any of them is shown by the simulated downloads.
@Suite struct `Commands to a run` {

  /// A run of files, each of its own host, of which so many may be active.
  private func trace(jobs: Int?, count: Int, hosts: (Int) -> String = { "h\($0)" }) -> FileTrace {
    let trace = FileTrace(hosts: [hosts(0)]) { $0.jobs = jobs }
    for item in 1..<count { add(item, to: trace, host: hosts(item)) }
    return trace
  }

  private func add(_ item: Int, to trace: FileTrace, host: String, group: Int = 0, priority: Int = 0) {
    trace.control { run, now, actions in
      let machine = FileMachine(
        item: item, mirrors: [FileTrace.location(host, path: "/\(item)")], digests: [], expectedLength: nil,
        settings: run.fileSettings, beginning: .fresh, now: now)
      run.add(machine, group: group, priority: priority, now: now, &actions)
    }
  }

  private func wantsRequests(_ trace: FileTrace) -> Bool { trace.run.wantsRequests(finishingCount: 0) }

  private func command(_ trace: FileTrace, _ selection: RunCommand.Selection, _ change: RunCommand.Change) -> [String] {
    trace.control { run, now, actions in run.command(selection, change, now: now, &actions) }
    return trace.take()
  }

  @Test func `let another file take the place of a paused one, which waits for a place when it is resumed`() {
    let trace = trace(jobs: 2, count: 2)
    #expect(trace.take() == ["get 0 h0/f all", "get 1 h1/1 all"])
    #expect(!wantsRequests(trace))
    #expect(command(trace, .item(0), .pause) == ["stop 0"])
    #expect(wantsRequests(trace))
    add(2, to: trace, host: "h2")
    #expect(trace.take() == ["get 2 h2/2 all"])
    #expect(command(trace, .item(0), .resume) == [])
    #expect(!wantsRequests(trace), "what is resumed comes before what is new")
    #expect(command(trace, .item(1), .cancel) == ["stop 1", "cancelled"])
    trace.control { run, _, _ in run.forget(1) }
    trace.wait(milliseconds: 10)
    #expect(trace.take() == ["get 3 h0/f all"])
  }

  @Test func `end an item that is paused`() {
    let trace = trace(jobs: 1, count: 1)
    _ = command(trace, .run, .pause)
    _ = trace.take()
    #expect(command(trace, .item(0), .remove) == ["removed"])
    trace.control { run, _, _ in run.forget(0) }
    #expect(trace.run.heldCount == 0 && !wantsRequests(trace), "the run is still paused")
    _ = command(trace, .run, .resume)
    #expect(wantsRequests(trace))
  }

  /// The driver ends items without a command too, for example on a full file system.
  @Test func `a file that is forgotten gives the slots of its transfers back`() {
    let trace = FileTrace(hosts: ["a"]) { $0.maxConnectionsPerHost = 1 }
    add(1, to: trace, host: "a")
    _ = trace.take()
    trace.control { run, _, _ in run.forget(0) }
    trace.wait(milliseconds: 10)
    #expect(trace.take() == ["get 1 a/1 all"])
    #expect(trace.run.governor(of: FileTrace.location("a").origin)?.active == 1)
  }

  @Test func `do not call back a file that is being published`() {
    let trace = trace(jobs: 1, count: 1)
    trace.head(0, 200, length: 100)
    trace.advanced(0, 100)
    trace.ended(0)
    _ = trace.take()
    #expect(trace.run.file(0)?.machine.phase == .concluding)
    #expect(command(trace, .item(0), .cancel) == [])
    trace.control { run, _, _ in run.concluded(0) }
    #expect(trace.run.file(0)?.machine.phase == .ended)
  }

  @Test func `end a file whose content turned out to be wrong meanwhile`() {
    let digest = ContentDigest(.md5, [UInt8](repeating: 1, count: 16))!
    let other = ContentDigest(.md5, [UInt8](repeating: 2, count: 16))!
    for (change, expected) in [(RunCommand.Change.cancel, "cancelled"), (.pause, nil)] {
      let trace = FileTrace(digests: [digest])
      trace.head(0, 200, length: 100)
      trace.advanced(0, 100)
      trace.ended(0)
      _ = trace.take()
      #expect(command(trace, .item(0), change) == [])
      trace.control { run, now, actions in
        run.mismatched(0, expected: ExpectedDigest(digest, .given), actual: other, now: now, &actions)
      }
      let told = trace.take()
      #expect(told.last == expected ?? "discard" && !told.contains { $0.hasPrefix("get") })
    }
  }

  @Test func `change the order in which items get their host`() {
    // The host admits one transfer at a time.
    let trace = FileTrace(hosts: ["a"]) { $0.maxConnectionsPerHost = 1 }
    for item in 1...5 { add(item, to: trace, host: "a", group: item % 2, priority: item == 5 ? 1 : 0) }
    _ = trace.take()
    _ = command(trace, .item(2), .prioritize(2))
    _ = command(trace, .group(1), .moveToBack)
    _ = command(trace, .item(4), .moveToFront)
    var order: [String] = []
    for id in 0..<6 {
      trace.head(id, 200, length: 100)
      trace.advanced(id, 100)
      trace.ended(id)
      order += trace.take().filter { $0.hasPrefix("get") }.map { String($0.split(separator: " ")[2]) }
    }
    #expect(order == ["a/2", "a/5", "a/4", "a/1", "a/3"])
  }

  @Test func `reach items that begin later`() {
    let trace = trace(jobs: nil, count: 1)
    _ = command(trace, .group(3), .pause)
    _ = trace.take()
    add(1, to: trace, host: "b", group: 3)
    #expect(trace.take() == [] && trace.run.heldCount == 1)
    #expect(command(trace, .group(3), .resume) == ["get 1 b/1 all"])
    _ = command(trace, .item(2), .cancel)
    add(2, to: trace, host: "c")
    #expect(trace.take() == ["cancelled"])
  }
}
