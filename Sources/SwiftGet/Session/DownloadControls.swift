internal import DownloadCore

/// What can be commanded: a task, an array or set of tasks, a selection, a group, a session.
///
/// When a command returns its state holds. Commands ignore the cancellation of the Swift task that gives them. A command on
/// one task throws `unknownTask` if the session does not know it; of several tasks these stand in the effect's `failures`.
public protocol DownloadControls: Sendable {
  /// Which tasks commands reach.
  var reach: DownloadReach { get }
}

extension DownloadControls {
  /// Keeps tasks from going on. When it returns nothing more of them is written, and their bytes are recorded. Of a group or
  /// a session it is one flag, which holds for later tasks too.
  @discardableResult public func pause() async throws(DownloadError) -> CommandEffect {
    try await reach.command(.pause)
  }

  /// Takes the pause of exactly this back. A task that has settled begins again, with a look at the file that is there.
  @discardableResult public func resume() async throws(DownloadError) -> CommandEffect {
    try await reach.command(.resume)
  }

  /// Ends tasks and drops their bytes. Tasks that have succeeded stay, and so do their files.
  @discardableResult public func cancel() async throws(DownloadError) -> CommandEffect {
    try await reach.command(.cancel)
  }

  /// Begins tasks again that have settled, with the bytes that are there, and ends the wait of those that wait.
  @discardableResult public func retry() async throws(DownloadError) -> CommandEffect {
    try await reach.command(.retry)
  }

  /// Has the session forget tasks. Bytes of unfinished ones go.
  ///
  /// - Parameter deletingFiles: whether finished files go too: those that this session has put there, if nothing else has
  ///   their names now.
  @discardableResult public func remove(deletingFiles: Bool = false) async throws(DownloadError) -> CommandEffect {
    try await reach.remove(deletingFiles: deletingFiles)
  }

  /// Of waiting tasks the one with the highest priority begins first. Running ones go on.
  ///
  /// - Parameter priority: -100 to 100.
  /// - Throws: `invalidValue` for another one.
  @discardableResult public func prioritize(_ priority: Int) async throws(DownloadError) -> CommandEffect {
    guard -100...100 ~= priority else { throw DownloadError(.invalidValue, "a priority is in -100...100") }
    return try await reach.command(.prioritize(priority))
  }

  /// Moves tasks in the queue, or to another group. Several keep their order.
  @discardableResult public func move(to position: QueuePosition) async throws(DownloadError) -> CommandEffect {
    try await reach.move(to: position)
  }

  /// Changes how files are fetched. The closure begins with an empty value, and only what it assigns changes; nil gives the
  /// decision back to the next level. Of a group or a session it holds for later tasks too.
  ///
  /// Rates and connections hold at once, tries and timeouts for the next attempt, everything else for the next request.
  ///
  /// - Throws: `invalidValue` for a value out of its range; then nothing changes.
  @discardableResult
  public nonisolated(nonsending) func set(
    _ change: (inout DownloadSettings) -> Void
  ) async throws(DownloadError) -> CommandEffect {
    var settings = DownloadSettings()
    change(&settings)
    return try await reach.set(settings)
  }
}
