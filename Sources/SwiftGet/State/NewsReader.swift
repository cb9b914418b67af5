internal import DownloadCore
internal import DownloadJSON

/// Reads what the process that works on a session tells, so that the state here becomes that of the session.
struct NewsReader {
  /// The tasks that were told since everything is told anew; nil once that is done.
  private var told: Set<TaskID>?
  /// Tasks that were not told anew: whether the session still has them must be asked.
  var doubtful: [TaskID] = []
  /// Of the last task. Tasks of one directory share it.
  private var directory: [UInt8] = []

  /// Whether the state has everything that there was.
  var isComplete: Bool { told == nil }

  /// Everything is told anew from now on.
  mutating func begin() { told = [] }

  /// - Parameters:
  ///   - method: the name of the news in the protocol. Unknown ones are ignored.
  ///   - parameters: an object.
  mutating func take(
    _ method: String, _ parameters: JSONValue, _ state: inout SessionState, _ moment: Moment,
    _ effects: inout StateEffects
  ) {
    switch method {
    case "task", "ended":
      guard let record = TaskRecord(told: parameters, &state.groups, sharing: &directory) else { return }
      told?.insert(record.id)
      state.follow(record, end: method == "ended" ? parameters["seq"]?.integer : nil, moment, &effects)
    case "removed":
      guard let id = parameters["id"]?.string.flatMap({ DownloadTaskID($0) }) else { return }
      state.followRemoval(of: id.number, moment, &effects)
    case "session": if let told = GroupTable(told: parameters) { state.follow(rulesOf: told, moment, &effects) }
    case "totals": state.tellTotals(moment, &effects)
    case "gap": begin()
    case "up_to_date":
      guard let told else { return }
      doubtful += state.records.all.lazy.map(\.id).filter { !told.contains($0) }
      self.told = nil
    default: break
    }
  }
}
