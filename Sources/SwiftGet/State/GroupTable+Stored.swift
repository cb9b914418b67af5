internal import DownloadCore
internal import DownloadJSON
internal import DownloadStore

/// What is stored of a session and its groups.
extension GroupTable {
  /// The row of a group, or of the session with nil.
  ///
  /// - Parameter rules: what holds for it then.
  func row(of group: GroupID?, _ rules: ScopeRules) -> StoreChange {
    group.map { StoreChange.putGroup(rules.storedGroup(self[$0].name)) } ?? .putSession(rules.storedSession)
  }

  /// Takes over what an earlier process has left.
  mutating func restore(_ session: StoredSession, _ stored: [StoredGroup]) {
    self.session.restore(isPaused: session.isPaused, limits: session.limits, settings: session.settings)
    for row in stored {
      guard let group = id(of: row.name) else { continue }
      self[group].rules.restore(isPaused: row.isPaused, limits: row.limits, settings: row.settings)
    }
  }
}

extension ScopeRules {
  var storedSession: StoredSession {
    var row = StoredSession()
    row.isPaused = isPaused
    row.limits = limits.json.string
    row.settings = settings.json.string
    return row
  }

  fileprivate func storedGroup(_ name: String) -> StoredGroup {
    StoredGroup(name: name, isPaused: isPaused, limits: limits.json.string, settings: settings.json.string)
  }

  /// - Parameters:
  ///   - limits: JSON.
  ///   - settings: JSON.
  fileprivate mutating func restore(isPaused: Bool, limits: String, settings: String) {
    self.isPaused = isPaused
    self.limits.apply(DownloadLimits(text: limits) ?? DownloadLimits())
    self.settings.apply(DownloadSettings(text: settings) ?? DownloadSettings())
  }
}
