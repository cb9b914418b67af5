internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadEvents
internal import DownloadScratch
internal import DownloadWords

/// The command that is run once, when everything else of a run has ended (`--on-exit`).
enum ExitHook {
  /// Does a run, then runs the hook and shows the notification of `--notify`, however the run has ended.
  ///
  /// - Returns: the run's end. A hook that fails makes a failure of a success, and a signal that ends the hook an
  ///   interruption.
  static func after(
    _ invocation: Invocation, _ messages: Messages, _ run: () throws(Failure) -> RunResult
  ) throws(Failure) -> RunResult {
    do throws(Failure) {
      var result = try run()
      result.status = self.run(invocation, messages, result.status, error: nil)
      if invocation.unattended.notifies { DesktopNotification.show(result) }
      return result
    } catch {
      let status = self.run(invocation, messages, ExitStatus(error), error: error)
      if invocation.unattended.notifies { DesktopNotification.show(RunResult(status)) }
      throw error
    }
  }

  private static func run(
    _ invocation: Invocation, _ messages: Messages, _ status: ExitStatus, error: Failure?
  ) -> ExitStatus {
    guard let command = invocation.unattended.hooks[.exit] else { return status }
    // They must be blocked before the thread of the hook starts.
    let signals = SignalWatch(ProcessSetup.handledSignals + ProcessSetup.stopSignals)
    let directory = AbsolutePath.of(directory: [])
    let queue = HookQueue([.exit: command], directory: directory)
    let runner = ChildRunner(queue, timeLimit: invocation.unattended.hookTimeout)
    guard runner.start() else {
      messages.write(Diagnostic(Failure(.threadsUnavailable)))
      return status.isSuccess ? .other : status
    }
    let variables = HookVariables(
      status, error: error, report: invocation.records.report.map { AbsolutePath.of($0, in: directory) })
    if queue.add(HookQueue.Hook(event: .exit), variables) { runner.add() }
    runner.finish(hearing: signals)
    for notice in queue.takeNotices() {
      messages.write(Diagnostic(message: "warning: \(NoticeMessages.text(notice.remark))"))
    }
    guard status.isSuccess else { return status }
    if let signal = signals.ending { return ExitStatus(signal: signal) }
    return queue.tally.failedCount > 0 ? .other : status
  }
}
