internal import DownloadCore
internal import DownloadLists
internal import DownloadStore
internal import DownloadTransport

/// Where a named session has its directory.
package enum SessionPlace {
  /// - Returns: an absolute path.
  /// - Throws: `invalidValue` for a wrong name, or without a home.
  package static func path(of name: String, in directory: String?) throws(DownloadError) -> [UInt8] {
    guard let checked = SessionName(name) else {
      throw DownloadError(
        .invalidValue,
        "a session's name has 1 to 64 letters, digits, dots, underscores and hyphens, and begins with a letter or digit"
      )
    }
    if let directory {
      let parent = try RequestChecker.components(ofDirectory: directory)
      return RequestChecker.path(parent + [Array(name.utf8)])
    }
    guard let path = checked.directory(environment: { Environment.process[$0] }) else {
      throw DownloadError(.invalidValue, "neither XDG_STATE_HOME nor HOME is set")
    }
    return path
  }
}
