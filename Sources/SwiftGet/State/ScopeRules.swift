/// What holds for a session or a group.
struct ScopeRules: Equatable, Sendable {
  var isPaused = false
  var limits = DownloadLimits()
  var settings = DownloadSettings()
}
