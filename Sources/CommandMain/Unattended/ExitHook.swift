internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadEvents
internal import DownloadScratch
internal import DownloadWords

/// The command that is run once, when everything else of a run has ended (`--on-exit`).
enum ExitHook {
  /// Runs the hook, if there is one. If it fails, a success becomes a failure; if a signal ends it, an interruption.
  ///
  /// - Parameter error: why nothing was started, or what stopped the run.
  static func run(_ invocation: Invocation, _ messages: Messages, error: Failure?, _ status: inout RunStatus) {
    guard let command = invocation.unattended.hooks[.exit] else { return }
    // They must be blocked before the thread of the hook starts.
    let signals = SignalWatch(ProcessSetup.handledSignals + ProcessSetup.stopSignals)
    let directory = AbsolutePath.of(directory: [])
    let queue = HookQueue([.exit: command], directory: directory)
    let runner = ChildRunner(queue, timeLimit: invocation.unattended.hookTimeout)
    guard runner.start() else {
      messages.write(Diagnostic(Failure(.threadsUnavailable)))
      return status.add(.other, of: .exitHook)
    }
    let variables = HookVariables(
      status.status, error: error?.message, report: invocation.records.report.map { AbsolutePath.of($0, in: directory) }
    )
    if queue.add(HookQueue.Hook(event: .exit), variables) { runner.add() }
    runner.finish(hearing: signals)
    for notice in queue.takeNotices() {
      messages.write(Diagnostic(message: "warning: \(NoticeMessages.text(notice.remark))"))
    }
    guard status.status.isSuccess else { return }
    status.signal = signals.ending
    if queue.tally.failedCount > 0 { status.add(.other, of: .exitHook) }
  }
}
