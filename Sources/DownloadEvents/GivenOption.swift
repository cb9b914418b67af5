/// An option of the command line as a report shows it, without secrets.
package struct GivenOption: Sendable, Equatable {
  /// The long name, with its dashes.
  let name: String
  /// Nil where no argument was given.
  let value: String?

  package init(name: String, value: String?) {
    self.name = name
    self.value = value
  }
}
