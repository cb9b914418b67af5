import DownloadCore

/// Texts made of the option table. The committed ones are compared with these by a test.
package enum Generator {
  /// What `--generate` prints.
  package enum Kind: String, Sendable, CaseIterable {
    case man, bash, zsh, fish

    /// Where the repository keeps it.
    package var path: String {
      switch self {
      case .man: "man/swiftget.1"
      case .bash: "completions/swiftget.bash"
      case .zsh: "completions/_swiftget"
      case .fish: "completions/swiftget.fish"
      }
    }
  }

  /// Of the program, as `--version`, the man page and the user agent tell it.
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
