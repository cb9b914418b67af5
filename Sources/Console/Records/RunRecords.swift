import DownloadCore
import DownloadEngine

/// The files that a run writes about itself at its end: those of `--lock` and `--failed`.
struct RunRecords {
  private let lock: LockRecorder?
  private let failed: FailedRecorder?
  private let invocation: Invocation
  private let findings: RequestList.Findings

  /// - Throws: where one of the files cannot be written.
  init(_ invocation: Invocation, _ list: RequestList, _ findings: RequestList.Findings) throws(DownloadError) {
    self.invocation = invocation
    self.findings = findings
    try RecordOptions.check(invocation)
    if invocation.failed != nil, list.isBag {
      throw DownloadError(
        .usage, "--failed: a bag is no list whose entries could stand in another one",
        hint: "run the same command again: it downloads what the bag lacks")
    }
    lock = if let path = invocation.lock { try LockRecorder(path: path) } else { nil }
    failed = if let path = invocation.failed { try FailedRecorder(path: path) } else { nil }
  }

  /// The display with the recorders beside it.
  func report(beside display: any Report) -> any Report {
    let recorders: [(any RunRecorder)?] = [lock, failed]
    return recorders.allSatisfy { $0 == nil }
      ? display : RecordedReport(display: display, recorders: recorders.compactMap(\.self))
  }

  /// Writes the files after the run.
  ///
  /// - Parameter status: of the run. That of a failure to write replaces success.
  /// - Returns: what could not be written, for the user.
  func finish(_ list: RequestList, status: inout ExitStatus, hearing signals: SignalWatch) -> [Diagnostic] {
    var problems: [Diagnostic] = []
    // After a signal nothing waits for a disk.
    let syncs = invocation.settings.syncs && signals.ending == nil
    func perform(_ work: () throws(DownloadError) -> Void) {
      do throws(DownloadError) { try work() } catch {
        problems.append(Diagnostic(error))
        if status == .success { status = ExitStatus(error.code) }
      }
    }
    if let lock, status == .success {
      perform { () throws(DownloadError) in
        try lock.finish(directory: invocation.directory ?? [], syncs: syncs, hearing: signals)
      }
    }
    if let failed {
      perform { () throws(DownloadError) in
        if let unnamable = try failed.finish(list, trusted: findings.namedOrigins, syncs: syncs) {
          problems.append(
            Diagnostic(
              message: "warning: --failed leaves out \(Diagnostic.escaped(unnamable.name)) of \(unnamable.list): "
                + "the name is not UTF-8 or has control characters",
              hint: "choose the name with out= in the list"))
        }
      }
    }
    return problems
  }
}
