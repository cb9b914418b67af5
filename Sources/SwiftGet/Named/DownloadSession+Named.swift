extension DownloadSession {
  /// Opens a named session, which outlasts this process: what a command or an add has confirmed is there again after
  /// anything, and its tasks go on when it is opened the next time. It works from then on.
  ///
  /// One process at a time works on a session. If another one does, this one follows it: everything is as if it worked here,
  /// only that commands and adds go to that process. If that process ends, this one works on the session. Secrets of requests and settings are not stored: a task that needs some
  /// waits in a later process until they are given again.
  ///
  /// - Parameters:
  ///   - name: 1 to 64 letters, digits, dots, underscores and hyphens; the first one a letter or digit.
  ///   - directory: where the session has its own directory, named as the session; nil is `$XDG_STATE_HOME/swiftget`, or
  ///     `~/.local/state/swiftget`.
  ///   - paused: true sets the session's own pause, which is stored; false leaves it as it is.
  ///   - configuration: its limits and settings are stored, and count more than those that were. If another process works on
  ///     the session, what is given must be what the session has. If the session is open in this process already, all but
  ///     limits and settings must be, and there is one session: `close` ends it for all who have opened it.
  /// - Throws: `invalidValue` for a wrong name; `busy` if another process works on the session and cannot be reached, on
  ///   another host for example; `conflict` if the session is open with another configuration, and `policyNeedsOwner` for a policy;
  ///   `unusableStore` if the session's database cannot be used. A damaged one is set aside, and the session is empty when it
  ///   is opened again.
  public static func open(
    _ name: String, in directory: String? = nil, paused: Bool = false, configuration: Configuration = Configuration()
  ) async throws(DownloadError) -> DownloadSession {
    try await OpenSessions.open(
      try OpenSessions.Place(name, in: directory),
      .following, configuration, paused: paused
    ) { DownloadSession($0) }
  }

  /// Opens a named session that another process works on, and never works on it. If no process works on it for 10 seconds,
  /// the session is closed here.
  ///
  /// - Parameters:
  ///   - name: of the session.
  ///   - directory: as for `open`.
  /// - Throws: `unknownSession` if no process works on it; `busy` if that process cannot be reached.
  public static func connect(
    _ name: String, in directory: String? = nil
  ) async throws(DownloadError) -> DownloadSession {
    try await OpenSessions.open(
      try OpenSessions.Place(name, in: directory),
      .connecting, Configuration(), paused: false
    ) { DownloadSession($0) }
  }

  /// Forgets a named session: its tasks, history and settings. Unfinished files stay, and any download of them goes on with
  /// what there is.
  ///
  /// - Parameters:
  ///   - directory: as for `open`.
  ///   - deletingFiles: whether finished files go too: those that the session has put there, if nothing else has their names
  ///     now.
  /// - Throws: `unknownSession`, `busy` if a process works on it, `unusableStore`.
  public static func delete(
    _ name: String, in directory: String? = nil, deletingFiles: Bool = false
  ) async throws(DownloadError) {
    try await OpenSessions.delete(
      try SessionPlace.path(of: name, in: directory), name, deletingFiles: deletingFiles)
  }
}
