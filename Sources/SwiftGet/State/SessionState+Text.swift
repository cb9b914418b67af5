internal import DownloadCore
internal import DownloadJSON

/// The flags, limits and settings of a session and its groups, as other processes hear of them.
extension SessionState {
  var sessionText: JSONObject {
    var object = JSONObject()
    object.add("paused", isPaused)
    object.add("limits", limits.json)
    object.add("settings", settings.json)
    object.add("groups", groupsText)
    return object
  }

  var groupsText: [JSONObject] {
    groups.all.filter(\.isKnown).map { group in
      var entry = JSONObject()
      entry.add("name", group.name)
      entry.add("paused", group.isPaused)
      entry.add("files", Int64(group.taskCount))
      entry.add("limits", group.limits.json)
      entry.add("settings", group.settings.json)
      return entry
    }
  }

  /// A state with these and without tasks; nil for what is no `sessionText`.
  init?(told json: JSONValue) {
    guard let isPaused = json["paused"]?.boolean, let limits = json["limits"].flatMap({ DownloadLimits(json: $0) }),
      let settings = json["settings"].flatMap({ DownloadSettings(json: $0) })
    else { return nil }
    self.init(historyLimit: 0)
    (self.isPaused, self.limits, self.settings) = (isPaused, limits, settings)
    for entry in json["groups"]?.elements.map({ Array($0) }) ?? [] {
      guard let group = entry["name"]?.string.flatMap({ groups.id(of: $0) }) else { return nil }
      groups[group].isPaused = entry["paused"]?.boolean ?? false
      groups[group].limits = entry["limits"].flatMap { DownloadLimits(json: $0) } ?? DownloadLimits()
      groups[group].settings = entry["settings"].flatMap { DownloadSettings(json: $0) } ?? DownloadSettings()
    }
  }
}
