package import DownloadCore

/// What a hook is run for.
package enum HookEvent: String, Sendable, Hashable, CaseIterable {
  /// A file was downloaded or replaced.
  case complete
  /// A file has failed.
  case failure
  /// The run has ended.
  case exit

  /// What names the command.
  package var setting: Setting {
    switch self {
    case .complete: .onComplete
    case .failure: .onFailure
    case .exit: .onExit
    }
  }
}
