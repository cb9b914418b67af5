internal import CommandControl
internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadEvents
internal import DownloadLists
internal import DownloadScratch
internal import DownloadWords
internal import SwiftGet

/// What this process writes and runs for the files of a session while it works on it: the log and hooks for all files, the
/// files of `--report` and `--failed` for those of the command line.
///
/// A session numbers files in its own way and names them from the root. Files of the command line are reported as in a run
/// without a session.
final class SessionRecords {
  private let events = Mailbox<EngineEvent>()
  private let hooks: Hooks
  /// Whether it hears of everything, and not only of what is to be told and of tasks that have hooks.
  private let hearsAll: Bool
  /// Gets the events of all files.
  private let log: any Display
  /// Gets the events of the files of the command line.
  private let own: any Display
  private let records: RunRecords?
  private let list: RequestList?
  /// Ends with a slash.
  private let base: [UInt8]
  private let start = ContinuousClock.now
  private var files: [TaskID: FileRequest] = [:]
  /// Whether `take` tells of files that have failed.
  private let tellsFailures: Bool
  /// Files of the command line that have ended.
  private var ended: Set<TaskID> = []
  private var progress = RunProgress()
  private var codes: Set<Failure.Code> = []

  /// Starts the thread of hooks: the signals of the run must be blocked before that.
  ///
  /// - Parameters:
  ///   - lists: those of the command line; nil without files, or if nothing lists them.
  ///   - tellsFailures: whether `take` tells of files that have failed.
  /// - Throws: a usage error for records without files; why a file cannot be written.
  init(
    _ invocation: Invocation, _ context: RunContext, _ lists: RunLists?, tellsFailures: Bool = false
  ) throws(Failure) {
    self.tellsFailures = tellsFailures
    if lists == nil, let option = invocation.listingOption {
      throw Failure(
        .usage, "\(option) lists the files of the command line, which has none",
        hint: "give files, or use --log for all files of the session")
    }
    hooks = try Hooks(
      invocation.unattended.hooks, timeLimit: invocation.unattended.hookTimeout, invocation.naming, .command)
    hearsAll = Self.isWanted(by: invocation)
    var display: any Display = SilentDisplay()
    if let log = context.messages.log {
      try log.open()
      display = LoggedDisplay(
        display: display, log: log, level: invocation.display.logLevel, style: Recap.Style(tellsIdleRuns: true),
        directory: invocation.naming.targetDirectory)
    }
    display = RecordedDisplay(display: display, recorders: [hooks])
    log = display
    list = lists?.list
    records = try lists.map { (lists) throws(Failure) in try RunRecords(invocation, lists) }
    own = records?.recorded(display) ?? display
    base = AbsolutePath.of(directory: invocation.naming.directory ?? []) + [UInt8(ascii: "/")]
    progress.itemCount = list?.itemCount
    log.began(itemCount: progress.itemCount)
  }

  /// Whether the command line has somebody hear of all files.
  static func isWanted(by invocation: Invocation) -> Bool {
    let records = invocation.records
    return records.report != nil || records.failed != nil || records.log.path != nil
      || invocation.unattended.hasHooksOfFiles
  }

  /// Has the session that begins with this configuration tell it what happens.
  func listen(by configuration: inout DownloadConfiguration) {
    configuration.listener = { [events, hearsAll, tellsFailures] news in
      let heard = news.filter { event in
        switch event {
        case .progressed: false
        case .ended(let outcome) where outcome.hook != nil: true
        case .ended(let outcome): if case .failed = outcome.result { hearsAll || tellsFailures } else { hearsAll }
        default: hearsAll
        }
      }
      if !heard.isEmpty { events.post(heard) }
    }
  }

  /// Readable while events wait to be taken.
  var descriptor: Int32 { events.descriptor }

  /// - Parameter files: of the command line, by the session's ids. Before the first `take`.
  func name(_ files: [(id: String, file: FileRequest)]) {
    for (id, file) in files { if let id = DownloadTaskID(id) { self.files[id.number] = file } }
  }

  /// Passes on what has happened.
  ///
  /// - Returns: files that have failed if they are to be told, and warnings about hooks.
  func take() -> [Diagnostic] {
    var told: [Diagnostic] = []
    for event in events.takeAll() {
      switch event {
      case .started(let task, let name, let location):
        display(of: task).itemStarted(number(task), name: shown(name), location: location)
      case .noticed(var notice):
        let display = notice.task.map(display) ?? log
        notice.task = notice.task.map(number)
        notice.name = notice.name.map(shown)
        display.noticed(notice)
      case .ended(var outcome):
        let file = files[outcome.task]
        if file != nil { ended.insert(outcome.task) }
        let display = display(of: outcome.task)
        outcome.task = number(outcome.task)
        outcome.name = shown(outcome.name)
        outcome.source = file?.source
        if tellsFailures, case .failed(let failure) = outcome.result { told.append(Diagnostic(failure, of: outcome)) }
        end(outcome, display)
      case .progressed, .status: break
      }
    }
    log.flush()
    return told + hooks.takeNotices().map { Diagnostic(message: "warning: \(NoticeMessages.text($0.remark))") }
  }

  private func display(of task: TaskID) -> any Display { files[task] == nil ? log : own }
  private func number(_ task: TaskID) -> TaskID { files[task]?.task ?? task }

  /// - Parameter name: from the root, without the slash.
  private func shown(_ name: [UInt8]) -> [UInt8] {
    let path = [UInt8(ascii: "/")] + name
    return path.starts(with: base) ? Array(path[base.count...]) : path
  }

  private func end(_ outcome: Outcome, _ display: any Display) {
    display.itemEnded(outcome)
    progress.receivedByteCount += outcome.transfers.received.total
    switch outcome.result {
    case .downloaded:
      progress.downloadedCount += 1
      progress.doneByteCount += outcome.byteCount
    case .kept:
      progress.keptCount += 1
      progress.doneByteCount += outcome.byteCount
    case .failed(let failure):
      progress.failedCount += 1
      codes.insert(failure.code)
    case .withdrawn: progress.withdrawnCount += 1
    case .unfinished: break
    }
  }

  /// A file of the command line that had ended before this process began to work.
  private func end(_ end: SessionWork.TaskEnd) {
    guard let id = DownloadTaskID(end.id)?.number, let file = files[id], ended.insert(id).inserted else { return }
    let result: Outcome.Result =
      if let message = end.failure {
        .failed(Failure(Self.code(ExitStatus(code: end.status)), message))
      } else if end.isCancelled { .withdrawn(.cancelled) } else { .kept }
    self.end(
      Outcome(
        task: file.task, name: file.target.name, location: file.mirrors[0].location, result: result,
        byteCount: end.size ?? 0, received: ReceivedBytes(), status: nil, verified: nil, elapsed: .zero,
        source: file.source), own)
  }

  private static func code(_ status: ExitStatus) -> Failure.Code {
    Failure.Code.allCases.first { ExitStatus($0) == status } ?? .other
  }

  /// Ends hooks and writes the records, after the work on the session.
  ///
  /// - Parameters:
  ///   - ends: of the files of the command line that have ended.
  ///   - status: of the run so far. Hooks and records add to it.
  /// - Returns: what could not be done, for the user.
  func finish(
    _ ends: [SessionWork.TaskEnd], _ status: inout RunStatus, hearing signals: SignalWatch
  ) -> [Diagnostic] {
    var problems = take()
    for end in ends { self.end(end) }
    progress.elapsed = ContinuousClock.now - start
    let tally = hooks.finish(isPublished: true, hearing: signals)
    problems += take() + tally.problems
    if tally.failedCount + tally.droppedCount > 0 { status.add(.other, of: .hooks) }
    if let records, let list {
      var end = RunEnd()
      end.progress = progress
      end.failureCodes = codes
      problems += records.finish(
        list, end, isComplete: status.status.isSuccess, isPublished: nil, &status, hearing: signals)
    }
    log.ended(summary: progress, status: status.status, interrupted: signals.ending != nil)
    return problems
  }

  /// As that of `RunRecords`.
  func writeReport(_ status: inout RunStatus) -> Diagnostic? { records?.writeReport(&status) }
}
