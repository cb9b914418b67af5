import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadTransport

@Suite(.waiting) struct `Hosts that are not found` {
  /// - Returns: how often the resolver was asked.
  private func run(_ lookup: HostLookup, _ configure: (inout RunSettings) -> Void = { _ in }) throws -> (
    EngineRun, Int
  ) {
    let count = Locked(0)
    let directory = try TemporaryDirectory()
    let requests = [
      try request(0, "http://mistyped.invalid/a", name: "a"), try request(1, "http://mistyped.invalid/b", name: "b"),
    ]
    let run = try EngineRun(
      requests, into: directory,
      {
        // Others compute meanwhile.
        $0.transport.connectTimeout = .seconds(600)
        configure(&$0)
      }
    ) { engine, _ in
      engine.configure {
        $0.transferRunner.lookups.resolver = { _ in
          count.withLock { $0 += 1 }
          return lookup
        }
      }
    }
    return (run, count.withLock { $0 })
  }

  private func isUnknown(_ error: Failure?) -> Bool {
    if case .transfer(.unknownHost, _, _, _)? = error?.cause { true } else { false }
  }

  @Test func `fail after two tries where the resolver does not know them`() throws {
    let (run, count) = try run(.unknown)
    #expect(isUnknown(run.error(0)) && isUnknown(run.error(1)), "\(String(describing: run.error(0)))")
    // One for the transfers that failed together, one for the probe.
    #expect((2...3).contains(count), "\(count)")
  }

  @Test func `are unreachable where nothing is certain`() throws {
    let (run, count) = try run(.uncertain) { $0.file.tries = 3 }
    guard case .transfer(.nameLookup, _, _, _)? = run.error(0)?.cause else {
      Issue.record("\(String(describing: run.error(0)))")
      return
    }
    #expect((3...4).contains(count), "\(count)")
  }

  @Test func `are looked for a few at a time`() throws {
    let (now, most, all) = (Locked(0), Locked(0), Locked<Set<String>>([]))
    let directory = try TemporaryDirectory()
    let requests = try (0..<60).map { try request($0, "http://mistyped\($0).invalid/a", name: "\($0)") }
    let run = try EngineRun(requests, into: directory, { _ in }) { engine, _ in
      engine.configure {
        $0.transferRunner.lookups.resolver = { host in
          let count = now.withLock {
            $0 += 1; return $0
          }
          most.withLock { $0 = max($0, count) }
          usleep(10_000)
          now.withLock { $0 -= 1 }
          _ = all.withLock { $0.insert(host) }
          return .unknown
        }
      }
    }
    #expect(run.end.progress.failedCount == 60 && all.withLock { $0.count } == 60)
    #expect((2...8).contains(most.withLock { $0 }), "\(most.withLock { $0 })")
  }

  @Test func `are those that the system does not know`() {
    guard case .uncertain = HostLookup.of("localhost"), case .uncertain = HostLookup.of("127.0.0.1") else {
      Issue.record("a host that exists is unknown")
      return
    }
    // Longer than a label may be: no server is asked.
    guard case .unknown = HostLookup.of(String(repeating: "x", count: 300)) else {
      Issue.record("a host that cannot exist is not unknown")
      return
    }
  }
}
