package import DownloadControl
internal import DownloadCore
internal import DownloadFiles
internal import DownloadLists
internal import DownloadStore
internal import DownloadTransport
internal import Glibc

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

  /// Where a process listens that works on a session, unless it was given a socket.
  ///
  /// - Parameters:
  ///   - path: of the session's directory.
  ///   - name: nil if the name alone does not say where the session is.
  package static func socket(of path: [UInt8], name: String?) -> ControlSocket {
    ControlSocket.place(
      session: path, name: name, isLocal: isLocal(path), user: SystemCalls.user,
      environment: { Environment.process[$0] })
  }

  /// Where it listens if that place is gone; nil if no socket can be there.
  package static func otherSocket(of path: [UInt8]) -> ControlSocket? {
    isLocal(path) ? ControlSocket(directory: path, name: SessionFiles.socket) : nil
  }

  /// The file in which a session keeps options of the command.
  ///
  /// - Parameter path: of the session's directory.
  package static func options(of path: [UInt8]) -> [UInt8] { SessionFiles.options(in: path) }

  private static func isLocal(_ path: [UInt8]) -> Bool {
    guard let directory = try? SystemCalls.openat(SystemCalls.workingDirectory, path, O_RDONLY | O_DIRECTORY),
      let status = try? SystemCalls.fstatfs(directory.raw)
    else { return false }
    return !status.isRemote
  }
}
