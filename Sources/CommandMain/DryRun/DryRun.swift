internal import CommandOptions
internal import CommandSets
internal import DownloadCore
internal import DownloadEngine
internal import DownloadLists
internal import DownloadWords

/// Tells for each file what a download would begin with (`--dry-run`).
enum DryRun {
  /// Files after which signals are looked at, and output is written.
  private static let batchCount = 256

  private static func planner(_ invocation: Invocation, _ inputs: DecidingInputs) throws(Failure) -> StartPlanner {
    let directory = invocation.naming.directory ?? []
    guard invocation.naming.isAtomic else {
      return try StartPlanner(
        settings: invocation.settings, directory: directory, finished: ListIndex(invocation, inputs)?.index)
    }
    let paths: (new: [UInt8], previous: [UInt8]?)
    do { paths = try NextSet.paths(of: directory) } catch { throw SetMessages.error(error, directory: directory) }
    return try StartPlanner(
      settings: invocation.settings, directory: paths.new, previous: PreviousSet(path: paths.previous))
  }

  /// - Returns: the status; the signals tell whether the run was interrupted.
  static func run(
    _ invocation: Invocation, _ context: RunContext, _ list: RequestList, _ signals: SignalWatch
  ) throws(Failure) -> ExitStatus {
    let planner = try planner(invocation, context.inputs)
    let isJSON = invocation.display.progress == .json
    var counts: [PlannedAction: Int] = [:]
    var codes: Set<Failure.Code> = []
    var lines: [UInt8] = []
    var count = 0
    while let request = try list.next() {
      let start = planner.plan(for: request)
      let action = PlannedAction(start)
      counts[action, default: 0] += 1
      if case .refuse(let error) = start { codes.insert(error.code) }
      if isJSON {
        lines += PlanMessages.object(request, start).text + [UInt8(ascii: "\n")]
      } else if action != .skip || !invocation.display.isQuiet {
        lines += PlanMessages.line(request, start).utf8
      }
      count += 1
      guard count % batchCount == 0 else { continue }
      context.standardOutput.write(lines)
      lines = []
      signals.take()
      if signals.ending != nil { return .interrupted }
    }
    context.standardOutput.write(lines)
    context.messages.write(PlanMessages.summary(counts), isShown: !invocation.display.isQuiet && !isJSON)
    return ExitStatus.overall(of: codes)
  }
}
