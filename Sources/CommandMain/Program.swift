internal import CommandManual
internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadEvents
internal import DownloadLists
internal import DownloadScratch
internal import DownloadTransport
internal import DownloadWords
internal import Glibc

/// The program from its arguments to its exit status.
package enum Program {
  /// Executes the command line of the process.
  package static func run() -> RunResult {
    let standardError = Output.standardError()
    let standardOutput = Output.standardOutput()
    do throws(Failure) {
      try ProcessSetup.prepare()
      let command: Command
      let arguments = Command.processArguments
      let inputs = DecidingInputs()
      let environment = inputs.noting
      let standing = try StandingOptions.read(arguments, environment, notedIn: inputs)
      do throws(UsageErrors) {
        command = try Command(arguments: arguments, environment: environment, standing: standing)
      } catch {
        standardError.write(error.text)
        return RunResult(.usage)
      }
      if let warning = standing.warning, !command.isQuiet { standardError.write(warning.text) }
      if command.needsStandardOutput, !standardOutput.isWritable {
        throw Failure(.localIO, reason(EBADF))
      }
      switch command {
      case .run(let invocation):
        // Errors say where the options stand that they name.
        try invocation.standing.locating { () throws(Failure) in try RecordOptions.check(invocation) }
        return try logged(in: invocation.records.log, standing: invocation.standing, readsLists: true, standardError) {
          (messages) throws(Failure) in
          let context = RunContext(inputs: inputs, standardOutput: standardOutput, messages: messages)
          switch invocation.work {
          case .download:
            return try ExitHook.after(invocation, messages) { () throws(Failure) in try run(invocation, context) }
          case .ask: return try run(invocation, context)
          case .check: return try check(invocation, context)
          case .plan: return try plan(invocation, context)
          case .writeManifest: preconditionFailure("a manifest has an order of its own")
          }
        }
      case .writeManifest(let order):
        return try logged(in: order.log, standardError) { (messages) throws(Failure) in
          try untilSignal(standardOutput, messages) { (signals) throws(Failure) in
            try ManifestRun(order, standardOutput, messages, signals).run()
            return .success
          }
        }
      case .showShortHelp: standardOutput.write(Generator.shortHelp)
      case .showHelp(let verb): standardOutput.write(Generator.help(for: verb))
      case .showVersion: standardOutput.write("swiftget \(Generator.version) (\(CurlGlobal.version))\n")
      case .generate(let kind): standardOutput.write(Generator.text(kind))
      }
      return RunResult(wrote(standardOutput, Messages(standardError: standardError, log: nil)) ? .success : .localIO)
    } catch {
      standardError.write(Diagnostic(error).text)
      return RunResult(ExitStatus(error))
    }
  }

  /// Does `body` with the log of `--log`, if there is one, and tells the log how it ends.
  ///
  /// - Parameter readsLists: whether `body` opens the log when it knows the targets, of which it must be none.
  private static func logged(
    in options: LogOptions, standing places: StandingPlaces = StandingPlaces(), readsLists: Bool = false,
    _ standardError: Output, _ body: (Messages) throws(Failure) -> RunResult
  ) throws(Failure) -> RunResult {
    let log = try places.locating { () throws(Failure) in
      try options.path.map { (path) throws(Failure) in
        try RunLog(path: path, format: options.format ?? .lines, opensLater: readsLists)
      }
    }
    log?.failed = { standardError.write($0.text) }
    do throws(Failure) {
      let end = try places.locating { () throws(Failure) in
        try body(Messages(standardError: standardError, log: log))
      }
      log?.end(end.status)
      return end
    } catch {
      log?.add(Diagnostic(error).text)
      log?.end(ExitStatus(error))
      throw error
    }
  }

  private static func run(_ invocation: Invocation, _ context: RunContext) throws(Failure) -> RunResult {
    let (standardOutput, messages) = (context.standardOutput, context.messages)
    var (invocation, context) = (invocation, context)
    invocation.naming.directory = try BagChoice.directory(
      of: invocation.lists, invocation.naming, notedIn: context.inputs)
    invocation.settings.target.verifyCommand?.workingDirectory = AbsolutePath.of(directory: [])
    // A time of day is the next one from now on, a span begins again after the wait of --splay.
    context.deadline = invocation.unattended.deadline.map(RunDeadline.init)
    try CertificateFiles.check(invocation.settings)
    invocation.settings.secrets.netrcFiles = try NetrcFiles.read(for: invocation.settings)
    invocation.settings.secrets.cookies = try CookieFiles.settings(
      loading: invocation.loadedCookies, saving: invocation.records.savedCookies)
    let listIndex = invocation.work == .download ? ListIndex(invocation, context.inputs) : nil
    if let end = keepAll(invocation, listIndex, context) { return end }
    var verifier = try ListVerifier(invocation.lists.signatures, notedIn: context.inputs)
    if invocation.lists.fetchesInputs, let end = waitBefore(invocation, &context) { return end }
    let fetched: [Int: FetchedList]
    switch try FetchRuns.fetch(invocation, context, &verifier) {
    case .fetched(let lists, let cookies):
      fetched = lists
      invocation.settings.secrets.cookies = cookies
    case .failed(let status): return RunResult(status)
    case .interrupted(let signal): return RunResult(ExitStatus(signal: signal), mustNotWait: true)
    }
    guard let (list, findings) = try readLists(invocation, context, verifier, fetched: fetched) else {
      return RunResult(.usage)
    }
    if invocation.work == .ask { return try ask(invocation, context, list, findings) }
    let records = try RunRecords(invocation, list, findings)
    if !invocation.lists.fetchesInputs, let end = waitBefore(invocation, &context) {
      records.finishUnbegun(list, end.status).forEach { messages.write($0) }
      return end
    }
    let publication: SetPublication?
    do throws(Failure) {
      switch try SetPublication.open(invocation, context) {
      case .opened(let opened): publication = opened
      case .interrupted(let signal):
        records.finishUnbegun(list, ExitStatus(signal: signal)).forEach { messages.write($0) }
        return RunResult(ExitStatus(signal: signal), mustNotWait: true)
      }
      try publication?.begin(list)
    } catch {
      records.finishUnbegun(list, ExitStatus(error)).forEach { messages.write($0) }
      throw error
    }
    var report = records.report(beside: invocation.report(context))
    // From here on the loop handles signals. They must be blocked before the first thread starts, libcurl's included.
    let signals = SignalWatch(ProcessSetup.handledSignals + ProcessSetup.stopSignals)
    // Weak: the report may hold the output, which holds the signals.
    signals.willStop = { [weak report] in report?.willStop() }
    let hooks = try Hooks(
      invocation.unattended.hooks, timeLimit: invocation.unattended.hookTimeout, invocation.naming)
    if let hooks { report = RecordedReport(display: report, recorders: [hooks]) }
    standardOutput.signals = signals
    messages.standardError.signals = signals
    report.began(itemCount: list.itemCount)
    report.read(list.lists)
    let takenNames =
      invocation.settings.target.takesSuggestedNames
      ? OwnFiles(invocation.records).names(in: invocation.naming.directory ?? []) : []
    let place = try DownloadPlace(
      directory: publication?.directory ?? invocation.naming.directory ?? [], previous: publication?.previous(),
      finished: listIndex?.index, takenNames: takenNames)
    let engine = Engine(
      settings: invocation.settings, place: place, trustedOrigins: findings.namedOrigins, source: list,
      spool: StoredRequests(), descriptorLimit: ProcessSetup.raiseDescriptorLimit())
    let end = CommandLoop.run(engine, report, signals, until: context.deadline)
    var codes = end.failureCodes
    let isInterrupted = signals.ending != nil
    let cookieError = CookieFiles.save(end.cookies, invocation.settings, hearing: signals)
    if let cookieError { codes.insert(cookieError.code) }
    var status = findings.status(ExitStatus.overall(of: codes))
    let isInPlace = status == .success && end.isWhole
    if let signal = signals.ending { status = ExitStatus(signal: signal) }
    let published = publication?.finish(end, status: &status, hearing: signals)
    let isComplete = status.isSuccess
    var problems = hooks.map { finish($0, published?.isComplete ?? true, report, &status, hearing: signals) } ?? []
    // An index has the marks of files, too.
    if hooks?.haveChangedFiles != true {
      listIndex?.save(isWhole: end.isWhole, isComplete: isInPlace, itemCount: list.itemCount)
    }
    let changedCount = end.progress.downloadedCount + (published?.isNew ?? false ? 1 : 0)
    status = invocation.unattended.status(status, changedCount: changedCount)
    // The records say how the run ends.
    if standardOutput.failed != nil { status.add(.localIO) }
    problems += records.finish(
      list, end, isComplete: isComplete, isPublished: published?.isComplete, status: &status, hearing: signals)
    if let publication, let missing = records.missing, published?.isComplete == false, missing.isKnown {
      publication.record(missing, hearing: signals)
    }
    report.ended(summary: end.progress, status: status, interrupted: isInterrupted)
    for problem in problems + (published?.problems ?? []) { messages.write(problem) }
    if let news = published?.news { messages.write(news, isShown: !invocation.display.isQuiet) }
    if end.hasTooManyFailures, end.progress.unfinishedCount + end.progress.unstartedCount > 0 {
      let files = Humanized.count(end.progress.failedCount, "file")
      messages.write(
        Diagnostic(
          message: "stopped: \(files) failed, more than --max-failures allows",
          hint: "mend the cause, then run the same command again to go on"))
    }
    if let error = end.stoppedBy {
      // A full disk has been reported with the file that met it. It stops a run only if others are left.
      let isKnown = end.progress.failedCount > 0 && error.code == .diskFull
      let areOthersLeft = end.progress.unfinishedCount + end.progress.unstartedCount > 0
      let hint = error.hint(isSaved: true).flatMap { report.hasShown(hint: $0) ? nil : $0 }
      messages.write(
        Diagnostic(message: "stopped: \(error.message)", hint: hint),
        isShown: !isKnown || areOthersLeft && !invocation.display.isQuiet)
    }
    if let cookieError { messages.write(Diagnostic(cookieError)) }
    tellWrongEntries(findings, status, messages)
    if !wrote(standardOutput, messages) { status.add(.localIO) }
    // A signal may have come while the summary was being written.
    if let signal = signals.ending { status = ExitStatus(signal: signal) }
    return RunResult(status, mustNotWait: signals.ending != nil, progress: end.progress)
  }

  /// Ends a run whose files are all there as an earlier one has left them, without reading its lists.
  private static func keepAll(
    _ invocation: Invocation, _ index: ListIndex?, _ context: RunContext
  ) -> RunResult? {
    guard let all = index?.allFiles else { return nil }
    let report = invocation.report(context)
    report.began(itemCount: all.count)
    var progress = RunProgress()
    progress.itemCount = all.count
    progress.keptCount = all.count
    progress.doneByteCount = all.byteCount
    progress.knownByteCount = all.byteCount
    let status = invocation.unattended.status(.success, changedCount: 0)
    report.ended(summary: progress, status: status, interrupted: false)
    return RunResult(status, progress: progress)
  }

  /// Waits for the hooks of files.
  ///
  /// - Parameters:
  ///   - isPublished: whether downloaded files have their names.
  ///   - status: of the run. A hook that failed makes a failure of a success.
  /// - Returns: how many failed, and how many were not run, for the user.
  private static func finish(
    _ hooks: Hooks, _ isPublished: Bool, _ report: any Report, _ status: inout ExitStatus, hearing signals: SignalWatch
  ) -> [Diagnostic] {
    let tally = hooks.finish(isPublished: isPublished, hearing: signals)
    hooks.takeNotices().forEach(report.noticed)
    if let signal = signals.ending { status = ExitStatus(signal: signal) }
    if tally.failedCount + tally.droppedCount > 0, status == .success { status = .other }
    let counts = [(tally.failedCount, "failed"), (tally.droppedCount, "not run")].filter { $0.0 > 0 }
    return counts.map { count, what in
      Diagnostic(message: "\(count) of \(Humanized.count(tally.count, "hook")) \(what)")
    }
  }

  /// Waits the time of `--splay`, with which a run begins.
  ///
  /// - Returns: how the process ends where a signal ended the wait.
  private static func waitBefore(_ invocation: Invocation, _ context: inout RunContext) -> RunResult? {
    let splay = Splay(invocation, context, terminal: Terminal(descriptor: STDERR_FILENO))
    if let signal = splay.wait() { return RunResult(ExitStatus(signal: signal), mustNotWait: true) }
    if case .span(_)? = invocation.unattended.deadline, invocation.unattended.splay > .zero {
      context.deadline = invocation.unattended.deadline.map(RunDeadline.init)
    }
    return nil
  }

  /// Asks servers about all URLs.
  private static func ask(
    _ invocation: Invocation, _ context: RunContext, _ list: RequestList, _ findings: ListFindings
  ) throws(Failure) -> RunResult {
    let messages = context.messages
    return try untilSignal(context.standardOutput, messages) { (signals) throws(Failure) in
      let report = SpiderReport(invocation.display, context.standardOutput, messages)
      var settings = invocation.settings
      settings.asksOnly = true
      let engine = Engine(
        settings: settings, place: try DownloadPlace(directory: []), trustedOrigins: findings.namedOrigins,
        source: MirrorSource(list),
        descriptorLimit: ProcessSetup.raiseDescriptorLimit())
      let end = CommandLoop.run(engine, report, signals, until: context.deadline)
      messages.write(
        SpiderMessages.summary(urlCount: report.urlCount, dead: report.deadCount),
        isShown: !invocation.display.isQuiet && invocation.display.progress != .json)
      if let error = end.stoppedBy { messages.write(Diagnostic(error)) }
      let cookieError = CookieFiles.save(end.cookies, invocation.settings, hearing: signals)
      if let cookieError { messages.write(Diagnostic(cookieError)) }
      let status = findings.status(
        ExitStatus.overall(of: end.failureCodes.union(cookieError.map { [$0.code] } ?? [])))
      tellWrongEntries(findings, status, messages)
      return status
    }
  }

  /// The checked requests of an invocation; nil if something is wrong with them, which has been told.
  private static func readLists(
    _ invocation: Invocation, _ context: RunContext, _ verifier: ListVerifier?, fetched: [Int: FetchedList] = [:]
  ) throws(Failure) -> (RequestList, ListFindings)? {
    let messages = context.messages
    let list = try RequestList(
      invocation.lists, invocation.naming, for: invocation.work,
      takesSuggestedNames: invocation.settings.target.takesSuggestedNames, writing: invocation.records,
      notedIn: context.inputs, verifier, fetched: fetched, context.patience)
    for (name, signature) in list.signatures {
      messages.write(SignatureMessages.verified(name, signature), isShown: invocation.display.verbosity > 0)
    }
    let findings = try list.check()
    if findings.isLogTarget { messages.log?.abandon() }
    try messages.log?.open()
    if !findings.problems.isEmpty {
      messages.write(UsageErrors(findings.problems.map(invocation.standing.located)).text)
      guard findings.mayGoOn else { return nil }
      messages.write(ListMessages.leftOut(problemCount: findings.problemCount))
    }
    if let shard = invocation.lists.shard, let count = list.itemCount {
      let others = list.otherShardsItemCount
      messages.write(
        Diagnostic(message: "shard \(shard.text): \(count) of \(Humanized.count(count + others, "file"))"),
        isShown: invocation.display.verbosity > 0)
    }
    for (name, isFiltered) in list.emptyLists {
      messages.write(ListMessages.empty(name, isFiltered: isFiltered), isShown: !invocation.display.isQuiet)
    }
    return (list, findings)
  }

  /// Says once more how many entries `--keep-going` has left out: their errors are far above by now.
  private static func tellWrongEntries(
    _ findings: ListFindings, _ status: ExitStatus, _ messages: Messages
  ) {
    guard findings.problemCount > 0 else { return }
    messages.write(ListMessages.wrongEntries(findings.problemCount, status: status))
  }

  private static func check(_ invocation: Invocation, _ context: RunContext) throws(Failure) -> RunResult {
    var invocation = invocation
    invocation.naming.directory = try BagChoice.directory(
      of: invocation.lists, invocation.naming, notedIn: context.inputs)
    let verifier = try ListVerifier(invocation.lists.signatures, notedIn: context.inputs)
    guard let (list, findings) = try readLists(invocation, context, verifier) else { return RunResult(.usage) }
    return try untilSignal(context.standardOutput, context.messages) { [invocation] (signals) throws(Failure) in
      let status = findings.status(try CheckRun.run(invocation, context, list, signals))
      tellWrongEntries(findings, status, context.messages)
      return status
    }
  }

  private static func plan(_ invocation: Invocation, _ context: RunContext) throws(Failure) -> RunResult {
    var invocation = invocation
    invocation.naming.directory = try BagChoice.directory(
      of: invocation.lists, invocation.naming, notedIn: context.inputs)
    try CertificateFiles.check(invocation.settings)
    _ = try NetrcFiles.read(for: invocation.settings)
    let verifier = try ListVerifier(invocation.lists.signatures, notedIn: context.inputs)
    guard let (list, findings) = try readLists(invocation, context, verifier) else { return RunResult(.usage) }
    return try untilSignal(context.standardOutput, context.messages) { [invocation] (signals) throws(Failure) in
      let status = findings.status(try DryRun.run(invocation, context, list, signals))
      tellWrongEntries(findings, status, context.messages)
      return status
    }
  }

  /// Does work on this machine that signals end.
  private static func untilSignal(
    _ standardOutput: Output, _ messages: Messages, _ body: (SignalWatch) throws(Failure) -> ExitStatus
  ) throws(Failure) -> RunResult {
    _ = ProcessSetup.raiseDescriptorLimit()
    // They must be blocked before the first thread starts.
    let signals = SignalWatch(ProcessSetup.handledSignals + ProcessSetup.stopSignals)
    standardOutput.signals = signals
    var status = try body(signals)
    if !wrote(standardOutput, messages) { status = .localIO }
    signals.take()
    if let signal = signals.ending { status = ExitStatus(signal: signal) }
    return RunResult(status, mustNotWait: signals.ending != nil)
  }

  private static func wrote(_ standardOutput: Output, _ messages: Messages) -> Bool {
    guard let error = standardOutput.failed else { return true }
    messages.write(Diagnostic(message: reason(error)))
    return false
  }

  private static func reason(_ error: Int32) -> String {
    if error == EBADF { return "standard output is closed, or not open for writing" }
    return "cannot write to standard output: \(SystemMessages.reason(error))"
  }
}
