/// A session at one moment, as `ctl watch` shows it. All texts are for a terminal: nothing in them is raw.
package struct WatchPicture: Sendable, Equatable {
  /// The states of tasks that have settled.
  package static let settledStates = ["succeeded", "failed", "cancelled"]

  /// A task of the list.
  package struct Task: Sendable, Equatable {
    package var id = ""
    package var number: Int64 = 0
    package var name = ""
    package var state = ""
    package var bytes: Int64 = 0
    /// Nil if it is not known.
    package var size: Int64?
    /// Bytes per second; 0 while nothing arrives.
    package var rate: Int64 = 0
    package var connections: Int64 = 0
    /// Why it is in its state; empty if there is nothing to say.
    package var reason = ""

    package init() {}
  }

  /// A host of active tasks.
  package struct WatchedHost: Sendable, Equatable {
    package var name = ""
    package var connections: Int64 = 0
    /// Connections that it accepts, as far as is known.
    package var limit: Int64 = 0
    /// Requests per second that it accepts; nil if no limit was met.
    package var requestRate: Double?
    /// How long it is left alone; nil if it is not.
    package var pause: Duration?
    package var isUnreachable = false
    /// Bytes per second.
    package var rate: Int64 = 0

    package init() {}
  }

  /// The end of a task.
  package struct Event: Sendable, Equatable {
    /// Of the end; it only increases.
    package let number: Int64
    package let text: String

    package init(number: Int64, text: String) { (self.number, self.text) = (number, text) }
  }

  /// How many tasks are in a state.
  package struct StateCount: Sendable, Equatable {
    package let state: String
    package let count: Int64

    package init(_ state: String, _ count: Int64) { (self.state, self.count) = (state, count) }
  }

  /// The written ranges of a task's file.
  package struct FileMap: Sendable, Equatable {
    /// Its id.
    package let task: String
    package let ranges: [Range<Int64>]

    package init(task: String, ranges: [Range<Int64>]) { (self.task, self.ranges) = (task, ranges) }
  }

  package var session = ""
  /// The process that works on the session; nil if none does.
  package var process: Int64?
  /// What is wrong with the connection, or said about it.
  package var note: String?
  package var isPaused = false
  package var fileCount: Int64 = 0
  /// States in the order in which they are shown, each with the number of its tasks.
  package var counts: [StateCount] = []
  package var bytes: Int64 = 0
  /// Nil while the size of a file is not known.
  package var size: Int64?
  package var rate: Int64 = 0
  /// Bytes per second, one for each second, the last one at the end.
  package var rates = RateHistory()
  /// Those that have a line, in their order. There may be more in the session.
  package var tasks: [Task] = []
  package var hosts: [WatchedHost] = []
  package var map: FileMap?
  /// The last ends, the latest at the end.
  package var events: [Event] = []

  package init() {}

  package func count(of state: String) -> Int64 { counts.first { $0.state == state }?.count ?? 0 }

  /// The time that is left; nil if it cannot be said.
  package var timeLeft: TimeRange? {
    guard let size, size > bytes else { return nil }
    return rates.timeLeft(for: size - bytes)
  }
}

/// Rates of the last minute, one for each second.
package struct RateHistory: Sendable, Equatable {
  private(set) var rates: [Int64] = []

  /// Rates that are kept.
  static let capacity = 60
  /// Fewer say nothing of the time that is left.
  private static let least = 5

  package init() {}

  package mutating func add(_ rate: Int64) {
    rates.append(max(0, rate))
    if rates.count > Self.capacity { rates.removeFirst() }
  }

  /// How long bytes may take: as long as with a low rate of the last minute and a high one. A quarter of the rates are
  /// below the low one, and a quarter above the high one.
  package func timeLeft(for byteCount: Int64) -> TimeRange? {
    guard rates.count >= Self.least else { return nil }
    let sorted = rates.sorted()
    let (low, high) = (sorted[sorted.count / 4], sorted[sorted.count - 1 - sorted.count / 4])
    guard high > 0 else { return nil }
    return TimeRange(
      least: .seconds(byteCount / high), most: low > 0 ? .seconds((byteCount + low - 1) / low) : nil)
  }
}

/// How long something may take.
package struct TimeRange: Sendable, Equatable {
  package let least: Duration
  /// Nil if there is no bound.
  package let most: Duration?

  package init(least: Duration, most: Duration?) { (self.least, self.most) = (least, most) }
}
