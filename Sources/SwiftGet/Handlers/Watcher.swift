internal import DownloadCore

/// Wakes one Swift task that waits for news. News that come while it does not wait are one.
final class Watcher: Sendable {
  private enum Condition {
    case idle
    case signalled
    case waiting(CheckedContinuation<Void, Never>)
  }

  private let state = Lock(Condition.idle)

  /// There are news. Any thread may call.
  func signal() {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard case .waiting(let continuation) = state else {
        state = .signalled
        return nil
      }
      state = .idle
      return continuation
    }
    waiting?.resume()
  }

  /// Waits for news, or for the end of the Swift task. One call at a time.
  nonisolated(nonsending) func next() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isSignalled = state.withLock { state -> Bool in
          if case .signalled = state {
            state = .idle
            return true
          }
          state = .waiting(continuation)
          return false
        }
        if isSignalled { continuation.resume() }
      }
    } onCancel: {
      signal()
    }
  }
}
