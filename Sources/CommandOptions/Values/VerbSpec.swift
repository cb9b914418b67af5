internal import DownloadListWriting
package import DownloadLists

/// A first operand that says what is done, such as `swiftget check -i LIST`. It means the same as its option.
package struct VerbSpec: Sendable, Equatable {
  package let name: String
  /// The option that it stands for. An argument of that is the next operand.
  let option: OptionID
  /// The kind of run whose options it has; nil if it has none.
  package let work: FileWork?
  /// What follows the program's name.
  package let usage: String
  /// In full sentences.
  package let summary: String

  /// Operands without a scheme are no URLs, so these names are free.
  package static let all = [
    VerbSpec(
      name: "check", option: .check, work: .check, usage: "check [OPTIONS] -i LIST...",
      summary: """
        Checks files on this machine against lists or --checksum. It uses no network, so that lists are files or \
        standard input.
        """),
    VerbSpec(
      name: "manifest", option: .writeManifest, work: .writeManifest, usage: "manifest FORMAT [OPTIONS] DIR",
      summary: """
        Writes a manifest of all files below a directory. FORMAT is \
        \(WrittenFormat.allCases.dropLast().map(\.rawValue).joined(separator: ", ")) or \
        \(WrittenFormat.allCases.last?.rawValue ?? "").
        """),
    VerbSpec(
      name: "serve", option: .serve, work: .serve, usage: "serve [OPTIONS] [-S NAME]",
      summary: "Works on a session until it is stopped."),
    VerbSpec(
      name: "completions", option: .generate, work: nil, usage: "completions SHELL",
      summary: "Prints the completions for bash, zsh or fish."),
    VerbSpec(
      name: "help", option: .help, work: nil, usage: "help [VERB|lists]",
      summary: "Shows all options, those of a verb, or what lists may look like."),
  ]

  /// The verb whose options help shows; nil for all options.
  var ofHelp: VerbSpec? { option == .help ? nil : self }

  /// The verb that is perhaps meant by a word that is neither a verb nor a URL.
  static func nearest(to word: [UInt8]) -> String? {
    Suggestion.nearest(to: String(decoding: word, as: UTF8.self), among: all.map(\.name))
  }

  static func named(_ word: [UInt8]) -> VerbSpec? { all.first { word.elementsEqual($0.name.utf8) } }
}
