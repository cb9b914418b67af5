/// How progress is shown (`--progress`).
package enum ProgressStyle: String, Sendable, CaseIterable {
  /// A bar on a terminal, lines elsewhere.
  case auto
  case bar, lines, json
  /// Failures and warnings only.
  case none
}
