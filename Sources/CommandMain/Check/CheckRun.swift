internal import CommandChecking
internal import CommandDisplay
internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadHashing
internal import DownloadLists
internal import DownloadWords
internal import Glibc

/// Checks the files of a list on all cores (`--check`).
///
/// Requests are read on demand, and no more than a window of them is held.
struct CheckRun {
  private let list: RequestList
  private let audit: BagAudit?
  private let pool: HashPool
  private let output: Output
  private let messages: Messages
  private var display: CheckDisplay
  private let progress: CheckProgress
  private var window = OrderedResults<Checked>(window: 2048)
  /// Requests whose results are not there, by number.
  private var waiting: [Int: FileRequest] = [:]
  private var text = ""

  private struct Checked {
    let name: [UInt8]
    let source: SourceLine?
    let result: CheckResult
  }

  /// Checks all files of the list. The signals tell whether the run was interrupted.
  static func run(
    _ invocation: Invocation, _ context: RunContext, _ list: RequestList, _ signals: SignalWatch,
    _ status: inout RunStatus
  ) throws(Failure) {
    let pool: HashPool
    do { pool = try HashPool(path: invocation.naming.directory ?? []) } catch { throw LocalFileMessages.error(error) }
    let progress = CheckProgress(
      invocation, itemCount: list.itemCount, context.messages.standardError,
      terminal: Terminal(descriptor: STDERR_FILENO))
    // Weak: the signals may outlive the check.
    signals.willStop = { [weak progress] in progress?.willWrite() }
    var run = CheckRun(
      list: list, audit: list.bag.map { BagAudit($0, invocation.lists.filter) }, pool: pool,
      output: context.standardOutput, messages: context.messages, display: CheckDisplay(invocation), progress: progress)
    // After a signal nothing waits for a disk.
    defer { if signals.ending == nil { pool.end() } }
    try run.check(hearing: signals, &status)
  }

  private mutating func check(hearing signals: SignalWatch, _ status: inout RunStatus) throws(Failure) {
    var hasMore = true
    if progress.isJSON { add(progress.beginning) }
    while true {
      while hasMore, window.hasRoom { hasMore = try submitNext() }
      if window.isEmpty { break }
      guard let outcomes = pool.collect(hearing: signals, within: progress.patience) else {
        return progress.willWrite()
      }
      for outcome in outcomes {
        guard let request = waiting.removeValue(forKey: outcome.number) else { continue }
        window.put(
          Checked(
            name: request.target.name, source: request.source, result: CheckResult(request, outcome.result)),
          number: outcome.number)
      }
      while let checked = window.take() {
        tell(
          display.add(checked.result, name: checked.name, source: checked.source),
          CheckDisplay.object(checked.result, name: checked.name, source: checked.source))
      }
      if progress.isDue { look() } else if !progress.isLive { flush() }
    }
    for finding in try audit?.findings() ?? [] { tell(display.add(finding), CheckDisplay.object(finding)) }
    status.add(display.status, of: .items)
    if progress.isJSON { add(display.ending(after: progress.elapsed, status.status)) }
    flush()
    progress.willWrite()
    if !progress.isJSON { for line in display.summary { messages.write(line) } }
  }

  private mutating func look() {
    let numbers = CheckProgress.Numbers(
      files: display.fileCount, failed: display.failedCount, byteCount: pool.readByteCount)
    flush()
    if let object = progress.look(numbers) { add(object) }
    flush()
  }

  private mutating func add(_ object: JSONObject) {
    text += String(decoding: object.line, as: UTF8.self)
  }

  private mutating func submitNext() throws(Failure) -> Bool {
    guard let request = try list.next() else { return false }
    let number = window.begin()
    waiting[number] = request
    pool.submit(CheckResult.job(number: number, request))
    return true
  }

  /// - Parameter object: the same for `--progress json`.
  private mutating func tell(_ lines: CheckDisplay.CheckLines, _ object: @autoclosure () -> JSONObject) {
    if progress.isJSON { return add(object()) }
    text += lines.result
    if let reason = lines.reason {
      // Both may be the same terminal.
      flush()
      progress.willWrite()
      messages.write(reason)
    } else if text.utf8.count >= Output.batchByteCount {
      flush()
    }
  }

  private mutating func flush() {
    if text.isEmpty { return }
    progress.willWrite()
    output.write(text)
    text = ""
  }
}
