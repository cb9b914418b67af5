import Testing

@testable import DownloadCore

/// Files that wait for one host, and files that are taken from it.
@Suite struct `Places of files at a host` {
  private func add(_ item: ItemHandle, to trace: FileTrace, priority: Int = 0) {
    trace.control { run, now, actions in
      let machine = FileMachine(
        item: item, mirrors: [FileTrace.location("a", path: "/\(item.number)")], digests: [], expectedLength: nil,
        settings: run.fileSettings, beginning: .fresh, now: now)
      run.add(machine, priority: priority, now: now, &actions)
    }
  }

  /// The host admits one transfer at a time.
  private func trace() -> FileTrace { FileTrace(hosts: ["a"]) { $0.limits.maxConnectionsPerHost = 1 } }

  /// The driver takes a file back that is paused, or ends one, for example on a full file system.
  @Test func `come back from a file that is forgotten`() {
    let trace = trace()
    add(1, to: trace)
    _ = trace.take()
    trace.control { run, _, _ in run.forget(0) }
    trace.wait(milliseconds: 10)
    #expect(trace.take() == ["get 1 a/1 all"])
    #expect(trace.run.governor(of: FileTrace.location("a").origin)?.active == 1)
  }

  @Test func `are not kept for a file that is forgotten while it waits`() {
    let trace = trace()
    for item in 1...2 { add(ItemHandle(item), to: trace) }
    trace.control { run, _, _ in
      run.forget(1)
      run.forget(0)
    }
    _ = trace.take()
    trace.wait(milliseconds: 10)
    #expect(trace.take() == ["get 1 a/2 all"])
  }

  @Test func `go to the file with the highest priority first`() {
    let trace = trace()
    for item in 1...5 { add(ItemHandle(item), to: trace, priority: item == 5 ? 1 : 0) }
    _ = trace.take()
    trace.control { run, _, _ in run.prioritize(2, 2) }
    trace.control { run, _, _ in run.prioritize(1, -1) }
    var order: [String] = []
    for id in 0..<6 {
      trace.head(id, 200, length: 100)
      trace.advanced(id, 100)
      trace.ended(id)
      order += trace.take().filter { $0.hasPrefix("get") }.map { String($0.split(separator: " ")[2]) }
    }
    #expect(order == ["a/2", "a/5", "a/3", "a/4", "a/1"])
  }
}
