/// What is shown of a run.
package struct DisplayOptions: Sendable, Equatable {
  package var progress: ProgressStyle = .auto
  package var colours: ColourChoice = .auto
  package var isQuiet = false
  /// Whether `-s` asks for that, with which curl writes nothing but the content to standard output.
  package var isSilentAsCurl = false
  /// The number of `-v`.
  package var verbosity = 0

  package init() {}
}

/// Whether a terminal gets colours (`--color`).
package enum ColourChoice: String, Sendable, CaseIterable {
  /// As the environment wants it.
  case auto
  case always, never

  /// Nil if the environment decides.
  package var isGiven: Bool? {
    switch self {
    case .auto: nil
    case .always: true
    case .never: false
    }
  }
}

/// How progress is shown (`--progress`).
package enum ProgressStyle: String, Sendable, CaseIterable {
  /// A bar on a terminal, lines elsewhere.
  case auto
  case bar, lines, json
  /// Failures and warnings only.
  case none
}
