import Dispatch
package import Testing

/// Runs the tests of a suite on threads of their own, because they wait for programs, servers and disks. Swift's own pool
/// has as many threads as cores, and one that waits is lost to all other tests.
package struct WaitingTests: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(WaitingThreads.shared) { try await body() }
  }
}

extension Trait where Self == WaitingTests {
  /// The tests wait much and compute little.
  package static var waiting: Self { Self() }
}

/// A few threads that take jobs in the order in which they come.
private final class WaitingThreads: TaskExecutor {
  static let shared = WaitingThreads(count: 6)

  private let jobs = Locked<[UnownedJob]>([])
  private let isAvailable = DispatchSemaphore(value: 0)

  private init(count: Int) {
    for _ in 0..<count { startThread { [self] in while true { runNext() } } }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    isAvailable.signal()
  }

  private func runNext() {
    isAvailable.wait()
    jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
  }
}
