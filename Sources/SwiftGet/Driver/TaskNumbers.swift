internal import DownloadCore
internal import Glibc

/// Gives ids for tasks that no task of any process has had: the milliseconds since 2020 in the upper bits, and a counter.
enum TaskNumbers {
  private static let last = Lock<UInt64>(0)
  /// 2020-01-01 in seconds since 1970.
  private static let epoch = 1_577_836_800
  private static let counterBits: UInt64 = 22

  /// Later ids are greater than this one.
  static func follow(_ id: TaskID) { last.withLock { $0 = max($0, id.number) } }

  static func next() -> TaskID {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let milliseconds = UInt64(clamping: (time.tv_sec - epoch) * 1000 + time.tv_nsec / 1_000_000)
    return last.withLock { last in
      last = max(last + 1, milliseconds << counterBits)
      return TaskID(last)
    }
  }
}
