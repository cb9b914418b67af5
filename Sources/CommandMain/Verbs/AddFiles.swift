internal import CommandControl
internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadWords
internal import SwiftGet

/// Adds files to a session and prints their numbers and ids (`ctl add`). If no process works on the session, it keeps them,
/// and nothing begins.
struct AddFiles: Verb {
  private var invocation: Invocation
  private let context: RunContext
  private let session: SessionChoice

  private var messages: Messages { context.messages }

  init(_ invocation: Invocation, _ context: RunContext) {
    (self.invocation, self.context) = (invocation, context)
    self.invocation.giveHooksToTasks()
    session = SessionChoice(invocation.session)
  }

  mutating func run() throws(Failure) -> RunResult {
    if invocation.session.isInBackground {
      throw Failure(.usage, "ctl add starts no process", hint: "leave out ctl add: 'swiftget -S NAME --background'")
    }
    if try invocation.limitsOfLine != nil {
      throw Failure(
        .usage, "ctl add takes no limits of the session as a whole",
        hint: "change them with 'swiftget ctl -S \(session.name) limit'")
    }
    if let option = invocation.workerOptions.first {
      throw Failure(
        .usage, "ctl add takes no \(option), which concerns the process that works on the session",
        hint: "give it to 'swiftget -S \(session.name)'")
    }
    try CommandPrograms.check(invocation)
    if invocation.lists.fetchesInputs { try invocation.readLogins() }
    var adding = SessionAdding(context)
    guard let requests = try adding.readFiles(&invocation)?.requests else { return RunResult(adding.status.status) }
    if requests.isEmpty { throw Failure(.usage, "ctl add needs files", hint: "give URLs, or a list with -i") }
    // They must be blocked before the first thread starts.
    let signals = SignalWatch(ProcessSetup.handledSignals)
    context.standardOutput.signals = signals
    do throws(ControlFailure) { return try add(requests, &adding, signals) } catch {
      messages.write(error.diagnostic)
      return RunResult(control: error.status.rawValue)
    }
  }

  private func add(
    _ requests: [DownloadRequest], _ adding: inout SessionAdding, _ signals: SignalWatch
  ) throws(ControlFailure) -> RunResult {
    let work = try SessionWork(session.name, in: session.parent, DownloadConfiguration(), worker: .none)
    defer { work.close() }
    for loss in work.losses { messages.write(loss) }
    let tasks = try adding.add(requests, paused: invocation.session.isPaused, to: work, signals)
    guard let tasks else { return RunResult(adding.status.status, mustNotWait: true) }
    if !tasks.isEmpty { context.standardOutput.write(Self.text(tasks)) }
    SessionAdding.tellKept(tasks, by: session.options, messages, isQuiet: invocation.display.isQuiet)
    if work.process == nil { tellIdle(requests) } else { try tellPause(work) }
    guard context.hasWrittenOutput() else { return RunResult(.localIO) }
    // What was refused is no fault of the command line.
    return RunResult(control: adding.status.status.isSuccess ? 0 : 1)
  }

  /// A line that counts them, then one for each: number, id and name.
  private static func text(_ tasks: [SessionAdding.Task]) -> String {
    let existingCount = tasks.count(where: \.added.isExisting)
    let restartedCount = tasks.count(where: \.added.isRestarted)
    var lines = ["added \(Humanized.count(tasks.count - existingCount, "task"))"]
    if restartedCount > 0 { lines[0] += "; \(restartedCount) begun again" }
    if existingCount > restartedCount { lines[0] += "; \(existingCount - restartedCount) as before" }
    lines += tasks.map { "\($0.added.number)\t\($0.added.id)\t\($0.name)" }
    return lines.joined(separator: "\n") + "\n"
  }

  private func tellPause(_ work: SessionWork) throws(ControlFailure) {
    guard !invocation.display.isQuiet,
      let pause = try work.pause(ofGroup: invocation.session.group)
    else { return }
    messages.write(
      Diagnostic(
        message: "\(pause.subject) is paused, so nothing begins",
        // Without quotation marks, in which an @ ends a password.
        hint: "swiftget ctl \(session.options) resume \(pause.selector) resumes it"))
  }

  private func tellIdle(_ requests: [DownloadRequest]) {
    guard !invocation.display.isQuiet else { return }
    messages.write(
      Diagnostic(
        message: "no process works on session \(session.name), so nothing begins",
        hint: "start it with 'swiftget serve \(session.options)'"))
    if requests.contains(where: \.hasSecrets) {
      messages.write(
        Diagnostic(
          message: "passwords and secret header fields are not stored",
          hint: "give them again when a process works on the session, with 'swiftget ctl set' or the same command"))
    }
  }
}

extension DownloadRequest {
  /// Whether something of it is kept in memory only.
  fileprivate var hasSecrets: Bool { credential != nil || headers.contains(where: \.isSecret) }
}
