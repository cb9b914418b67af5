internal import CommandDisplay
internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadEvents
internal import DownloadLists
internal import DownloadScratch
internal import DownloadWords
internal import Glibc
internal import SwiftGet

/// Downloads files, or asks for them (`--spider`), which begins in the same way.
struct Download: Verb {
  private var invocation: Invocation
  private var context: RunContext
  private var status = RunStatus()
  /// What is written about the run; nil before its lists are known.
  private var records: RunRecords?
  /// What was done; nil where nothing was started.
  private var progress: RunProgress?
  /// Why nothing was started, or what stopped the run as a whole, where that has been told.
  private var toldError: Failure?

  private var messages: Messages { context.messages }

  init(_ invocation: Invocation, _ context: RunContext) {
    (self.invocation, self.context) = (invocation, context)
  }

  mutating func run() throws(Failure) -> RunResult {
    do throws(Failure) {
      if let end = try perform() { return end }
      endRun(toldError)
      return RunResult(status.status, mustNotWait: status.signal != nil)
    } catch {
      status.add(error, of: .run)
      endRun(error)
      throw error
    }
  }

  /// Runs the hook of `--on-exit`, and shows the notification of `--notify`, however the run has ended.
  private mutating func endRun(_ error: Failure?) {
    ExitHook.run(invocation, messages, error: error, &status)
    writeReport()
    if invocation.unattended.notifies { DesktopNotification.show(status.status, progress) }
  }

  /// Writes the report with the status that the run has now.
  private mutating func writeReport() {
    if let problem = records?.writeReport(&status) { messages.write(problem) }
  }

  // MARK: The way to the first item

  /// - Returns: the end of another verb.
  private mutating func perform() throws(Failure) -> RunResult? {
    invocation.naming.directory = try BagChoice.directory(
      of: invocation.lists, invocation.naming, notedIn: context.inputs)
    invocation.settings.target.verifyCommand?.placed.directory = AbsolutePath.of(directory: [])
    // A time of day is the next one from now on, a span begins again after the wait of --splay.
    context.deadline = invocation.unattended.deadline.map(RunDeadline.init)
    try CommandPrograms.check(invocation)
    let habits = OtherHabits(invocation, isOutputPiped: context.standardOutput.isPipe)
    for remark in habits.remarks { messages.write(remark) }
    try invocation.readLogins()
    let listIndex = invocation.work == .download ? ListIndex(invocation, context.inputs) : nil
    if let all = listIndex?.allFiles {
      keepAll(all)
      return nil
    }
    let verifier = try ListVerifier(invocation.lists.signatures, notedIn: context.inputs)
    if invocation.lists.fetchesInputs, !waitBefore() { return nil }
    guard let lists = try RunLists.read(&invocation, context, verifier, &status) else { return nil }
    if invocation.work == .ask { return try Spider(invocation: invocation, context: context, lists: lists).run() }
    records = try RunRecords(invocation, lists)
    if !invocation.lists.fetchesInputs, !waitBefore() {
      endUnbegun(lists)
      return nil
    }
    let publication: SetPublication?
    do throws(Failure) {
      switch try SetPublication.open(invocation, context) {
      case .opened(let opened): publication = opened
      case .interrupted(let signal):
        status.signal = signal
        endUnbegun(lists)
        return nil
      }
      try publication?.begin(lists.list)
    } catch {
      let error = invocation.standing.located(error)
      status.add(error, of: .run)
      endUnbegun(lists)
      messages.write(Diagnostic(error))
      toldError = error
      return nil
    }
    try download(lists, publication, listIndex)
    return nil
  }

  /// A run whose files are all there as an earlier one has left them, so that its lists need not be read.
  private mutating func keepAll(_ all: (count: Int, byteCount: Int64)) {
    let display = invocation.makeDisplay(context)
    display.began(itemCount: all.count)
    var progress = RunProgress()
    progress.itemCount = all.count
    progress.keptCount = all.count
    progress.doneByteCount = all.byteCount
    progress.knownByteCount = all.byteCount
    display.ended(summary: progress, status: status.status, interrupted: false)
    self.progress = progress
  }

  /// Waits the time of `--splay`, with which a run begins.
  ///
  /// - Returns: false where a signal ended the wait.
  private mutating func waitBefore() -> Bool {
    let splay = Splay(invocation, context, terminal: Terminal(descriptor: STDERR_FILENO))
    status.signal = splay.wait()
    if case .span(_)? = invocation.unattended.deadline, invocation.unattended.splay > .zero {
      context.deadline = invocation.unattended.deadline.map(RunDeadline.init)
    }
    return status.signal == nil
  }

  /// Writes the records of a run that ends before its first item.
  private mutating func endUnbegun(_ lists: RunLists) {
    var end = RunEnd()
    end.progress.itemCount = lists.list.itemCount
    end.progress.unstartedCount = lists.list.itemCount ?? 0
    let signals = SignalWatch(ProcessSetup.handledSignals)
    defer { signals.release() }
    let problems = records?.finish(
      lists.list, end, isComplete: false, isPublished: invocation.naming.isAtomic ? false : nil, &status,
      hearing: signals)
    for problem in problems ?? [] { messages.write(problem) }
  }

  // MARK: The items

  private mutating func download(
    _ lists: RunLists, _ publication: SetPublication?, _ listIndex: ListIndex?
  ) throws(Failure) {
    guard let records else { return }
    let (standardOutput, list) = (context.standardOutput, lists.list)
    var display = records.recorded(invocation.makeDisplay(context))
    // From here on the loop handles signals. They must be blocked before the first thread starts, libcurl's included.
    let signals = SignalWatch(ProcessSetup.handledSignals + ProcessSetup.stopSignals)
    let hooks =
      invocation.unattended.hasHooksOfFiles
      ? try Hooks(
        invocation.unattended.hooks, timeLimit: invocation.unattended.hookTimeout, invocation.naming, .command) : nil
    if let hooks { display = RecordedDisplay(display: display, recorders: [hooks]) }
    standardOutput.signals = signals
    messages.standardError.signals = signals
    display.began(itemCount: list.itemCount)
    display.read(list.lists)
    // Weak: the display may hold the output, which holds the signals.
    let keys = KeyControl(invocation, display)
    signals.willStop = { [weak display, weak keys] in
      display?.willStop()
      keys?.end()
    }
    let end = try work(lists, publication, listIndex, display, keys, signals)
    progress = end.progress
    status.add(lists.findings.status, of: .lists)
    status.add(end.failureCodes, of: .items)
    let isInterrupted = signals.ending != nil
    let cookieError = CookieFiles.save(end.cookies, invocation.settings, hearing: signals)
    if let cookieError { status.add(cookieError, of: .cookies) }
    let isInPlace = status.isFaultless(in: [.lists, .items, .cookies]) && end.isWhole
    status.signal = signals.ending
    let published = publication?.finish(end, mayPublish: status.status == .success, hearing: signals)
    if let failure = published?.failure { status.add(failure, of: .publication) }
    let isComplete = status.status == .success
    var problems = hooks.map { finish($0, published?.isComplete ?? true, display, hearing: signals) } ?? []
    // An index has the marks of files, too.
    if hooks?.haveChangedFiles != true {
      listIndex?.save(isWhole: end.isWhole, isComplete: isInPlace, itemCount: list.itemCount)
    }
    let changedCount = end.progress.downloadedCount + (published?.isNew ?? false ? 1 : 0)
    if changedCount > 0 { status.changed = invocation.unattended.changedExit.map(ExitStatus.changed) }
    // The records say how the run ends.
    if standardOutput.failed != nil { status.add(.localIO, of: .output) }
    problems += records.finish(
      list, end, isComplete: isComplete, isPublished: published?.isComplete, &status, hearing: signals)
    if let publication, let missing = records.missing, published?.isComplete == false, missing.isKnown {
      publication.record(missing, hearing: signals)
    }
    display.ended(summary: end.progress, status: status.status, interrupted: isInterrupted)
    for problem in problems + (published?.problems ?? []) { messages.write(problem) }
    if let news = published?.news { messages.write(news, isShown: !invocation.display.isQuiet) }
    tell(end, display)
    if let cookieError { messages.write(Diagnostic(cookieError)) }
    lists.tellWrongEntries(status.status, messages)
    if !context.hasWrittenOutput() { status.add(.localIO, of: .output) }
    // A signal may have come while the summary was being written.
    status.signal = signals.ending
    writeReport()
  }

  private func work(
    _ lists: RunLists, _ publication: SetPublication?, _ listIndex: ListIndex?, _ display: any Display,
    _ keys: KeyControl?, _ signals: SignalWatch
  ) throws(Failure) -> RunEnd {
    let directory = invocation.naming.directory ?? []
    let takenNames =
      invocation.settings.target.takesSuggestedNames ? OwnFiles(invocation.records).names(in: directory) : []
    let place = try DownloadPlace(
      directory: publication?.directory ?? directory, previous: publication?.previous(), finished: listIndex?.index,
      takenNames: takenNames)
    let work = DownloadRun(
      lists.list, to: place, invocation.settings, spool: StoredRequests(),
      trustedOrigins: lists.findings.namedOrigins, descriptorLimit: ProcessSetup.raiseDescriptorLimit())
    return CommandLoop.run(work, display, signals, until: context.deadline, keys: keys)
  }

  /// Waits for the hooks of files.
  ///
  /// - Parameter isPublished: whether downloaded files have their names.
  /// - Returns: how many failed, and how many were not run, for the user.
  private mutating func finish(
    _ hooks: Hooks, _ isPublished: Bool, _ display: any Display, hearing signals: SignalWatch
  ) -> [Diagnostic] {
    let tally = hooks.finish(isPublished: isPublished, hearing: signals)
    hooks.takeNotices().forEach(display.noticed)
    status.signal = signals.ending
    if tally.failedCount + tally.droppedCount > 0 { status.add(.other, of: .hooks) }
    return tally.problems
  }

  /// Tells what has stopped the run.
  private func tell(_ end: RunEnd, _ display: any Display) {
    let areOthersLeft = end.progress.unfinishedCount + end.progress.unstartedCount > 0
    if end.hasTooManyFailures, areOthersLeft {
      let files = Humanized.count(end.progress.failedCount, "file")
      messages.write(
        Diagnostic(
          message: "stopped: \(files) failed, more than --max-failures allows",
          hint: "fix the cause, then run the same command again to continue"))
    }
    if let error = end.stoppedBy {
      // A full disk has been reported with the file that met it. It stops a run only if others are left.
      let isKnown = end.progress.failedCount > 0 && error.code == .diskFull
      let hint = error.hint(isSaved: true).flatMap { display.hasShown(hint: $0) ? nil : $0 }
      messages.write(
        Diagnostic(message: "stopped: \(error.message)", hint: hint),
        isShown: !isKnown || areOthersLeft && !invocation.display.isQuiet)
    }
  }
}
