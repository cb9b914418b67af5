internal import DownloadCore
internal import DownloadJSON

/// Reads what the process that works on a session reports, so that the state here becomes that of the session.
struct NewsReader {
  /// The tasks that were reported since everything is reported anew; nil once that is done.
  private var reported: Set<TaskID>?
  /// Tasks that were not reported anew: whether the session still has them must be asked.
  var doubtful: [TaskID] = []
  /// Of the last task. Tasks of one directory share it.
  private var directory: [UInt8] = []

  /// Whether the state has everything that there was.
  var isComplete: Bool { reported == nil }

  /// Everything is reported anew from now on.
  mutating func begin() { reported = [] }

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
      reported?.insert(record.id)
      state.follow(record, end: method == "ended" ? parameters["seq"]?.integer : nil, moment, &effects)
    case "removed":
      guard let id = parameters["id"]?.string.flatMap({ DownloadTaskID($0) }) else { return }
      state.followRemoval(of: id.number, moment, &effects)
    case "session": if let told = GroupTable(told: parameters) { state.follow(rulesOf: told, moment, &effects) }
    case "totals": state.tellTotals(moment, &effects)
    case "gap": begin()
    case "up_to_date":
      guard let reported else { return }
      doubtful += state.records.all.lazy.map(\.id).filter { !reported.contains($0) }
      self.reported = nil
    default: break
    }
  }
}
