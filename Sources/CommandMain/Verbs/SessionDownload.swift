internal import CommandControl
internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadScratch
internal import DownloadWords
internal import Glibc
internal import SwiftGet

/// Adds files to a session, and waits for them (`--session`).
struct SessionDownload: Verb {
  private var invocation: Invocation
  private let context: RunContext
  private let session: SessionChoice
  /// Nil with `--background`. If another process works on the session, this one may take over later.
  private var records: SessionRecords?
  /// How files of the command line have ended.
  private var ends: [SessionWork.TaskEnd] = []
  private var status = RunStatus()

  private var messages: Messages { context.messages }

  init(_ invocation: Invocation, _ context: RunContext) {
    (self.invocation, self.context) = (invocation, context)
    if invocation.session.isInBackground { self.invocation.giveHooksToTasks() }
    session = SessionChoice(invocation.session)
  }

  mutating func run() throws(Failure) -> RunResult {
    if invocation.session.isInBackground, let option = invocation.runOptions.first {
      throw Failure(
        .usage, "\(option) contradicts --background: this command ends before the files do",
        hint: "leave out one of the two")
    }
    do throws(Failure) {
      try perform()
      endRun(nil)
      return RunResult(status.status, mustNotWait: status.signal != nil)
    } catch {
      status.add(error, of: .run)
      endRun(error)
      throw error
    }
  }

  /// Runs the hook of `--on-exit`, however the run has ended, and has the report say how.
  private mutating func endRun(_ error: Failure?) {
    if invocation.session.isInBackground { return }
    ExitHook.run(invocation, messages, error: error, &status)
    if let problem = records?.writeReport(&status) { messages.write(problem) }
  }

  private mutating func perform() throws(Failure) {
    try CommandPrograms.check(invocation)
    let deadline = invocation.unattended.deadline.map(RunDeadline.init)
    // A process in the background reads them itself.
    if !invocation.session.isInBackground || invocation.lists.fetchesInputs { try invocation.readLogins() }
    var adding = SessionAdding(context)
    let listsFiles = !invocation.session.isInBackground && SessionRecords.isWanted(by: invocation)
    let files = try adding.readFiles(&invocation, keepsListed: listsFiles)
    status = adding.status
    guard let files else { return }
    var configuration = try DownloadConfiguration(invocation)
    _ = ProcessSetup.raiseDescriptorLimit()
    // They must be blocked before the first thread starts.
    let signals = SignalWatch(ProcessSetup.handledSignals + ProcessSetup.stopSignals)
    if !invocation.session.isInBackground {
      records = try SessionRecords(invocation, context, listsFiles ? files.lists : nil)
      records?.listen(by: &configuration)
    }
    let cookies = SessionCookies(configuration.run, of: &configuration)
    do throws(ControlFailure) { try work(files, configuration, &adding, until: deadline, signals) } catch {
      messages.write(error.diagnostic)
      status.add(ExitStatus(control: error.status), of: .run)
    }
    if let problem = cookies.save(hearing: signals, &status) { messages.write(problem) }
    for problem in records?.finish(ends, &status, hearing: signals) ?? [] { messages.write(problem) }
  }

  // MARK: The session

  private mutating func work(
    _ files: SessionAdding.Files, _ configuration: DownloadConfiguration, _ adding: inout SessionAdding,
    until deadline: RunDeadline?, _ signals: SignalWatch
  ) throws(ControlFailure) {
    let isInBackground = invocation.session.isInBackground
    let background = BackgroundStart(session, invocation)
    let work: SessionWork
    do throws(ControlFailure) {
      work = try SessionWork(
        session.name, in: session.parent, configuration, worker: isInBackground ? .other : .own
      ) { isTakenElsewhere throws(ControlFailure) in try background.mayCome(isTakenElsewhere: isTakenElsewhere) }
    } catch {
      // It has said why.
      guard let exit = background.exit else { throw error }
      return status.add(ExitStatus(code: exit), of: .run)
    }
    defer { leave(work) }
    for loss in work.losses { messages.write(loss) }
    if work.isOwn { session.keep(invocation.worker, messages) }
    if !work.isOwn, work.process != background.process {
      try join(work)
    } else if (try? invocation.limitsOfLine) != nil {
      try work.limit(configuration.limits)
    }
    let tasks = try adding.add(files.requests, paused: invocation.session.isPaused, to: work, signals)
    status = adding.status
    guard let tasks else { return }
    SessionAdding.tellKept(tasks, by: session.options, messages, isQuiet: invocation.display.isQuiet)
    records?.name(tasks.filter { $0.index < files.listed.count }.map { ($0.added.id, files.listed[$0.index]) })
    if isInBackground {
      // The process that works may be a run that ends with its own files.
      let continues = try work.continueInBackground()
      background.end()
      return tellBackground(tasks.count, work.process, lasts: continues)
    }
    try wait(for: files.requests.isEmpty ? nil : tasks.map(\.added.id), in: work, until: deadline, signals)
  }

  /// Another process works on the session.
  ///
  /// - Throws: what this command says of the work.
  private func join(_ work: SessionWork) throws(ControlFailure) {
    let fact = "session \(session.name) is worked on by pid \(work.process ?? 0)"
    if let limits = try? invocation.limitsOfLine, let other = try work.limits(besides: limits) {
      throw ControlFailure(
        "\(fact) with other limits (\(other))",
        hint: "change them with 'swiftget ctl -S \(session.name) limit', or leave out the options that limit the whole")
    }
    if let option = invocation.workerOptions.first {
      throw ControlFailure(
        "\(fact), and \(option) is an option of the process that does", hint: "leave out \(option)")
    }
  }

  /// Ends this command's part in the work. A process in the background continues if that is wanted.
  ///
  /// - Returns: the process that continues; nil if none does.
  @discardableResult
  private func leave(_ work: SessionWork) -> Int64? {
    guard work.isOwn else {
      work.close()
      return work.process
    }
    guard work.close() else { return nil }
    do throws(ControlFailure) {
      let background = BackgroundStart(session, invocation)
      let next = try SessionWork(
        session.name, in: session.parent, DownloadConfiguration(), worker: .other
      ) { isTakenElsewhere throws(ControlFailure) in try background.mayCome(isTakenElsewhere: isTakenElsewhere) }
      defer { next.close() }
      // Another run may have been quicker.
      return try next.continueInBackground() ? next.process : nil
    } catch {
      messages.write(error.diagnostic)
      return nil
    }
  }

  /// - Parameters:
  ///   - count: of the files of the command line.
  ///   - lasts: whether the files are worked on after the end of that process.
  private func tellBackground(_ count: Int, _ worker: Int64?, lasts: Bool) {
    guard !invocation.display.isQuiet else { return }
    let options = session.options
    let session = "session \(session.name)"
    messages.write(
      Diagnostic(
        message: (count > 0 ? "\(Humanized.count(count, "file")) in \(session), worked" : "\(session) is worked")
          + " on by pid \(worker ?? 0)"
          + (lasts ? "" : " as long as that runs"),
        hint: "look with 'swiftget ctl \(options) list', stop with 'swiftget ctl \(options) stop'"))
    if let warning = Lingering.warning { messages.write(warning) }
  }

  // MARK: Waiting

  /// Why a wait ends before the files do.
  private enum Interruption { case signal, allPaused, deadline, failures, stopped }

  private mutating func wait(
    for ids: [String]?, in work: SessionWork, until deadline: RunDeadline?, _ signals: SignalWatch
  ) throws(ControlFailure) {
    let display = QueueDisplay(invocation.display, session.name, messages.standardError)
    // Ctrl-Z leaves the screen to the shell.
    signals.willStop = { display.remove() }
    defer { signals.willStop = {} }
    var interruption: Interruption?
    var ends: [SessionWork.TaskEnd] = []
    var failedCount = 0
    let limit = work.isOwn ? invocation.settings.limits.maxFailures : nil
    // Also if the session is lost.
    defer { display.end(nil) }
    let (end, line) = try work.wait(for: ids, in: String(decoding: AbsolutePath.of(directory: []), as: UTF8.self)) {
      [records] news in
      signals.take()
      signals.stopIfAsked()
      display.take(news)
      records?.take().forEach(display.tell)
      if case .ended(let end)? = news {
        ends.append(end)
        if end.failure != nil { failedCount += 1 }
      }
      if case .allPaused? = news, !display.isInteractive { interruption = .allPaused }
      if case .stopped? = news { interruption = .stopped }
      if limit?.isExceeded(failedCount: failedCount, endedCount: ends.count, itemCount: ids?.count) == true {
        interruption = .failures
      }
      if deadline?.hasPassed == true { interruption = .deadline }
      if signals.ending != nil { interruption = .signal }
      return interruption == nil
    }
    self.ends = ends
    display.end(interruption == .signal ? nil : line)
    let isOwn = work.isOwn
    // After that all events are there.
    let successor = leave(work)
    if let end { status.add(ExitStatus(control: end), of: .items) }
    let unfinished = "session \(session.name) keeps what is unfinished"
    let kept =
      interruption == .stopped
      ? unfinished : successor.map { "pid \($0) continues with session \(session.name)" } ?? unfinished
    guard let interruption else {
      if isOwn, successor != nil { messages.write(Diagnostic(message: kept), isShown: !invocation.display.isQuiet) }
      return
    }
    for end in ends { status.add(ExitStatus(code: end.status), of: .items) }
    status.signal = signals.ending
    tell(interruption, failedCount, kept)
  }

  /// Notes and tells why the wait has ended.
  private mutating func tell(_ interruption: Interruption, _ failedCount: Int, _ kept: String) {
    switch interruption {
    case .signal: messages.write(Diagnostic(message: "interrupted; \(kept)"), isShown: !invocation.display.isQuiet)
    case .allPaused:
      messages.write(
        Diagnostic(
          message: "all tasks of session \(session.name) are paused",
          hint: "resume them with 'swiftget ctl -S \(session.name) resume --all'"))
      status.add(.tryLater, of: .run)
    case .deadline:
      let failure = Failure(.runDeadline)
      messages.write(Diagnostic(message: "stopped: \(failure.message); \(kept)"))
      status.add(failure, of: .run)
    case .stopped:
      messages.write(Diagnostic(message: "stopped by 'swiftget ctl stop'; \(kept)"))
      status.add(.tryLater, of: .run)
    case .failures:
      let files = Humanized.count(failedCount, "file")
      messages.write(Diagnostic(message: "stopped: \(files) failed, more than --max-failures allows; \(kept)"))
    }
  }
}
