internal import DownloadCore
internal import DownloadStore

/// The state of a session as an earlier process has left it, made of rows that come one by one.
struct RestoredSession {
  /// What the engine has to do with a task.
  struct Task {
    let id: TaskID
    let rank: Int64
    let want: StoredTask.Want
  }

  private var state: SessionState
  private(set) var tasks: [Task] = []
  /// How many rows make no sense.
  private(set) var unusableCount = 0
  private var ends: [Int64: TaskID] = [:]
  private var directory: [UInt8] = []

  /// - Parameter state: as the caller configures it.
  init(_ state: SessionState) { self.state = state }

  mutating func begin(_ session: StoredSession, _ groups: [StoredGroup]) {
    // What the caller configures counts more than what was stored.
    let configured = state.groups.session
    state.groups.restore(session, groups)
    state.groups.session.limits.apply(configured.limits)
    state.groups.session.settings.apply(configured.settings)
  }

  /// A row that makes no sense stays in the store, and nothing else is done with it.
  ///
  /// - Parameter lacks: whether this process has nothing that meets a need.
  mutating func take(_ row: StoredTask, lacks: (StoredNeed) -> Bool) {
    guard let record = state.record(of: row, sharing: &directory, lacks: lacks) else {
      unusableCount += 1
      return
    }
    state.insert(record)
    tasks.append(Task(id: row.id, rank: row.rank, want: row.want))
    if let end = row.end { ends[end.number] = row.id }
  }

  /// All tasks have come.
  ///
  /// - Returns: the state, which it has no more: a second reference would have the first change copy it.
  mutating func end(_ numbers: StoredNumbers) -> SessionState {
    state.restore(numbers, ends: ends)
    tasks.sort { ($0.rank, $0.id) < ($1.rank, $1.id) }
    (ends, directory) = ([:], [])
    var ended = SessionState(historyLimit: 0)
    swap(&ended, &state)
    return ended
  }
}
