internal import DownloadCore
internal import DownloadJSON
internal import DownloadTransport
package import SwiftGet

/// A run with a session: this process works on it, or joins the one that does, and hears of its tasks either way as any
/// other program does.
package final class SessionWork {
  /// What became of files that were added at once.
  package struct Added: Sendable {
    package var ids: [String] = []
    /// The places of those that were refused, and why.
    package var refused: [(index: Int, message: String)] = []
  }

  /// What is told while tasks are waited for.
  package enum News {
    /// What all tasks that are waited for come to, for people.
    case totals(String)
    case failed(path: String, message: String)
    /// All of them are paused.
    case allPaused
  }

  private let finder: SessionFinder
  private let configuration: DownloadConfiguration
  /// Nil if another process works on the session.
  private var own: WorkingSession?
  private var connection: any ControlConnection

  /// How many files a call adds.
  package static let mostFiles = 500

  /// - Parameters:
  ///   - parent: has the session's directory; nil is the usual one.
  ///   - configuration: of a session on which nobody works.
  ///   - mayWork: whether this process works on the session if no other one does.
  ///   - mayCome: whether a process may still begin to work on it.
  /// - Throws: status 3 if the session cannot be used or reached.
  package init(
    _ name: String, in parent: String?, _ configuration: DownloadConfiguration, mayWork: Bool = true,
    mayCome: () -> Bool = { true }
  ) throws(ControlFailure) {
    self.configuration = configuration
    finder = try SessionFinder(name, in: parent)
    (own, connection) = try Self.join(finder, configuration, mayWork: mayWork, mayCome: mayCome)
  }

  /// Whether a process works on the session and listens.
  package static func isWorkedOn(_ name: String, in parent: String?) throws(ControlFailure) -> Bool {
    try SessionFinder(name, in: parent).worker() != nil
  }

  /// The process that works on the session.
  package var worker: Int64? { connection.worker }
  package var isOwn: Bool { own != nil }

  private static let patience = Duration.seconds(10)
  /// For a process that begins to work, which reads all tasks first.
  private static let patienceAtStart = Duration.seconds(120)

  private static func join(
    _ finder: SessionFinder, _ configuration: DownloadConfiguration, mayWork: Bool, mayCome: () -> Bool
  ) throws(ControlFailure) -> (WorkingSession?, any ControlConnection) {
    let deadline = Clock.now() + (mayWork ? patience : patienceAtStart)
    while true {
      if let connection = try finder.worker() { return (nil, connection) }
      if mayWork {
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
      } else if Clock.now() >= deadline || !mayCome() {
        throw ControlFailure(.store, "nobody works on session \(finder.name)")
      }
      try Waiting.pause(.milliseconds(20))
    }
  }

  // MARK: Commands

  /// The process that worked on the session has ended. This one takes over, or joins its successor.
  private func joinAgain() throws(ControlFailure) {
    own = nil
    (own, connection) = try Self.join(finder, configuration, mayWork: true) { true }
  }

  /// Adds at most `mostFiles` files. Those that the session has already are not added twice.
  package func add(_ requests: [DownloadRequest], paused: Bool) throws(ControlFailure) -> Added {
    var parameters = JSONObject()
    parameters.add("requests", requests.map(\.controlText))
    if paused { parameters.add("paused", true) }
    let answer: JSONValue
    do throws(ControlFailure) { answer = try connection.call("add", parameters) } catch {
      guard error.isLost else { throw error }
      try joinAgain()
      answer = try connection.call("add", parameters)
    }
    var added = Added()
    added.ids = answer["added"]?.elements?.compactMap { $0["id"]?.string } ?? []
    for failure in answer["failures"]?.elements.map({ Array($0) }) ?? [] {
      added.refused.append((Int(failure["index"]?.integer ?? 0), failure["message"]?.string ?? "refused"))
    }
    return added
  }

  /// Limits the session.
  package func limit(_ limits: DownloadLimits) throws(ControlFailure) {
    var parameters = JSONObject()
    parameters.add("limits", limits.controlText)
    _ = try connection.call("limit", parameters)
  }

  // MARK: Waiting

  /// Waits until tasks have settled.
  ///
  /// - Parameters:
  ///   - ids: of the tasks; nil is all that have not settled.
  ///   - tell: hears of them at least every 250 ms, and returns false to end the wait.
  /// - Returns: the status of a run of these tasks; nil if the wait has been ended.
  package func wait(for ids: [String]?, _ tell: (News?) -> Bool) throws(ControlFailure) -> ControlStatus? {
    var ends = Ends(waitingFor: ids ?? [])
    var isFirst = true
    while true {
      do throws(ControlFailure) {
        if isFirst, ids == nil {
          try look(["state:waiting", "state:running", "state:verifying", "state:paused"], &ends, isFirst: true, tell)
        }
        isFirst = false
        guard try follow(&ends, tell) else { return nil }
        _ = tell(.totals(TotalsText(try connection.call("totals", JSONObject())).line))
        return ends.status
      } catch {
        guard error.isLost else { throw error }
        try joinAgain()
      }
    }
  }

  private func follow(_ ends: inout Ends, _ tell: (News?) -> Bool) throws(ControlFailure) -> Bool {
    let since = try connection.call("totals", JSONObject())["last_end"]?.integer ?? 0
    try look(again: &ends, tell)
    var parameters = JSONObject()
    parameters.add("since", since)
    var totals: JSONValue? = try connection.call("subscribe", parameters)
    var lastTotals: String?
    var wasPaused = false
    while !ends.isOver {
      if let line = totals.map({ TotalsText($0).line }), line != lastTotals {
        lastTotals = line
        guard tell(.totals(line)) else { return false }
      }
      totals = nil
      if ends.areAllPaused, !wasPaused, !tell(.allPaused) { return false }
      wasPaused = ends.areAllPaused
      let news = try connection.news(within: .milliseconds(250))
      var told: News?
      switch news?.method {
      case "task", "ended":
        guard let task = news?.parameters else { break }
        if let failure = ends.note(task) { told = .failed(path: failure.path, message: failure.message) }
      case "removed": ends.noteRemoved(news?.parameters["id"]?.string ?? "")
      case "gap": try look(again: &ends, tell)
      case "totals": totals = news?.parameters
      default: break
      }
      guard tell(told) else { return false }
    }
    return true
  }

  private func look(again ends: inout Ends, _ tell: (News?) -> Bool) throws(ControlFailure) {
    let wanted = ends.unsettled.sorted()
    for start in stride(from: 0, to: wanted.count, by: 1000) {
      try look(wanted[start..<min(start + 1000, wanted.count)].map { "id:\($0)" }, &ends, isFirst: false, tell)
    }
  }

  private func look(
    _ terms: [String], _ ends: inout Ends, isFirst: Bool, _ tell: (News?) -> Bool
  ) throws(ControlFailure) {
    var after: String?
    repeat {
      var parameters = JSONObject()
      parameters.add("select", terms)
      parameters.add("fields", ["id", "state", "error", "path"])
      if let after { parameters.add("after", after) }
      let page = try connection.call("list", parameters)
      for task in page["tasks"]?.elements.map({ Array($0) }) ?? [] {
        guard let failure = ends.note(task, isFirst: isFirst) else { continue }
        _ = tell(.failed(path: failure.path, message: failure.message))
      }
      if after == nil {
        for term in page["unknown"]?.strings ?? [] where term.hasPrefix("id:") {
          ends.noteRemoved(String(term.dropFirst(3)))
        }
      }
      after = page["next"]?.string
    } while after != nil
  }

  /// Ends this process's part. A session on which it works keeps what is unfinished.
  package func close() {
    connection.close()
    guard let session = own else { return }
    own = nil
    Waiting.result { await session.close() }
  }
}
