/// A command of the user, and the directory where it runs.
package struct PlacedCommand: Sendable, Hashable {
  package var command: CommandWords
  /// Absolute; empty is where this process runs.
  package var directory: [UInt8]

  package init(_ command: CommandWords, in directory: [UInt8] = []) {
    (self.command, self.directory) = (command, directory)
  }

  /// Its first word.
  package var program: [UInt8] { command.words[0] }
}
