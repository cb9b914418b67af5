package import DownloadCore
internal import DownloadJSON
internal import DownloadTransport
package import DownloadWords
package import SwiftGet

/// A run with a session: this process works on it, or joins the one that does, and hears of its tasks either way as any
/// other program does.
package final class SessionWork {
  /// Who works on the session if no process does.
  package enum Worker: Sendable {
    /// This process.
    case own
    /// A process that begins to work on it soon.
    case other
    /// Nobody: the session only keeps what it is told.
    case none
  }

  /// What became of a file that was added.
  package enum Added: Sendable {
    case task(AddedTask)
    case refused(message: String)
  }

  /// A task that the session has for a file.
  package struct AddedTask: Sendable {
    package let id: String
    package let number: Int64
    /// Whether the session had it already.
    package let isExisting: Bool
    /// Whether it was there, had settled and begins again.
    package let isRestarted: Bool
    /// What it keeps although the file that was added has other values: group, priority, settings or info.
    package let kept: [String]

    fileprivate init(_ json: JSONValue) {
      id = json["id"]?.string ?? ""
      number = json["number"]?.integer ?? 0
      isExisting = json["existing"]?.boolean ?? false
      isRestarted = json["restarted"]?.boolean ?? false
      kept = json["kept"]?.strings ?? []
    }
  }

  /// What is told while tasks are waited for.
  package enum News {
    /// How far the session is.
    case progress(RunProgress)
    /// A task has settled that is waited for.
    case ended(TaskEnd)
    /// All of them are paused.
    case allPaused
    /// Another process has stopped the work on the session.
    case stopped
  }

  /// The end of a task, for people.
  package struct TaskEnd: Sendable {
    package let id: String
    /// 0 if the file is in its place, else as a run ends in which only this task failed.
    package let status: Int32
    /// Whether it was cancelled.
    package let isCancelled: Bool
    /// Absolute.
    package let path: String
    /// Why it has failed; nil if it has not.
    package let failure: String?
    /// Of a file that is in its place.
    package let size: Int64?
    /// What it matches.
    package let digest: String?
  }

  private let link: SessionLink
  private let own: Own

  /// Nil if another process works on the session, or nobody.
  private final class Own { var session: WorkingSession? }

  private static func stopped(_ name: String) -> ControlFailure {
    ControlFailure(.timedOut, "the work on session \(name) has been stopped by another process")
  }

  /// How many files a call adds.
  package static let mostFiles = 500

  /// - Parameters:
  ///   - parent: has the session's directory; nil is the usual one.
  ///   - configuration: of a session on which nobody works.
  ///   - worker: who works on the session if nobody does.
  ///   - mayCome: asked while nobody works on the session and this process is not to: whether another one may begin to. Told
  ///     whether a process of another machine works on it.
  /// - Throws: status 3 if the session cannot be used or reached.
  package init(
    _ name: String, in parent: String?, _ configuration: DownloadConfiguration, worker: Worker = .own,
    mayCome: @escaping (_ isTakenElsewhere: Bool) throws(ControlFailure) -> Bool = { _ throws(ControlFailure) in true }
  ) throws(ControlFailure) {
    let (finder, own) = (try SessionFinder(name, in: parent), Own())
    self.own = own
    link = try SessionLink(finder) { () throws(ControlFailure) in
      // The session may still work after its connection is lost, for example if this process was suspended.
      if let session = own.session {
        if session.isEnding { throw Self.stopped(finder.name) }
        if let connection = try finder.worker() { return connection }
      }
      own.session = nil
      let connection: any ControlConnection
      (own.session, connection) = try Self.join(finder, configuration, worker, mayCome: mayCome)
      return connection
    }
  }

  /// The options that name a session in a command.
  package static func options(_ name: String, in parent: String?) -> String {
    "-S \(name)" + (parent.map { " --session-dir \($0)" } ?? "")
  }

  /// The process that works on the session; nil if none does.
  package var process: Int64? { link.worker }
  package var isOwn: Bool { own.session != nil }
  /// Warnings of what the session had and has lost, if no other process works on it.
  package var losses: [Diagnostic] {
    own.session.map { .losses($0.losses, of: link.name) } ?? link.connection.losses
  }

  private static let patience = Duration.seconds(10)
  /// For a process that begins to work, which reads all tasks first.
  private static let patienceAtStart = Duration.seconds(120)

  private static func join(
    _ finder: SessionFinder, _ configuration: DownloadConfiguration, _ worker: Worker,
    mayCome: (_ isTakenElsewhere: Bool) throws(ControlFailure) -> Bool
  ) throws(ControlFailure) -> (WorkingSession?, any ControlConnection) {
    if worker == .none { return (nil, try finder.connect(isMade: true)) }
    let deadline = Clock.now() + (worker == .own ? patience : patienceAtStart)
    while true {
      if let connection = try finder.worker(isStarted: true) { return (nil, connection) }
      if worker == .own {
        let opened = Waiting.outcome { () async throws(DownloadError) in
          try await WorkingSession.open(finder.name, in: finder.parent, configuration)
        }
        switch opened {
        case .success(let session):
          if let connection = try? finder.worker() { return (session, connection) }
          Waiting.result { await session.close() }
          throw ControlFailure("the socket of session \(finder.name) cannot be made")
        case .failure(let error):
          let mayEnd = error.code == .busy && finder.holder?.isOfThisHost ?? true
          guard mayEnd, Clock.now() < deadline else { throw ControlFailure(error) }
        }
      } else {
        let isTakenElsewhere = finder.holder.map { !$0.isOfThisHost } ?? false
        guard Clock.now() < deadline, try mayCome(isTakenElsewhere) else {
          throw ControlFailure(.store, "nobody works on session \(finder.name)")
        }
      }
      Waiting.pause(.milliseconds(20))
    }
  }

  // MARK: Commands

  /// Begins to add at most `mostFiles` files. Those that the session has already are not added twice.
  ///
  /// - Returns: waits for what became of each, in their order.
  package func add(
    _ requests: [DownloadRequest], paused: Bool
  ) throws(ControlFailure) -> () throws(ControlFailure) -> [Added] {
    let answer = try link.begin("add") { parameters in
      parameters.add(requests: requests)
      if paused { parameters.add("paused", true) }
    }
    return { () throws(ControlFailure) in Self.added(try answer(), of: requests.count) }
  }

  private static func added(_ answer: JSONValue, of count: Int) -> [Added] {
    var refused: [Int: String] = [:]
    for failure in answer["failures"]?.elements.map({ Array($0) }) ?? [] {
      refused[Int(failure["index"]?.integer ?? 0)] = failure["message"]?.string ?? "refused"
    }
    var tasks = (answer["added"]?.elements.map { Array($0) } ?? [])[...]
    return (0..<count).map { index in
      if let message = refused[index] { return .refused(message: message) }
      guard let task = tasks.popFirst() else { return .refused(message: "the session does not know it") }
      return .task(AddedTask(task))
    }
  }

  /// What keeps all tasks of a group paused: `session NAME` or `group NAME`, and the selector that resumes it; nil if
  /// nothing does.
  ///
  /// - Parameter group: nil is the one of tasks without a group.
  package func pause(ofGroup group: String?) throws(ControlFailure) -> (subject: String, selector: String)? {
    let group = group ?? "main"
    if try link.call("session")["paused"]?.boolean == true { return ("session \(link.name)", "@all") }
    let isPaused = try link.call("groups")["groups"]?.elements?.contains {
      $0["name"]?.string == group && $0["paused"]?.boolean == true
    }
    return isPaused == true ? ("group \(Diagnostic.escaped(group))", "group:\(group)") : nil
  }

  /// The limits of the session, as text; nil if they include these.
  package func limits(besides limits: DownloadLimits) throws(ControlFailure) -> String? {
    let own = try link.call("session")["limits"]
    return own.flatMap { DownloadLimits(json: $0) }?.have(limits) == true ? nil : LimitKey.text(of: own)
  }

  /// Limits the session.
  package func limit(_ limits: DownloadLimits) throws(ControlFailure) {
    _ = try link.call("limit") { $0.add("limits", limits.controlText) }
  }

  /// Has the work continue in the background if the process that does it ends with tasks unfinished.
  ///
  /// - Returns: false if that process cannot start another one.
  package func continueInBackground() throws(ControlFailure) -> Bool {
    try link.call("continue")["continues"]?.boolean ?? false
  }

  // MARK: Waiting

  /// How often `hear` is called at least while tasks are waited for.
  private static let interval = Duration.milliseconds(250)
  private static let unsettled = ["state:waiting", "state:running", "state:verifying", "state:paused"]

  /// Waits until tasks have settled.
  ///
  /// - Parameters:
  ///   - ids: of the tasks; nil is all that have not settled.
  ///   - directory: absolute; names are shown relative to it.
  ///   - hear: hears of them at least every 250 ms, and returns false to end the wait.
  /// - Returns: the status of a run of these tasks, nil if the wait has been ended; and what has become of them, for people.
  package func wait(
    for ids: [String]?, in directory: String, _ hear: (News?) -> Bool
  ) throws(ControlFailure) -> (status: ControlStatus?, line: String) {
    // A task of this process may have ended meanwhile.
    var ends = Ends(waitingFor: ids ?? own.session?.tasksAtStart ?? [])
    if ids == nil, !isOwn { _ = try ends.select(Self.unsettled, link) }
    let start = Clock.now()
    while true {
      var picture = SessionPicture(in: directory)
      var wasPaused = false
      do throws(ControlFailure) {
        let isOver = try ends.follow(link, every: Self.interval) { news, isEnd, areAllPaused in
          let now = Clock.now() - start
          if let news { picture.take(news, at: now) }
          if isEnd, let end = news.flatMap(TaskEnd.init), !hear(.ended(end)) { return false }
          if areAllPaused, !wasPaused, !hear(.allPaused) { return false }
          wasPaused = areAllPaused
          // Tasks and ends come in numbers, and totals after them.
          switch news {
          case .totals?, nil: return hear(.progress(picture.progress(at: now)))
          case .stopped?: return hear(.stopped)
          case .task?, .ended?, .removed?, .upToDate?, .gap?: return hear(nil)
          }
        }
        return (isOver ? ends.status : nil, ends.line)
      } catch {
        guard error.isLost else { throw error }
        // Only another process can have ended the work of this one.
        if own.session?.isEnding == true {
          _ = hear(.stopped)
          return (nil, ends.line)
        }
        try link.reconnect()
      }
    }
  }

  /// Ends this process's part. A session on which it works keeps what is unfinished.
  ///
  /// - Returns: whether another process is to continue the work of this one.
  @discardableResult
  package func close() -> Bool {
    link.close()
    guard let session = own.session else { return false }
    own.session = nil
    let isStopped = session.isEnding
    Waiting.result { await session.close() }
    return !isStopped && session.isToContinue
  }
}

extension SessionWork.TaskEnd {
  fileprivate init?(_ news: SessionFollower.News) {
    let task: JSONValue
    switch news {
    case .task(let json), .ended(let json, _): task = json
    case .removed, .totals, .upToDate, .stopped, .gap: return nil
    }
    let state = task["state"]?.string
    id = task["id"]?.string ?? ""
    var ends = Ends()
    ends.note(task, isFirst: true)
    status = ends.status.rawValue
    isCancelled = state == "cancelled"
    path = task["path"]?.string ?? task["id"]?.string ?? ""
    failure =
      switch state {
      case "failed": task["error"]?["message"]?.string ?? task["error"]?["error"]?.string ?? "failed"
      default: nil
      }
    size = state == "succeeded" ? task["bytes_done"]?.integer : nil
    digest = task["digest"]?.string
  }
}
