internal import CommandDisplay
internal import CommandOptions
internal import DownloadCore
internal import DownloadLists
internal import DownloadWords
internal import Glibc

/// The checked requests of a run.
struct RunLists {
  let list: RequestList
  let findings: ListFindings

  /// Reads the lists and tells what is wrong with them.
  ///
  /// - Parameter fetched: those that URLs name, by their places.
  /// - Returns: nil if the run must not begin.
  init?(
    _ invocation: Invocation, _ context: RunContext, _ verifier: ListVerifier?, fetched: [Int: FetchedList] = [:]
  ) throws(Failure) {
    let messages = context.messages
    list = try RequestList(
      invocation.lists, invocation.naming, for: invocation.work,
      takesSuggestedNames: invocation.settings.target.takesSuggestedNames, writing: invocation.records,
      notedIn: context.inputs, verifier, fetched: fetched, context.patience)
    for (name, signature) in list.signatures {
      messages.write(SignatureMessages.verified(name, signature), isShown: invocation.display.verbosity > 0)
    }
    findings = try list.check()
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
    for (name, count) in list.passedEntries {
      // A run that nobody watches prints nothing of what is as it should be.
      let isWatched = !invocation.display.isQuiet && Terminal(descriptor: STDERR_FILENO) != nil
      messages.write(
        ListMessages.passed(name, count: count), isShown: isWatched || invocation.display.verbosity > 0)
    }
    for (name, isFiltered) in list.emptyLists {
      messages.write(ListMessages.empty(name, isFiltered: isFiltered), isShown: !invocation.display.isQuiet)
    }
  }

  /// Fetches lists that URLs name, and reads all of them.
  ///
  /// - Returns: nil if the run must not begin; `status` then says how it ends.
  static func read(
    _ invocation: inout Invocation, _ context: RunContext, _ verifier: ListVerifier?, _ status: inout RunStatus
  ) throws(Failure) -> RunLists? {
    var verifier = verifier
    switch try FetchRuns.fetch(invocation, context, &verifier) {
    case .fetched(let fetched, let cookies):
      invocation.settings.secrets.cookies = cookies
      let lists = try RunLists(invocation, context, verifier, fetched: fetched)
      if lists == nil { status.add(.usage, of: .run) }
      return lists
    case .failed(let failure): status.add(failure, of: .run)
    case .interrupted(let signal): status.signal = signal
    }
    return nil
  }

  /// Reads the lists of a run that asks no server.
  ///
  /// - Parameter invocation: gets the directory of a bag.
  init?(local invocation: inout Invocation, _ context: RunContext) throws(Failure) {
    invocation.naming.directory = try BagChoice.directory(
      of: invocation.lists, invocation.naming, notedIn: context.inputs)
    let verifier = try ListVerifier(invocation.lists.signatures, notedIn: context.inputs)
    try self.init(invocation, context, verifier)
  }

  /// Says once more how many entries `--keep-going` has left out: their errors are far above by now.
  func tellWrongEntries(_ status: ExitStatus, _ messages: Messages) {
    guard findings.problemCount > 0 else { return }
    messages.write(ListMessages.wrongEntries(findings.problemCount, status: status))
  }
}
