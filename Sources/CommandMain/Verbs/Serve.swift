internal import CommandControl
internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadWords
internal import Glibc
internal import SwiftGet

/// Works on a session until it is stopped (`serve`), by a signal or by another process.
struct Serve: Verb {
  private(set) var invocation: Invocation
  let context: RunContext

  mutating func run() throws(Failure) -> RunResult {
    try CommandPrograms.check(invocation)
    try invocation.readLogins()
    var status = RunStatus()
    do throws(Failure) {
      try work(&status)
      ExitHook.run(invocation, context.messages, error: nil, &status)
      return RunResult(status.status)
    } catch {
      status.add(error, of: .run)
      ExitHook.run(invocation, context.messages, error: error, &status)
      throw error
    }
  }

  /// - Parameter status: that of what keeps it from working. To be stopped is a success, whatever hooks have done.
  private func work(_ status: inout RunStatus) throws(Failure) {
    let session = SessionChoice(invocation.session)
    _ = ProcessSetup.raiseDescriptorLimit()
    // They must be blocked before the first thread starts.
    let signals = SignalWatch(ProcessSetup.handledSignals)
    var configuration = try DownloadConfiguration(invocation)
    // In the background nobody reads what it says.
    let records = try SessionRecords(invocation, context, nil, tellsFailures: !invocation.session.endsWhenSettled)
    records.listen(by: &configuration)
    let cookies = SessionCookies(configuration.run, of: &configuration)
    configuration.inheritedSocket = ServiceManager.takeSocket()
    let service: SessionService
    do throws(ControlFailure) {
      service = try SessionService(session.name, in: session.parent, configuration)
    } catch {
      context.messages.write(error.diagnostic)
      return status.add(ExitStatus(control: error.status), of: .run)
    }
    for loss in service.losses { context.messages.write(loss) }
    session.keep(invocation.worker, context.messages)
    ServiceManager.tell("READY=1")
    if invocation.session.endsWhenSettled {
      leaveTerminal()
    } else {
      context.messages.write(
        Diagnostic(message: "works on session \(session.name) (pid \(getpid()))"), isShown: !invocation.display.isQuiet)
    }
    wait(service, records, signals)
    ServiceManager.tell("STOPPING=1")
    service.close()
    if let problem = cookies.save(hearing: signals, &status) { context.messages.write(problem) }
    var ofHooks = RunStatus()
    for problem in records.finish([], &ofHooks, hearing: signals) { context.messages.write(problem) }
  }

  private func wait(_ service: SessionService, _ records: SessionRecords, _ signals: SignalWatch) {
    var mayMoreCome = invocation.session.endsWhenSettled
    var hasWaited = false
    while signals.ending == nil {
      // The last answers have half a second to be sent.
      let isSettled = invocation.session.endsWhenSettled && !mayMoreCome && service.isSettled
      if isSettled, hasWaited { return }
      var entries = [
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: service.hasEnded.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: mayMoreCome ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: records.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&entries, 4, invocation.session.endsWhenSettled && !mayMoreCome ? 500 : -1)
      hasWaited = isSettled && count == 0
      for warning in records.take() { context.messages.write(warning) }
      if entries[1].revents != 0 { return }
      if entries[2].revents != 0 {
        // Whoever has started this process adds no more files.
        mayMoreCome = false
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        if null >= 0 { dup2(null, STDIN_FILENO) }
      }
      signals.take()
    }
  }

  /// Keeps nothing of the terminal, nor of the directory from which it was started, unless hooks are run there.
  private func leaveTerminal() {
    if invocation.unattended.hooks.isEmpty { _ = chdir("/") }
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard null >= 0 else { return }
    dup2(null, STDOUT_FILENO)
    dup2(null, STDERR_FILENO)
    close(null)
  }
}
