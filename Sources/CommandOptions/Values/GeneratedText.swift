/// What `--generate` prints.
package enum GeneratedText: String, Sendable, CaseIterable {
  case man
  case manGuide = "man-guide"
  case manOutput = "man-output"
  case bash, zsh, fish

  /// The file in the repository.
  var path: String {
    switch self {
    case .man: "man/swiftget.1"
    case .manGuide: "man/swiftget-guide.7"
    case .manOutput: "man/swiftget-output.5"
    case .bash: "completions/swiftget.bash"
    case .zsh: "completions/_swiftget"
    case .fish: "completions/swiftget.fish"
    }
  }
}
