internal import DownloadCore
internal import DownloadJSON

/// What commands have changed, as JSON.
extension CommandEffect {
  /// - Parameter namesTasks: whether the ids of the changed tasks are told.
  func json(namesTasks: Bool) -> JSONObject {
    var object = json
    if namesTasks { object.add("changed_ids", changedTasks.map { DownloadTaskID($0).description }) }
    return object
  }

  var json: JSONObject {
    var object = JSONObject()
    object.add("changed", Int64(changed))
    object.add("unchanged", Int64(unchanged))
    if finishing > 0 { object.add("finishing", Int64(finishing)) }
    if notResumable > 0 { object.add("not_resumable", Int64(notResumable)) }
    if stillPaused > 0 { object.add("still_paused", Int64(stillPaused)) }
    if !pausedBy.isEmpty { object.add("paused_by", pausedBy.names) }
    if !failures.isEmpty {
      object.add(
        "failures",
        failures.map { error in
          var failure = error.json
          if let task = error.task { failure.add("id", task.description) }
          return failure
        })
    }
    return object
  }

  /// Nil for what is no effect.
  init?(json: JSONValue) {
    guard let changed = json["changed"]?.integer, let unchanged = json["unchanged"]?.integer else { return nil }
    self.init()
    self.changed = Int(clamping: changed)
    self.unchanged = Int(clamping: unchanged)
    finishing = Int(clamping: json["finishing"]?.integer ?? 0)
    notResumable = Int(clamping: json["not_resumable"]?.integer ?? 0)
    stillPaused = Int(clamping: json["still_paused"]?.integer ?? 0)
    pausedBy = DownloadTaskPausedBy(names: json["paused_by"]?.elements?.compactMap(\.string) ?? [])
    failures = (json["failures"]?.elements.map { Array($0) } ?? []).compactMap { failure in
      let error = DownloadError(json: failure)
      return failure["id"]?.string.flatMap { DownloadTaskID($0) }.flatMap { error?.about($0) } ?? error
    }
  }
}

extension DownloadTaskPausedBy {
  private static let all: [(flag: DownloadTaskPausedBy, name: String)] = [
    (.task, "task"), (.group, "group"), (.session, "session"),
  ]

  /// `task`, `group`, `session`.
  var names: [String] { Self.all.filter { contains($0.flag) }.map(\.name) }

  /// Names that are not known are ignored.
  init(names: [String]) { self = Self.all.reduce(into: []) { if names.contains($1.name) { $0.insert($1.flag) } } }
}

extension DownloadDifferences {
  private static let all: [(part: DownloadDifferences, name: String)] = [
    (.group, "group"), (.priority, "priority"), (.settings, "settings"), (.info, "info"),
  ]

  var names: [String] { Self.all.filter { contains($0.part) }.map(\.name) }

  /// Names that are not known are ignored.
  init(names: [String]) { self = Self.all.reduce(into: []) { if names.contains($1.name) { $0.insert($1.part) } } }
}
