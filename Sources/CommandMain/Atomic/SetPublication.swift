internal import CommandOptions
internal import CommandSets
internal import DownloadCore
internal import DownloadEngine
internal import DownloadLists
internal import DownloadScratch
internal import DownloadWords

/// A run whose files appear together (`--atomic`): it downloads into a `NextSet`, which takes the place of the target
/// directory if nothing has failed.
struct SetPublication {
  private let next: NextSet
  private let invocation: Invocation

  struct Result {
    /// Whether the target directory is the set that the run was to make.
    var isComplete: Bool
    /// Whether it has taken the place of another set.
    var isNew = false
    /// Why it is not, or not safely, in place.
    var failure: Failure?
    /// For the user.
    var problems: [Diagnostic] = []
    var news: Diagnostic?
  }

  /// The time between two looks at a set that another run prepares.
  private static let step = Duration.milliseconds(200)

  enum Opening {
    /// Nil without the option.
    case opened(SetPublication?)
    /// The signal ended the wait for another run.
    case interrupted(Int32)
  }

  /// Opens the next set. With `--lock-wait` it waits for another run that prepares it.
  static func open(_ invocation: Invocation, _ context: RunContext) throws(Failure) -> Opening {
    guard invocation.naming.isAtomic else { return .opened(nil) }
    let path = invocation.naming.directory ?? []
    let time = invocation.settings.limits.lockWait ?? .zero
    let end = ContinuousClock.now + time
    var signals: SignalWatch?
    defer { signals?.release() }
    while true {
      do throws(SetRefusal) {
        return .opened(
          SetPublication(next: try NextSet(of: path, record: Self.record(of: path)), invocation: invocation))
      } catch {
        let left = end - .now
        guard error == .held, left > .zero else { throw SetMessages.error(error, directory: path) }
        if context.deadline?.hasPassed ?? false { throw Failure(.runDeadline) }
        let watch = signals ?? SignalWatch(ProcessSetup.handledSignals + ProcessSetup.stopSignals)
        func tell(_ time: Duration) { context.messages.write(SetMessages.waiting(SetMessages.shown(path), time)) }
        if signals == nil, !invocation.display.isQuiet { tell(time) }
        signals = watch
        let goesOn = watch.wait(min(left, step)) { tell(end - .now) }
        if !goesOn, let signal = watch.ending { return .interrupted(signal) }
      }
    }
  }

  /// Nil where the user has no cache directory.
  private static func record(of path: [UInt8]) -> PublishedFiles? {
    ListIndex.directory(.process).map {
      PublishedFiles(in: $0, of: AbsolutePath.cleaned(AbsolutePath.of(directory: path)))
    }
  }

  /// Decides what becomes of the files that an earlier run has left.
  ///
  /// - Throws: a usage error where they and those of the list would be no whole set.
  func begin(_ list: RequestList) throws(Failure) {
    do throws(SetRefusal) {
      let names = SetNames(list.takeSetKeys()) { [paths = list.paths] in $0.withUnsafeBytes(paths.key(ofName:)) }
      try next.begin(names, syncs: invocation.settings.target.syncs)
    } catch { throw SetMessages.error(error, directory: invocation.naming.directory ?? []) }
  }

  /// Records what the set lacks, for the next run, if it is not published.
  func record(_ missing: MissingFiles, hearing signals: SignalWatch) {
    // Without the record the next run takes all files for missing.
    try? next.record(missing: missing.keys, syncs: invocation.settings.target.syncs && signals.ending == nil)
  }

  /// Where the engine writes.
  var directory: [UInt8] { next.newPath }

  /// Where files are that the run keeps.
  func previous() throws(Failure) -> PreviousSet? {
    try PreviousSet(path: next.previousPath)
  }

  /// Publishes the set after a run in which all went well; else keeps what was downloaded for the next run.
  ///
  /// - Parameter mayPublish: whether nothing has failed so far.
  /// - Returns: what has become of the set.
  func finish(_ end: RunEnd, mayPublish: Bool, hearing signals: SignalWatch) -> Result {
    let shown = SetMessages.shown(invocation.naming.directory ?? [])
    let isWhole = end.progress.unfinishedCount + end.progress.unstartedCount == 0
    guard mayPublish, signals.ending == nil, end.stoppedBy == nil, !end.wasStopped, isWhole else {
      let isKept = !next.discardIfEmpty()
      return Result(
        isComplete: false, problems: [SetMessages.notPublished(shown, stage: isKept ? next.stagePath : nil)])
    }
    do throws(SetRefusal) {
      switch try next.publish(
        syncs: invocation.settings.target.syncs, prunes: invocation.naming.prunes, hearing: signals)
      {
      case .none: return Result(isComplete: true)
      case .published:
        return Result(isComplete: true, isNew: true, news: SetMessages.published(shown, prunedCount: next.prunedCount))
      case .publishedWithRest(let failure):
        return Result(isComplete: true, isNew: true, problems: [SetMessages.rest(failure)])
      case .unsynced(let failure):
        let error = LocalFileMessages.error(failure)
        return Result(isComplete: true, isNew: true, failure: error, problems: [Diagnostic(error)])
      case .interrupted:
        return Result(isComplete: false, problems: [SetMessages.notPublished(shown, stage: next.stagePath)])
      }
    } catch {
      let failure = SetMessages.error(error, directory: invocation.naming.directory ?? [])
      return Result(
        isComplete: false, failure: failure,
        problems: [Diagnostic(failure), SetMessages.notPublished(shown, stage: next.stagePath)])
    }
  }
}
