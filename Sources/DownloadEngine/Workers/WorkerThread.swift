internal import CSwiftGetShims
internal import Glibc
internal import DownloadTransport

/// A thread for blocking work, outside Swift's cooperative pool. SIGPIPE and SIGXFSZ are blocked on it, whatever the
/// process does about them.
///
/// One that nobody joins goes on when this object is gone, and leaves nothing behind at its end.
package final class WorkerThread {
  private let thread: pthread_t
  private let hasEnded: Wakeup
  private var isJoined = false

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs `body` on a new thread. Returns nil if the system has no more threads.
  package init?(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let hasEnded = Wakeup()
    let box = Unmanaged.passRetained(
      Body {
        body()
        hasEnded.signal()
      })
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        shim_block_write_signals()
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      return nil
    }
    self.thread = thread
    self.hasEnded = hasEnded
  }

  deinit { if !isJoined { pthread_detach(thread) } }

  /// Readable once the thread has done its work.
  var endDescriptor: Int32 { hasEnded.descriptor }

  /// Waits for the thread's end; once.
  package func join() {
    pthread_join(thread, nil)
    isJoined = true
  }
}
