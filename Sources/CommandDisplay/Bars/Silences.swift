package import DownloadCore

/// For how long active files have received nothing, so that a stall is told as such and not as a rate that fades.
package struct Silences {
  private struct Count {
    let byteCount: Int64
    /// Since the start of the run.
    let since: Duration
  }

  private var files: [TaskID: Count] = [:]
  private var elapsed = Duration.zero

  /// A shorter silence is no news.
  package static let shortest = Duration.seconds(5)

  package init() {}

  package mutating func update(_ progress: RunProgress) {
    elapsed = progress.elapsed
    var files: [TaskID: Count] = [:]
    for file in progress.active where file.phase == .receiving {
      let known = self.files[file.task]
      files[file.task] =
        known?.byteCount == file.doneByteCount ? known : Count(byteCount: file.doneByteCount, since: elapsed)
    }
    self.files = files
  }

  /// How long nothing has come for the file; nil while that is shorter than `shortest`, or where it waits for no bytes.
  package func silence(of task: TaskID) -> Duration? {
    files[task].map { elapsed - $0.since }.flatMap { $0 >= Self.shortest ? $0 : nil }
  }
}
