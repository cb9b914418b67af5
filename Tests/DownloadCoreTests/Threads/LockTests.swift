import Glibc
import Synchronization
import Testing

@testable import DownloadCore

@Suite struct `Mutual exclusion` {
  private final class Shared: Sendable {
    let counter = Lock(0)
    let ended = Atomic<Int>(0)
  }

  private static func start(_ shared: Shared, _ body: @escaping @Sendable (Shared) -> Void) -> pthread_t {
    final class Start: Sendable {
      let run: @Sendable () -> Void
      init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start { body(shared) })
    pthread_create(
      &thread, nil,
      { context in
        Unmanaged<Start>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, start.toOpaque())
    return thread
  }

  @Test func `no change is lost between threads`() {
    let shared = Shared()
    let threads = (0..<4).map { _ in
      Self.start(shared) { shared in
        for _ in 0..<10_000 { shared.counter.withLock { $0 += 1 } }
      }
    }
    for thread in threads { pthread_join(thread, nil) }
    #expect(shared.counter.withLock { $0 } == 40_000)
  }

  @Test func `a lock that another thread holds is not available`() {
    let shared = Shared()
    let found = shared.counter.withLock { _ in
      let thread = Self.start(shared) { shared in
        let value: Int? = shared.counter.withLockIfAvailable { $0 }
        shared.ended.store(value == nil ? 1 : 2, ordering: .relaxed)
      }
      pthread_join(thread, nil)
      return shared.ended.load(ordering: .relaxed)
    }
    #expect(found == 1)
    #expect(shared.counter.withLockIfAvailable { $0 } == 0)
  }

  @Test func `an error releases the lock`() {
    struct Failure: Error {}
    let lock = Lock(1)
    #expect(throws: Failure.self) { try lock.withLock { _ throws(Failure) in throw Failure() } }
    #expect(lock.withLockIfAvailable { $0 } == 1)
  }
}
