@testable import DownloadEngine
import Glibc
import TestSupport
import Testing

@Suite struct `A worker thread` {
  @Test func `runs its body on another thread and can be joined`() throws {
    let own = UInt(pthread_self())
    let found = Locked<(thread: UInt, hasEnded: Bool)>((0, false))
    let thread = try #require(
      WorkerThread {
        found.withLock { $0.thread = UInt(pthread_self()) }
        pause(seconds: 0.1)
        found.withLock { $0.hasEnded = true }
      })
    thread.join()
    #expect(found.withLock { $0.hasEnded })
    #expect(found.withLock { $0.thread } != own)
  }

  @Test func `releases the captures of its body at its end`() throws {
    final class Held: Sendable {}
    weak var held: Held?
    do {
      let object = Held()
      held = object
      let thread = try #require(WorkerThread { withExtendedLifetime(object) {} })
      thread.join()
    }
    #expect(held == nil)
  }
}
