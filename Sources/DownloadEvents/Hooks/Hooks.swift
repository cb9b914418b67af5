package import DownloadCore
package import DownloadEngine
package import DownloadLists
internal import DownloadScratch

/// Runs a command for each file that was downloaded or has failed (`--on-complete`, `--on-failure`): that of the task, else
/// that of the run.
///
/// outcome → `HookVariables` → `HookQueue` → `ChildRunner`, which runs it → `Notice` of a failure. No download waits for
/// a hook; the run ends after all of them. With `--atomic` no hook runs before the end of the downloads.
package final class Hooks: RunRecorder {
  private let queue: HookQueue
  private let runner: ChildRunner<HookQueue>
  /// What names are relative to; nil if the content goes to standard output.
  private let directory: [UInt8]?
  private let vocabulary: Vocabulary
  /// Hooks that are to run after the downloads; nil where none waits for that.
  private var deferredCount: Int?

  /// Starts a thread: the signals of the run must be blocked before that.
  ///
  /// - Throws: where there are no more threads.
  package init(
    _ hooks: [HookEvent: CommandWords], timeLimit: Duration?, _ naming: NamingOptions, _ vocabulary: Vocabulary
  ) throws(Failure) {
    self.vocabulary = vocabulary
    directory = naming.targetDirectory
    deferredCount = naming.isAtomic ? 0 : nil
    queue = HookQueue(hooks, directory: AbsolutePath.of(directory: naming.directory ?? []))
    runner = ChildRunner(queue, timeLimit: timeLimit)
    guard runner.start() else { throw Failure(.threadsUnavailable) }
  }

  deinit { runner.end() }

  package func itemEnded(_ outcome: Outcome) {
    let event: HookEvent
    switch outcome.result {
    case .downloaded: event = .complete
    case .failed: event = .failure
    case .kept, .withdrawn, .unfinished: return
    }
    let tag = HookQueue.Hook(event: event, task: outcome.task, name: outcome.name, command: outcome.hook)
    let path = event == .complete ? directory.map { AbsolutePath.of(outcome.name, in: $0) } : nil
    let digest = outcome.record?.digests.first ?? outcome.verified?.digest
    guard queue.add(tag, HookVariables(outcome, in: directory, vocabulary), path: path, digest: digest) else { return }
    if deferredCount == nil { runner.add() } else { deferredCount? += 1 }
  }

  /// Whether a hook has changed the content of a finished file.
  package var haveChangedFiles: Bool { queue.tally.haveChangedFiles }

  package func takeNotices() -> [Notice] { queue.takeNotices() }

  /// Waits for all hooks. After a signal no further one starts, and the next signal ends those that run.
  ///
  /// - Parameter isPublished: false drops those for downloaded files, which nobody sees.
  /// - Returns: what has become of them.
  package func finish(isPublished: Bool, hearing signals: SignalWatch) -> HookQueue.Tally {
    if !isPublished { queue.drop(.complete) }
    if let deferredCount { runner.add(deferredCount) }
    if !runner.waitUntilIdle(hearing: signals) { runner.dropWaiting() }
    runner.finish(hearing: signals, but: signals.endingCount)
    return queue.tally
  }
}
