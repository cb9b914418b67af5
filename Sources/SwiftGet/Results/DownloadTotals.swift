/// All files of a session, a group or another set of tasks together.
///
/// Those of a session and of a group cover what is unsettled, and what has settled since nothing was unsettled last.
public struct DownloadTotals: Hashable, Sendable, CustomStringConvertible {
  /// What the tasks do together.
  public enum Activity: Hashable, Sendable {
    /// There is no task, or all have settled.
    case settled
    /// A file is fetched or checked, or may begin.
    case active
    /// Nothing can go on at present, because of a host, the disk or another process.
    case waiting
    /// All that has not settled is paused.
    case paused
  }

  /// What the tasks do together.
  public internal(set) var activity = Activity.settled
  /// The bytes of all files. The whole is nil while a size is unknown. A failed file counts with the bytes that have come,
  /// one that was cancelled does not count.
  public internal(set) var progress = DownloadProgress()
  /// The number of tasks in each state; states without tasks are missing.
  public internal(set) var counts: [DownloadTaskState.Kind: Int] = [:]
  /// The number of the session's last end, 0 before the first. Ends are counted over all tasks of the session.
  public internal(set) var lastEnd: Int64 = 0
  /// Tasks that are worked on, or begin in the next free place.
  var activeCount = 0

  /// Tasks.
  public var files: Int { counts.values.reduce(0, +) }
  /// Tasks that have succeeded.
  public var filesDone: Int { counts[.succeeded] ?? 0 }
  /// The space that the files take, also unfinished ones, without their records and rounding to blocks.
  public var bytesOnDisk: Int64 { progress.bytes }
  /// Tasks that have not settled.
  public var unsettled: Int { counts.reduce(0) { $1.key.isSettled ? $0 : $0 + $1.value } }

  /// `2 of 3 files, 1.2 GiB of 4.5 GiB, 34 MiB/s, 1:37 left`.
  public var description: String {
    "\(filesDone) of \(files) file\(files == 1 ? "" : "s"), \(progress)"
      + ((counts[.failed] ?? 0) > 0 ? ", \(counts[.failed] ?? 0) failed" : "")
  }
}
