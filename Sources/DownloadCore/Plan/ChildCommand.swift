/// A program to start without a shell.
package struct ChildCommand: Sendable, Hashable {
  /// The program, which is looked for in PATH unless it has a slash, and its arguments.
  package var words: [[UInt8]]
  /// `NAME=VALUE`, in addition to the environment of this process.
  package var variables: [[UInt8]]
  /// Where it runs; empty is where this process runs. A relative path of the program is below it.
  package var directory: [UInt8]
  /// Whether what it writes is dropped. Otherwise it goes to the standard error of this process.
  package var isSilent: Bool

  package init(words: [[UInt8]], variables: [[UInt8]] = [], directory: [UInt8] = [], isSilent: Bool = false) {
    self.words = words
    self.variables = variables
    self.directory = directory
    self.isSilent = isSilent
  }
}
