/// What is shown of a run.
package struct DisplayOptions: Sendable, Equatable {
  package var progress: ProgressStyle = .auto
  package var isQuiet = false
  /// Whether `-s` asks for that, with which curl writes nothing but the content to standard output.
  package var isSilentAsCurl = false
  /// The number of `-v`.
  package var verbosity = 0

  package init() {}
}

/// How progress is shown (`--progress`).
package enum ProgressStyle: String, Sendable, CaseIterable {
  /// A bar on a terminal, lines elsewhere.
  case auto
  case bar, lines, json
  /// Failures and warnings only.
  case none
}
