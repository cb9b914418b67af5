package import CommandOptions
internal import DownloadCore

/// Generates texts from the option table. A test compares the committed files with them.
package enum Generator {
  /// The program's version, for `--version`, the man page and the user agent.
  package static let version = programVersion

  package static func text(_ kind: GeneratedText) -> String {
    switch kind {
    case .man, .manGuide, .manOutput: page(kind)
    case .bash: bashCompletion
    case .zsh: zshCompletion
    case .fish: fishCompletion
    }
  }
}
