import Glibc
import TestSupport
import Testing

@testable import DownloadEngine
@testable import DownloadTransport

@Suite(.waiting) struct `A worker thread` {
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

  @Test func `leaves nothing behind where nobody joins it`() async {
    await #expect(processExitsWith: .success) {
      func mappedPageCount() throws -> Int {
        let text = String(decoding: try readFile("/proc/self/statm"), as: UTF8.self)
        return try #require(Int(text.prefix { $0 != " " }))
      }
      let before = try mappedPageCount()
      for _ in 0..<100 {
        let ended = Wakeup()
        _ = try #require(WorkerThread { ended.signal() })
        ended.wait()
      }
      // The stack of each takes 8 MiB.
      #expect(try (mappedPageCount() - before) * 4096 < 50 * 8 << 20)
    }
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

  @Test func `can write to a pipe without a reader, whatever the process does about that`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_DFL)
      let found = Locked<Int32>(0)
      let thread = try #require(
        WorkerThread {
          var ends: [Int32] = [0, 0]
          pipe(&ends)
          close(ends[0])
          let written = write(ends[1], "x", 1)
          found.withLock { $0 = written < 0 ? errno : 0 }
        })
      thread.join()
      #expect(found.withLock { $0 } == EPIPE)
    }
  }
}
