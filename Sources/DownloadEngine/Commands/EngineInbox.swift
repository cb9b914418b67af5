internal import DownloadCore
internal import Glibc
internal import DownloadTransport

/// How an engine is to stop.
package enum StopChoice: Int, Sendable, Comparable {
  /// Nothing new begins; what is active is finished.
  case finish
  /// Transfers end, and what there is stays resumable. Files that are complete get their names.
  case save
  /// As `save`, but within a second: a file whose sync takes longer does not get its name.
  case now

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Commands of one call, and who wants their answers.
struct EngineOrder: Sendable {
  let commands: [EngineCommand]
  /// Called when the commands are obeyed, with the number of the last batch of events before that.
  var obeyed: (@Sendable ([EngineAnswer], _ batch: Int) -> Void)?
  let answer: (@Sendable ([EngineAnswer]) -> Void)?
}

/// What other threads want of an engine's thread. It wakes the loop, and ends the waits of the engine's thread.
final class EngineInbox: Sendable {
  private struct State {
    var orders: [EngineOrder] = []
    var stop: StopChoice?
    var reason: Failure?
    var urgentCount = 0
    var hasReleases = false
  }

  private let state = Lock(State())
  private let wakeup = Wakeup()

  /// Readable while there is something that `takeOrders` has not given.
  var descriptor: Int32 { wakeup.descriptor }

  func post(_ order: EngineOrder) {
    state.withLock { $0.orders.append(order) }
    wakeup.signal()
  }

  /// A choice that wants less than an earlier one changes nothing; the first reason counts.
  func stop(_ choice: StopChoice, because reason: Failure?) {
    state.withLock {
      $0.stop = max($0.stop ?? choice, choice)
      $0.reason = $0.reason ?? reason
      if choice == .now { $0.urgentCount += 1 }
    }
    wakeup.signal()
  }

  /// Has the loop look again at what it may begin.
  func nudge() { wakeup.signal() }

  /// Another engine of this process has released targets.
  func noteReleases() {
    state.withLock { $0.hasReleases = true }
    wakeup.signal()
  }

  /// Whether there were such releases since the last call.
  func takeReleases() -> Bool {
    state.withLock { state in
      defer { state.hasReleases = false }
      return state.hasReleases
    }
  }

  func takeOrders() -> [EngineOrder] {
    wakeup.clear()
    return state.withLock { state in
      let orders = state.orders
      state.orders = []
      return orders
    }
  }

  var hasOrders: Bool { state.withLock { !$0.orders.isEmpty } }

  /// How the engine is to stop, and what the run ends with then if something is left to do.
  var stop: (choice: StopChoice?, reason: Failure?) { state.withLock { ($0.stop, $0.reason) } }

  /// How often it was told not to wait for anything.
  var urgentCount: Int { state.withLock { $0.urgentCount } }

  /// Waits until the descriptor is readable.
  ///
  /// - Parameters:
  ///   - count: of `urgentCount`; that many do not end this wait.
  ///   - patience: how long it waits; nil is unlimited.
  /// - Returns: false where a further one has come before that, or the time is over.
  func wait(for descriptor: Int32, but count: Int = 0, atMost patience: Duration? = nil) -> Bool {
    let end = patience.map { Clock.now() + $0 }
    while true {
      wakeup.clear()
      if urgentCount > count { return false }
      let left = end.map { max(.zero, $0 - Clock.now()).wholeMilliseconds }
      var entries = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let ready = poll(&entries, 2, left.map { Int32(clamping: $0 + 1) } ?? -1)
      if ready < 0, errno != EINTR { return true }
      if ready == 0 { return false }
      if ready > 0, entries[0].revents != 0, entries[1].revents == 0 { return true }
    }
  }
}
