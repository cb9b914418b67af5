internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadEvents
internal import DownloadLists
internal import DownloadWords

/// The files that a run writes about itself at its end: those of `--lock`, `--failed` and `--report`.
struct RunRecords {
  private let lock: LockRecorder?
  private let failed: FailedRecorder?
  private let report: ReportRecorder?
  /// Nil without `--atomic`.
  let missing: MissingFiles?
  private let invocation: Invocation
  /// The user's path of the bag that is filled; nil for other lists.
  private let bag: [UInt8]?
  /// Whether the run goes on without some entries of its lists.
  private let hasRefused: Bool

  /// - Throws: where one of the files cannot be written.
  init(_ invocation: Invocation, _ lists: RunLists) throws(Failure) {
    let (list, findings) = (lists.list, lists.findings)
    self.invocation = invocation
    hasRefused = !findings.problems.isEmpty
    bag = list.bag?.path
    lock = if let path = invocation.records.lock { try LockRecorder(path: path) } else { nil }
    failed =
      if let path = invocation.records.failed {
        try FailedRecorder(path: path, invocation.lists, trusted: findings.namedOrigins, .command)
      } else { nil }
    missing = invocation.naming.isAtomic ? MissingFiles(list.paths) : nil
    report =
      if let path = invocation.records.report {
        try ReportRecorder(
          path: path, directory: invocation.naming.targetDirectory, invocation.options,
          InvalidEntries(findings, .command), .command)
      } else { nil }
  }

  /// The display with the recorders beside it.
  func recorded(_ display: any Display) -> any Display {
    let recorders: [(any RunRecorder)?] = [lock, failed, report, missing]
    return recorders.allSatisfy { $0 == nil }
      ? display : RecordedDisplay(display: display, recorders: recorders.compactMap(\.self))
  }

  /// Writes the files after the run.
  ///
  /// - Parameters:
  ///   - isComplete: whether every file is in place.
  ///   - isPublished: as a report says it.
  ///   - status: of the run. A failure to write is one more failure.
  /// - Returns: what could not be written, for the user.
  func finish(
    _ list: RequestList, _ end: RunEnd, isComplete: Bool, isPublished: Bool?, _ status: inout RunStatus,
    hearing signals: SignalWatch
  ) -> [Diagnostic] {
    var problems: [Diagnostic] = []
    // After a signal nothing waits for a disk.
    let syncs = invocation.settings.target.syncs && signals.ending == nil
    @discardableResult
    func performs(_ work: () throws(Failure) -> Void) -> Bool {
      do throws(Failure) { try work() } catch {
        problems.append(Diagnostic(error))
        status.add(error, of: .records)
        return false
      }
      return true
    }
    if let lock, isComplete {
      performs { () throws(Failure) in
        let warning = try lock.finish(directory: invocation.naming.directory ?? [], syncs: syncs, hearing: signals)
        if let warning { problems.append(warning) }
      }
    }
    for outcome in end.unfinished { report?.itemEnded(outcome) }
    let isListed = performs { () throws(Failure) in try addRest(of: list) }
    missing?.isKnown = isListed
    if let failed, isListed {
      performs { () throws(Failure) in try failed.finish(syncs: syncs) }
      if let (list, name) = failed.unnamable {
        problems.append(
          Diagnostic(
            message: "warning: --failed leaves out \(Diagnostic.escaped(name)) of \(list): "
              + "the name is not UTF-8 or has control characters",
            hint: bag.map { "swiftget -i \(NamedFiles.shown($0)) downloads it" }
              ?? "the same command with the lists downloads it"))
      }
      if hasRefused, !failed.hasRefused {
        problems.append(
          Diagnostic(
            message: "warning: \(NamedFiles.shown(failed.path)) does not have the wrong entries of the lists",
            hint: "correct them in the lists, and run the same command again"))
      }
      if let bag, !failed.isEmpty, !invocation.display.isQuiet {
        problems.append(BagMessages.failed(failed.path, of: bag))
      }
    }
    if let report {
      report.ended(end.progress, isPublished: isPublished)
      let told = status.status
      performs { () throws(Failure) in try report.write(told, syncs: syncs) }
    }
    return problems
  }

  /// Writes the report once more, with the status that the run has now.
  ///
  /// - Returns: why that failed.
  func writeReport(_ status: inout RunStatus) -> Diagnostic? {
    guard let report else { return nil }
    do throws(Failure) {
      // After a signal nothing waits for a disk.
      try report.write(status.status, syncs: invocation.settings.target.syncs && status.signal == nil)
    } catch {
      status.add(error, of: .records)
      return Diagnostic(error)
    }
    return nil
  }

  /// Reads the list once more for the recorders that want more of it.
  private func addRest(of list: RequestList) throws(Failure) {
    let all: [(any ListingRecorder)?] = [failed, report, missing]
    // Usually there is nothing to look for.
    let recorders = all.compactMap(\.self).filter { recorder in
      recorder.doneItems.count != list.itemCount || hasRefused && recorder.wantsAll
    }
    if recorders.isEmpty { return }
    try list.revisit(
      skipping: { item in recorders.allSatisfy { $0.doneItems.contains(item) } },
      tellsAll: recorders.contains(where: \.wantsAll)
    ) { found in
      for recorder in recorders where found.item.map({ !recorder.doneItems.contains($0) }) ?? true {
        recorder.add(found)
      }
    }
  }
}
