internal import CommandOptions
internal import DownloadCore

/// Checks files on this machine against lists (`--check`).
struct Check: Verb {
  var invocation: Invocation
  let context: RunContext

  mutating func run() throws(Failure) -> RunResult {
    guard let lists = try RunLists(local: &invocation, context) else { return RunResult(.usage) }
    return try context.untilSignal { [invocation, context] (signals, status) throws(Failure) in
      status.add(lists.findings.status, of: .lists)
      try CheckRun.run(invocation, context, lists.list, signals, &status)
      lists.tellWrongEntries(status.status, context.messages)
    }
  }
}
