internal import CommandControl
internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadLists
internal import DownloadWords
internal import SwiftGet

/// Adds the files of a command line to a session: for `swiftget -S` and `swiftget ctl add`.
struct SessionAdding {
  private let context: RunContext
  /// Of what was wrong.
  private(set) var status = RunStatus()

  private var messages: Messages { context.messages }

  init(_ context: RunContext) { self.context = context }

  /// The files of the command line.
  struct Files {
    /// Nil without files.
    var lists: RunLists?
    var requests: [DownloadRequest] = []
    /// What the requests were made of, in their order; empty if it is not kept.
    var listed: [FileRequest] = []
  }

  /// Reads lists and makes requests.
  ///
  /// - Parameter keepsListed: whether it is wanted later what the requests were made of.
  /// - Returns: nil if nothing is to be added: something is wrong, or a signal has come.
  mutating func readFiles(_ invocation: inout Invocation, keepsListed: Bool = false) throws(Failure) -> Files? {
    if invocation.lists.urls.isEmpty, invocation.lists.inputs.isEmpty {
      if invocation.lists.frozen == nil || invocation.standing.have(.frozen) { return Files() }
      throw Failure(.usage, "--frozen is about the files of the command line, which has none")
    }
    invocation.naming.directory = try BagChoice.directory(
      of: invocation.lists, invocation.naming, notedIn: context.inputs)
    let verifier = try ListVerifier(invocation.lists.signatures, notedIn: context.inputs)
    guard let lists = try RunLists.read(&invocation, context, verifier, &status) else { return nil }
    let made = try InvocationRequests(invocation)
    let found = Lock<(requests: [DownloadRequest], listed: [FileRequest], wrong: [String])>(([], [], []))
    try lists.list.revisit(skipping: { _ in false }) { entry in
      guard case .item(let listed) = entry else { return }
      found.withLock { found in
        do throws(Failure) {
          found.requests.append(try made.request(listed.request))
          if keepsListed { found.listed.append(listed.request) }
        } catch { found.wrong.append("\(Diagnostic.escaped(listed.request.target.name)): \(error.message)") }
      }
    }
    let (requests, all, wrong) = found.withLock { $0 }
    for message in wrong { messages.write(Diagnostic(message: message)) }
    status.add(lists.findings.status, of: .lists)
    if !wrong.isEmpty { status.add(.usage, of: .lists) }
    if !wrong.isEmpty, !invocation.lists.keepsGoing { return nil }
    return status.signal == nil ? Files(lists: lists, requests: requests, listed: all) : nil
  }

  /// A file that the session has now.
  struct Task {
    /// In the requests.
    let index: Int
    let added: SessionWork.AddedTask
    /// Empty if the server's answer is to name it.
    let name: String
  }

  /// Adds files, some hundreds in a call. Tells of those that are refused.
  ///
  /// - Returns: those that the session has now, with their places in `requests`; nil if a signal has ended it.
  mutating func add(
    _ requests: [DownloadRequest], paused: Bool, to work: SessionWork, _ signals: SignalWatch
  ) throws(ControlFailure) -> [Task]? {
    var tasks: [Task] = []
    var answers: [() throws(ControlFailure) -> [SessionWork.Added]] = []
    var (begun, answered) = (0, 0)
    while true {
      signals.take()
      // The session takes some while the ones before are counted and the next ones are written.
      if begun < requests.count, signals.ending == nil, answers.count < Self.mostCalls {
        let part = Array(requests[begun...].prefix(SessionWork.mostFiles))
        answers.append(try work.add(part, paused: paused))
        begun += part.count
      } else if !answers.isEmpty {
        let added = try answers.removeFirst()()
        note(added, of: requests[answered...], &tasks)
        answered += added.count
      } else {
        break
      }
    }
    guard answered < requests.count else { return tasks }
    messages.write(
      Diagnostic(
        message: "\(answered) of \(Humanized.count(requests.count, "file")) added",
        hint: "repeat the command: what is there is not added twice"))
    status.signal = signals.ending
    return nil
  }

  /// How many calls wait for their answers.
  private static let mostCalls = 3

  /// Tells if tasks that were there keep values which the command line has otherwise.
  ///
  /// - Parameter session: the options that name it.
  static func tellKept(_ tasks: [Task], by session: String, _ messages: Messages, isQuiet: Bool) {
    let different = tasks.filter { !$0.added.kept.isEmpty }
    guard !isQuiet, let first = different.first else { return }
    let parts = ["group", "priority", "settings", "info"].filter { part in
      different.contains { $0.added.kept.contains(part) }
    }
    let subject = different.count == 1 ? "task \(first.added.number) keeps its" : "\(different.count) tasks keep their"
    messages.write(
      Diagnostic(
        message: "\(subject) \(parts.joined(separator: " and "))",
        hint: "change them with 'swiftget ctl \(session) set' or 'move'"))
  }

  /// Tells of those that were refused.
  private mutating func note(
    _ added: [SessionWork.Added], of requests: ArraySlice<DownloadRequest>, _ tasks: inout [Task]
  ) {
    for (index, added) in zip(requests.indices, added) {
      let name = Diagnostic.escaped(requests[index].name ?? "")
      switch added {
      case .task(let task): tasks.append(Task(index: index, added: task, name: name))
      case .refused(let message):
        messages.write(Diagnostic(message: "\(name): \(message)"))
        status.add(.usage, of: .items)
      }
    }
  }
}
