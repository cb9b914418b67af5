import DownloadCore

/// Generates texts from the option table. A test compares the committed files with them.
package enum Generator {
  /// What `--generate` prints.
  package enum Kind: String, Sendable, CaseIterable {
    case man, bash, zsh, fish

    /// The file in the repository.
    package var path: String {
      switch self {
      case .man: "man/swiftget.1"
      case .bash: "completions/swiftget.bash"
      case .zsh: "completions/_swiftget"
      case .fish: "completions/swiftget.fish"
      }
    }
  }

  /// The program's version, for `--version`, the man page and the user agent.
  package static let version = programVersion

  package static func text(_ kind: Kind) -> String {
    switch kind {
    case .man: manPage
    case .bash: bashCompletion
    case .zsh: zshCompletion
    case .fish: fishCompletion
    }
  }
}
