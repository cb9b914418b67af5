internal import DownloadCore

/// What a session knows of one task.
struct TaskRecord: Sendable {
  enum Phase: Hashable, Sendable {
    case waiting(DownloadTask.Wait)
    case running
    case verifying
    case succeeded(DownloadedFile)
    case failed(DownloadError)
    case cancelled
  }

  let id: TaskID
  let number: Int
  var request: DownloadRequest
  /// Of the target, absolute.
  var path: [UInt8]
  var group: GroupID
  var priority: Int
  /// Among those of its priority the lowest comes first.
  var rank: Double
  /// By itself.
  var isPaused = false
  /// Those of the request, with later changes.
  var settings: DownloadSettings
  var phase = Phase.waiting(.slot)
  var bytes: Int64 = 0
  var total: Int64?
  var rate: Int64 = 0
  var failedAttempts = 0
  var startedSince1970: Duration?
  var endedSince1970: Duration?
  var head: Boxed<ResponseHead>?
  /// The file that this session has put there.
  var placed: PlacedFile?
  /// Whether it is to be forgotten when it ends, and its file with it; nil if it stays.
  var leaves: Leaving?
  /// In which stretches of work of session and group it is counted.
  var sessionStretch = 0
  var groupStretch = 0

  var isSettled: Bool {
    switch phase {
    case .waiting, .running, .verifying: false
    case .succeeded, .failed, .cancelled: true
    }
  }

  /// - Parameter flags: of group and session.
  func pauses(_ flags: DownloadTask.PausedBy) -> DownloadTask.PausedBy {
    isPaused ? flags.union(.task) : flags
  }

  /// - Parameter flags: of group and session.
  func state(_ flags: DownloadTask.PausedBy) -> DownloadTask.State {
    let pauses = pauses(flags)
    switch phase {
    case .waiting(let wait): return pauses.isEmpty ? .waiting(wait) : .paused(by: pauses)
    case .running: return pauses.isEmpty ? .running : .paused(by: pauses)
    case .verifying: return .verifying
    case .succeeded(let file): return .succeeded(file)
    case .failed(let error): return .failed(error)
    case .cancelled: return .cancelled
    }
  }

  func kind(_ flags: DownloadTask.PausedBy) -> DownloadTask.State.Kind {
    switch phase {
    case .waiting: pauses(flags).isEmpty ? .waiting : .paused
    case .running: pauses(flags).isEmpty ? .running : .paused
    case .verifying: .verifying
    case .succeeded: .succeeded
    case .failed: .failed
    case .cancelled: .cancelled
    }
  }

  /// - Parameter flags: of group and session.
  func share(_ flags: DownloadTask.PausedBy = []) -> Tally.Share {
    Tally.Share(kind: kind(flags), bytes: bytes, total: total, rate: rate)
  }

  /// What waiting calls get.
  var result: Result<DownloadedFile, DownloadError>? {
    switch phase {
    case .waiting, .running, .verifying: nil
    case .succeeded(let file): .success(file)
    case .failed(let error): .failure(error)
    case .cancelled: .failure(error(.cancelled, "the task was cancelled"))
    }
  }

  func error(_ code: DownloadError.Code, _ message: String) -> DownloadError {
    DownloadError(
      code, message, url: request.urls.first.map(PublicURL.text), path: String(decoding: path, as: UTF8.self),
      task: DownloadTask.ID(id))
  }

  func progress(_ flags: DownloadTask.PausedBy) -> DownloadProgress {
    var progress = DownloadProgress()
    progress.bytes = bytes
    progress.totalBytes = total
    progress.bytesPerSecond = rate > 0 && pauses(flags).isEmpty ? rate : nil
    return progress
  }

  /// - Parameters:
  ///   - flags: of group and session.
  ///   - state: in place of the present one.
  func snapshot(
    _ flags: DownloadTask.PausedBy, group name: String, state: DownloadTask.State? = nil
  ) -> DownloadTask.Snapshot {
    DownloadTask.Snapshot(
      DownloadTask.Snapshot.Fields(
        id: DownloadTask.ID(id), number: number, state: state ?? self.state(flags), progress: progress(flags),
        request: request, pathBytes: path, group: name, priority: priority, settings: settings,
        startedSince1970: startedSince1970, endedSince1970: endedSince1970, head: head?.value,
        failedAttempts: failedAttempts))
  }
}

/// What becomes of the file of a task that leaves.
enum Leaving: Sendable { case keepingFile, deletingFile }

/// What identifies a file that a session has put in its place.
struct PlacedFile: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
  let size: Int64
}
