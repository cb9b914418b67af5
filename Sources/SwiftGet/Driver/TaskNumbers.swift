internal import DownloadCore

/// Gives ids for tasks that no task of any process has had: the milliseconds since 2020 in the upper bits, and a counter.
enum TaskNumbers {
  private static let last = Lock<UInt64>(0)
  /// 2020-01-01, since 1970.
  private static let epoch = Duration.seconds(1_577_836_800)
  private static let counterBits: UInt64 = 22

  /// Later ids are greater than this one.
  static func follow(_ id: TaskID) { last.withLock { $0 = max($0, id.number) } }

  /// - Parameter wall: since 1970. The clock may go back.
  static func next(_ wall: Duration = Moment.current.wall) -> TaskID {
    let milliseconds = UInt64(clamping: (wall - epoch).wholeMilliseconds)
    return last.withLock { last in
      last = max(last + 1, milliseconds << counterBits)
      return TaskID(last)
    }
  }
}
