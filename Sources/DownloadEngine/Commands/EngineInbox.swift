internal import DownloadCore
internal import Glibc
internal import DownloadTransport

/// How an engine is to stop.
package enum StopChoice: Int, Sendable, Comparable {
  /// Nothing new begins; what is active is finished.
  case finish
  /// Within a second transfers end, and what there is stays resumable. Complete files get their names if syncing them does
  /// not take longer.
  case save
  /// As `save`, but nothing more gets its name.
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
    /// When it was first told not to finish.
    var stopTime: Instant?
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
      if choice > .finish, $0.stopTime == nil { $0.stopTime = Clock.now() }
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

  /// Waits until the descriptor is readable.
  ///
  /// - Parameter patience: how long the wait lasts from the order `save` on. The order `now` ends it.
  /// - Returns: false where the time was over before that.
  func wait(for descriptor: Int32, onceSaving patience: Duration) -> Bool {
    wait(for: descriptor) {
      let (choice, time) = state.withLock { ($0.stop, $0.stopTime) }
      return choice == .now ? .zero : time.map { $0 + patience }
    }
  }

  /// Waits so long for the descriptor, whatever is ordered.
  ///
  /// - Returns: whether it is readable.
  func wait(for descriptor: Int32, until end: Instant) -> Bool { wait(for: descriptor) { end } }

  private func wait(for descriptor: Int32, _ end: () -> Instant?) -> Bool {
    while true {
      wakeup.clear()
      let left = end().map { max(.zero, $0 - Clock.now()).wholeMilliseconds }
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
