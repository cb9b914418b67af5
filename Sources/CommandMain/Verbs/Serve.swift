internal import CommandControl
internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadWords
internal import Glibc
internal import SwiftGet

/// Works on a session until it is stopped (`serve`), by a signal or by another process.
struct Serve: Verb {
  let invocation: Invocation
  let context: RunContext

  func run() throws(Failure) -> RunResult {
    let session = SessionChoice(invocation.session)
    _ = ProcessSetup.raiseDescriptorLimit()
    // They must be blocked before the first thread starts.
    let signals = SignalWatch(ProcessSetup.handledSignals)
    let configuration = try DownloadConfiguration(invocation)
    let service: SessionService
    do throws(ControlFailure) {
      service = try SessionService(session.name, in: session.parent, configuration)
    } catch {
      context.messages.write(error.diagnostic)
      return RunResult(control: error.status.rawValue)
    }
    ServiceManager.tell("READY=1")
    if invocation.session.endsWhenSettled {
      leaveTerminal()
    } else {
      context.messages.write(
        Diagnostic(message: "works on session \(session.name) (pid \(getpid()))"), isShown: !invocation.display.isQuiet)
    }
    wait(service, signals)
    ServiceManager.tell("STOPPING=1")
    service.close()
    return RunResult(.success)
  }

  private func wait(_ service: SessionService, _ signals: SignalWatch) {
    var mayMoreCome = invocation.session.endsWhenSettled
    var wasSettled = false
    while signals.ending == nil {
      // The last answers have half a second to be sent.
      let isSettled = invocation.session.endsWhenSettled && !mayMoreCome && service.isSettled
      if isSettled, wasSettled { return }
      wasSettled = isSettled
      var entries = [
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: service.hasEnded.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: mayMoreCome ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&entries, 3, invocation.session.endsWhenSettled && !mayMoreCome ? 500 : -1)
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

  /// Keeps nothing of the terminal and of the directory from which it was started.
  private func leaveTerminal() {
    _ = chdir("/")
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard null >= 0 else { return }
    dup2(null, STDOUT_FILENO)
    dup2(null, STDERR_FILENO)
    close(null)
  }
}
