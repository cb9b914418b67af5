package import DownloadCore

/// What is done with a file that exists under the name of a wanted one.
public enum IfExists: Hashable, Sendable {
  /// It is kept if it is the wanted one: by its checksum, by the mark of an earlier download, or else by what the server
  /// says of length and validators. A file that is right by its checksum is kept, another one is replaced; without a
  /// checksum a file that differs fails the task.
  case ask
  /// It is kept, whatever it is.
  case keep
  /// It is hashed where a checksum is known, even if a mark says that it is right.
  case verify
  /// It is replaced when the new one is whole.
  case replace
  /// The task fails.
  case fail

  package var engineValue: TargetSettings.IfExists {
    switch self {
    case .ask: .ask
    case .keep: .keep
    case .verify: .verify
    case .replace: .replace
    case .fail: .fail
    }
  }
}
