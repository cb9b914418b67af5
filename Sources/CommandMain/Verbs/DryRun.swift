internal import CommandOptions
internal import CommandSets
internal import DownloadCore
internal import DownloadEngine
internal import DownloadEvents
internal import DownloadLists
internal import DownloadWords

/// Tells for each file what a download would begin with (`--dry-run`).
struct DryRun: Verb {
  var invocation: Invocation
  let context: RunContext

  /// Files after which signals are looked at, and output is written.
  private static let batchCount = 256

  mutating func run() throws(Failure) -> RunResult {
    try CertificateFiles.check(invocation.settings)
    _ = try NetrcFiles.read(for: invocation.settings)
    guard let lists = try RunLists(local: &invocation, context) else { return RunResult(.usage) }
    return try context.untilSignal { [self] (signals, status) throws(Failure) in
      status.add(lists.findings.status, of: .lists)
      try plan(lists.list, signals, &status)
      lists.tellWrongEntries(status.status, context.messages)
    }
  }

  private func planner() throws(Failure) -> StartPlanner {
    let directory = invocation.naming.directory ?? []
    guard invocation.naming.isAtomic else {
      return try StartPlanner(
        settings: invocation.settings, directory: directory,
        finished: ListIndex(invocation, context.inputs)?.index)
    }
    let paths: (new: [UInt8], previous: [UInt8]?)
    do { paths = try NextSet.paths(of: directory) } catch { throw SetMessages.error(error, directory: directory) }
    return try StartPlanner(
      settings: invocation.settings, directory: paths.new, previous: PreviousSet(path: paths.previous))
  }

  private func plan(_ list: RequestList, _ signals: SignalWatch, _ status: inout RunStatus) throws(Failure) {
    let planner = try planner()
    let isJSON = invocation.display.progress == .json
    var counts: [PlannedAction: Int] = [:]
    var lines: [UInt8] = []
    func add(_ object: JSONObject) { lines += object.line }
    if isJSON { add(JSONObject(startOf: list.itemCount)) }
    var count = 0
    while let request = try list.next() {
      let start = planner.plan(for: request)
      let action = PlannedAction(start)
      counts[action, default: 0] += 1
      if case .refuse(let error) = start { status.add(error, of: .items) }
      if isJSON {
        add(PlanMessages.object(request, start))
      } else if action != .skip || !invocation.display.isQuiet {
        lines += PlanMessages.line(request, start).utf8
      }
      count += 1
      guard count % Self.batchCount == 0 else { continue }
      context.standardOutput.write(lines)
      lines = []
      signals.take()
      if signals.ending != nil { return }
    }
    if isJSON { add(PlanMessages.end(counts, status.status)) }
    context.standardOutput.write(lines)
    context.messages.write(PlanMessages.summary(counts), isShown: !invocation.display.isQuiet && !isJSON)
  }
}
