internal import DownloadCore
internal import DownloadJSON

/// The flags, limits and settings of a session and its groups, as other processes hear of them.
extension GroupTable {
  var sessionText: JSONObject {
    var object = JSONObject()
    object.add("paused", session.isPaused)
    object.add("limits", session.limits.json)
    object.add("settings", session.settings.json)
    object.add("groups", groupsText)
    return object
  }

  var groupsText: [JSONObject] {
    all.filter(\.isKnown).map { group in
      var entry = JSONObject()
      entry.add("name", group.name)
      entry.add("paused", group.rules.isPaused)
      entry.add("files", Int64(group.taskCount))
      entry.add("limits", group.rules.limits.json)
      entry.add("settings", group.rules.settings.json)
      return entry
    }
  }

  /// A table with these and without tasks; nil for what is no `sessionText`.
  init?(told json: JSONValue) {
    guard let isPaused = json["paused"]?.boolean, let limits = json["limits"].flatMap({ DownloadLimits(json: $0) }),
      let settings = json["settings"].flatMap({ DownloadSettings(json: $0) })
    else { return nil }
    self.init()
    session = ScopeRules(isPaused: isPaused, limits: limits, settings: settings)
    for entry in json["groups"]?.elements.map({ Array($0) }) ?? [] {
      guard let group = entry["name"]?.string.flatMap({ id(of: $0) }) else { return nil }
      self[group].rules = ScopeRules(
        isPaused: entry["paused"]?.boolean ?? false,
        limits: entry["limits"].flatMap { DownloadLimits(json: $0) } ?? DownloadLimits(),
        settings: entry["settings"].flatMap { DownloadSettings(json: $0) } ?? DownloadSettings())
    }
  }
}
