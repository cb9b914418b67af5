internal import DownloadCore
internal import DownloadWords

/// The exit status of a run, by the parts of the run that it comes from. Its parts are noted as they end; whoever tells the
/// status computes it from all of them.
struct RunStatus {
  /// What can fail.
  enum Part: CaseIterable {
    /// The run as a whole, before its first item or from a cause of no item.
    case run
    /// Entries that `--keep-going` left out.
    case lists
    case items, cookies, publication, hooks, records, output
    /// The hook of `--on-exit`.
    case exitHook
  }

  private var failures: [Part: Set<ExitStatus>] = [:]
  /// The signal that ended the run, whatever failed before.
  var signal: Int32?
  /// That of `--changed-exit`, if something was changed. It stands for success.
  var changed: ExitStatus?

  /// - Parameter status: success is none.
  mutating func add(_ status: ExitStatus, of part: Part) {
    if !status.isSuccess { failures[part, default: []].insert(status) }
  }

  mutating func add(_ error: Failure, of part: Part) {
    if case .signal(let number) = error.cause { signal = signal ?? number }
    add(ExitStatus(error), of: part)
  }

  /// - Parameter codes: of items. One that was interrupted, and not the run, was cancelled by the user.
  mutating func add(_ codes: some Sequence<Failure.Code>, of part: Part) {
    for code in codes { add(code == .interrupted ? .other : ExitStatus(code), of: part) }
  }

  /// Whether nothing has failed in one of the parts. A signal is no failure.
  func isFaultless(in parts: Set<Part>) -> Bool { parts.allSatisfy { failures[$0] == nil } }

  /// What the process ends with, if nothing follows.
  var status: ExitStatus {
    if let signal { return ExitStatus(signal: signal) }
    let occurred = failures.values.reduce(into: Set()) { $0.formUnion($1) }
    return ExitStatus.precedence.first(where: occurred.contains) ?? changed ?? .success
  }
}
