/// What a hook is run for.
package enum HookEvent: String, Sendable, Hashable, CaseIterable {
  /// A file was downloaded or replaced.
  case complete
  /// A file has failed.
  case failure
  /// The run has ended.
  case exit

  /// The option that names the command.
  package var option: String { "--on-\(rawValue)" }
}
