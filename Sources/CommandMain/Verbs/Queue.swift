internal import CommandControl
internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadLists
internal import DownloadWords
internal import Glibc
internal import SwiftGet

/// Adds files to a session, and waits for them (`--session`).
struct Queue: Verb {
  private var invocation: Invocation
  private let context: RunContext
  private let session: SessionChoice
  private var status = RunStatus()

  private var messages: Messages { context.messages }

  init(_ invocation: Invocation, _ context: RunContext) {
    (self.invocation, self.context) = (invocation, context)
    session = SessionChoice(invocation.session)
  }

  mutating func run() throws(Failure) -> RunResult {
    let configuration = try DownloadConfiguration(invocation)
    if !invocation.settings.transport.hosts.rules.isEmpty {
      messages.write(Diagnostic(message: "what the configuration says for hosts is not used with --session"))
    }
    let requests = try readRequests()
    guard status.signal == nil, let requests else { return RunResult(status.status) }
    _ = ProcessSetup.raiseDescriptorLimit()
    // They must be blocked before the first thread starts.
    let signals = SignalWatch(ProcessSetup.handledSignals)
    do throws(ControlFailure) { return try work(requests, configuration, signals) } catch {
      messages.write(error.diagnostic)
      return RunResult(control: error.status.rawValue)
    }
  }

  /// - Returns: nil if nothing is to be added, because something is wrong.
  private mutating func readRequests() throws(Failure) -> [DownloadRequest]? {
    if invocation.lists.urls.isEmpty, invocation.lists.inputs.isEmpty { return [] }
    invocation.naming.directory = try BagChoice.directory(
      of: invocation.lists, invocation.naming, notedIn: context.inputs)
    let verifier = try ListVerifier(invocation.lists.signatures, notedIn: context.inputs)
    guard let lists = try RunLists.read(&invocation, context, verifier, &status) else { return nil }
    let made = try InvocationRequests(invocation)
    let requests = Lock<(made: [DownloadRequest], wrong: [String])>(([], []))
    try lists.list.revisit(skipping: { _ in false }) { entry in
      guard case .item(let listed) = entry else { return }
      requests.withLock { requests in
        do throws(Failure) { requests.made.append(try made.request(listed.request)) } catch {
          requests.wrong.append("\(Diagnostic.escaped(listed.request.target.name)): \(error.message)")
        }
      }
    }
    let (all, wrong) = requests.withLock { $0 }
    for message in wrong { messages.write(Diagnostic(message: message)) }
    status.add(lists.findings.status, of: .lists)
    if !wrong.isEmpty { status.add(.usage, of: .lists) }
    if !wrong.isEmpty, !invocation.lists.keepsGoing { return nil }
    return all
  }

  // MARK: The session

  private mutating func work(
    _ requests: [DownloadRequest], _ configuration: DownloadConfiguration, _ signals: SignalWatch
  ) throws(ControlFailure) -> RunResult {
    let isInBackground = invocation.session.isInBackground
    var service: BackgroundService?
    if isInBackground, !(try SessionWork.isWorkedOn(session.name, in: session.parent)) {
      service = BackgroundService(session, authorities: configuration.caFile)
      guard service != nil else { throw ControlFailure("no process can be started in the background") }
    }
    var exit: Int32?
    let work: SessionWork
    do throws(ControlFailure) {
      work = try SessionWork(session.name, in: session.parent, configuration, mayWork: !isInBackground) {
        exit = service?.exitStatus
        return exit == nil
      }
    } catch {
      // It has said why.
      if let exit { return RunResult(control: exit) }
      throw error
    }
    defer { work.close() }
    if invocation.saysLimits {
      guard work.isOwn || service != nil else {
        throw ControlFailure(
          "session \(session.name) is worked on by pid \(work.worker ?? 0), and has its own limits",
          hint:
            "change them with 'swiftget ctl -S \(session.name) limit', or leave out the options that limit the whole")
      }
      try work.limit(configuration.limits)
    }
    guard let ids = try add(requests, to: work, signals) else { return ended(by: signals) }
    if isInBackground {
      service?.end()
      tellBackground(ids.count, work.worker)
      return RunResult(status.status)
    }
    return try wait(for: requests.isEmpty ? nil : ids, in: work, signals)
  }

  /// - Returns: the ids of the tasks; nil if a signal has ended it.
  private mutating func add(
    _ requests: [DownloadRequest], to work: SessionWork, _ signals: SignalWatch
  ) throws(ControlFailure) -> [String]? {
    var ids: [String] = []
    var start = 0
    while start < requests.count {
      signals.take()
      if signals.ending != nil {
        messages.write(
          Diagnostic(
            message: "\(start) of \(Humanized.count(requests.count, "file")) added",
            hint: "repeat the command: what is there is not added twice"))
        return nil
      }
      let part = Array(requests[start..<min(start + SessionWork.mostFiles, requests.count)])
      let added = try work.add(part, paused: invocation.session.isPaused)
      ids += added.ids
      for (index, message) in added.refused {
        let name = part[index].name ?? ""
        messages.write(Diagnostic(message: "\(Diagnostic.escaped(name)): \(message)"))
        status.add(.usage, of: .items)
      }
      start += part.count
    }
    return ids
  }

  private func tellBackground(_ count: Int, _ worker: Int64?) {
    guard !invocation.display.isQuiet else { return }
    let place = session.parent.map { " --session-dir \($0)" } ?? ""
    let options = "-S \(session.name)\(place)"
    messages.write(
      Diagnostic(
        message: "\(Humanized.count(count, "file")) in session \(session.name), worked on by pid \(worker ?? 0)",
        hint: "look with 'swiftget ctl \(options) list', stop with 'swiftget ctl \(options) stop'"))
  }

  private mutating func wait(
    for ids: [String]?, in work: SessionWork, _ signals: SignalWatch
  ) throws(ControlFailure) -> RunResult {
    let display = QueueDisplay(invocation.display, session.name, messages)
    var isStuck = false
    let end = try work.wait(for: ids) { news in
      signals.take()
      display.take(news)
      if case .allPaused? = news, !display.isInteractive { isStuck = true }
      return signals.ending == nil && !isStuck
    }
    display.end()
    if signals.ending != nil {
      let isOwn = work.isOwn
      work.close()
      messages.write(
        Diagnostic(
          message: isOwn
            ? "interrupted; session \(session.name) keeps what is unfinished"
            : "interrupted; pid \(work.worker ?? 0) goes on with session \(session.name)"),
        isShown: !invocation.display.isQuiet)
      return ended(by: signals)
    }
    if isStuck {
      messages.write(
        Diagnostic(
          message: "all tasks of session \(session.name) are paused",
          hint: "go on with 'swiftget ctl -S \(session.name) resume --all'"))
      return RunResult(control: ControlStatus.timedOut.rawValue)
    }
    let own = status.status
    return own.isSuccess ? RunResult(control: end?.rawValue ?? 0) : RunResult(own)
  }

  private mutating func ended(by signals: SignalWatch) -> RunResult {
    status.signal = signals.ending
    return RunResult(status.status, mustNotWait: true)
  }
}
