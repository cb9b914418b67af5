/// What `--generate` prints.
package enum GeneratedText: String, Sendable, CaseIterable {
  case man, bash, zsh, fish

  /// The file in the repository.
  var path: String {
    switch self {
    case .man: "man/swiftget.1"
    case .bash: "completions/swiftget.bash"
    case .zsh: "completions/_swiftget"
    case .fish: "completions/swiftget.fish"
    }
  }
}
