/// The command that judges each file before it gets its name (`--verify-command`).
package struct VerifyCommand: Sendable, Hashable {
  /// Relative paths of files are below its directory.
  package var placed: PlacedCommand

  /// The word in whose place the path stands.
  private static let placeholder = Array("{}".utf8)

  package init(_ placed: PlacedCommand) { self.placed = placed }

  package init(_ command: CommandWords) { self.init(PlacedCommand(command)) }

  /// What is run for a file.
  ///
  /// A placeholder counts only as a whole word: within the script of a shell the path could do harm.
  ///
  /// - Parameters:
  ///   - path: of the part file, absolute.
  ///   - url: of the download.
  ///   - byteCount: the size of the file.
  package func command(path: [UInt8], url: Location, byteCount: Int64) -> ChildCommand {
    var words = placed.command.words.map { $0 == Self.placeholder ? path : $0 }
    if words == placed.command.words { words.append(path) }
    var variables = ChildVariables()
    variables.add("PATH", path)
    variables.add("URL", url.text)
    variables.add("SIZE", String(byteCount))
    return ChildCommand(words: words, variables: variables.entries, directory: placed.directory)
  }
}
