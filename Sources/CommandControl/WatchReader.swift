internal import CommandDisplay
internal import DownloadCore
internal import DownloadEngine
internal import DownloadJSON
internal import DownloadTransport
internal import SwiftGet

/// Reads a session for `ctl watch` on a thread of its own, so that a process that hangs holds up no key.
final class WatchReader: Sendable {
  private struct Shared {
    var picture: WatchPicture
    var orders: [WatchView.Action] = []
    /// The id of a task.
    var chosen: String?
    /// What came of the last order.
    var answer: String?
    var failure: ControlFailure?
    var isEnding = false
  }

  /// Signalled when there is a new picture, or the reader has failed.
  let news = Wakeup()
  private let shared: Lock<Shared>
  private let finder: SessionFinder
  /// Texts of terms; nil for all tasks.
  private let terms: [String]?

  /// How often news are taken, and orders obeyed.
  private static let interval = Duration.milliseconds(200)
  private static let sampleInterval = Duration.seconds(1)
  /// How often lists are asked for again at most.
  private static let listInterval = Duration.seconds(2)
  /// How often a process is looked for while none works on the session.
  private static let lookInterval = Duration.milliseconds(500)

  init(_ finder: SessionFinder, _ terms: [String]?) {
    (self.finder, self.terms) = (finder, terms)
    var picture = WatchPicture()
    picture.session = finder.name
    picture.note = "asking the session"
    shared = Lock(Shared(picture: picture))
  }

  /// Begins to read. Signals must be blocked already.
  func start() throws(ControlFailure) {
    guard WorkerThread({ self.run() }) != nil else { throw ControlFailure("no thread can be started") }
  }

  // MARK: For the first thread

  var picture: WatchPicture { shared.withLock { $0.picture } }
  /// Why it reads no more; nil while it does.
  var failure: ControlFailure? { shared.withLock { $0.failure } }

  func takeAnswer() -> String? { shared.withLock { $0.answer.take() } }

  func post(_ action: WatchView.Action) { shared.withLock { $0.orders.append(action) } }

  /// The ranges of this task are wanted from now on.
  func choose(_ task: String?) { shared.withLock { $0.chosen = task } }

  /// It ends when it can; nobody waits for that.
  func end() { shared.withLock { $0.isEnding = true } }

  // MARK: The thread

  private var isEnding: Bool { shared.withLock { $0.isEnding } }

  private func run() {
    var state = WatchState(session: finder.name)
    var hasConnected = false
    while !isEnding {
      do throws(ControlFailure) {
        let link = try SessionLink(finder)
        hasConnected = true
        state.connected(to: link.worker)
        if link.worker == nil {
          try readStored(link, &state)
          link.close()
          try waitForWorker(&state)
        } else {
          try follow(link, &state)
        }
      } catch {
        if error.isLost { continue }
        guard hasConnected else {
          shared.withLock { $0.failure = error }
          return news.signal()
        }
        state.tell(error.message)
        publish(&state)
        Waiting.pause(Self.sampleInterval)
      }
    }
  }

  private func publish(_ state: inout WatchState) {
    state.update()
    let picture = state.picture
    let isNew = shared.withLock { shared in
      guard shared.picture != picture else { return false }
      shared.picture = picture
      return true
    }
    if isNew { news.signal() }
  }

  /// Reads what a session has on which nobody works.
  private func readStored(_ link: SessionLink, _ state: inout WatchState) throws(ControlFailure) {
    state.take(session: try link.connection.call("session", JSONObject()))
    try readTotals(link, &state)
    try readLists(link, &state)
    try readEnds(link, &state)
    publish(&state)
  }

  /// Returns when a process works on the session, or an order has changed it. Nothing is held meanwhile.
  private func waitForWorker(_ state: inout WatchState) throws(ControlFailure) {
    while !isEnding {
      if try finder.worker() != nil { return }
      if shared.withLock({ !$0.orders.isEmpty }) {
        let link = try SessionLink(finder)
        defer { link.close() }
        try obey(link)
        return
      }
      Waiting.pause(Self.lookInterval)
    }
  }

  private func follow(_ link: SessionLink, _ state: inout WatchState) throws(ControlFailure) {
    let follower = try SessionFollower(link.connection)
    try readEnds(link, &state)
    var (nextSample, nextList) = (Clock.now(), Clock.now())
    while !isEnding {
      // What comes at once is taken at once, but nobody is kept waiting by it.
      let turn = Clock.now() + Self.interval
      while let news = try follower.next(within: max(.zero, turn - Clock.now())) {
        state.take(news)
        if Clock.now() >= turn { break }
      }
      let now = Clock.now()
      if try obey(link) { nextList = now }
      if nextSample <= now {
        nextSample = now + Self.sampleInterval
        try readTotals(link, &state)
        state.sampleRate()
        let chosen = shared.withLock { $0.chosen }
        let wanted = state.described(chosen)
        if !wanted.isEmpty {
          var parameters = JSONObject()
          parameters.add("tasks", wanted)
          state.take(descriptions: try link.connection.call("describe", parameters), chosen)
        }
      }
      if nextList <= now, state.needsList {
        nextList = now + Self.listInterval
        state.take(session: try link.connection.call("session", JSONObject()))
        try readLists(link, &state)
      }
      publish(&state)
    }
  }

  private func readTotals(_ link: SessionLink, _ state: inout WatchState) throws(ControlFailure) {
    var parameters = JSONObject()
    parameters.add("select", terms ?? ["@all"])
    state.take(totals: try link.connection.call("totals", parameters))
  }

  /// Asks for the tasks that are shown: all of a small session, else some of each state.
  private func readLists(_ link: SessionLink, _ state: inout WatchState) throws(ControlFailure) {
    if state.picture.fileCount <= WatchState.mostListed {
      return state.take(list: try list(link, [], WatchState.mostListed))
    }
    var tasks: [JSONValue] = []
    for states in [["failed"], ["running", "verifying"], ["waiting", "paused"]] {
      tasks += try list(link, states, WatchState.mostOfState)
    }
    state.take(list: tasks)
  }

  private func list(_ link: SessionLink, _ states: [String], _ limit: Int64) throws(ControlFailure) -> [JSONValue] {
    var parameters = JSONObject()
    let terms = (terms ?? []) + states.map { "state:\($0)" }
    if !terms.isEmpty { parameters.add("select", terms) }
    parameters.add("fields", WatchState.fields)
    parameters.add("limit", limit)
    return try link.connection.call("list", parameters)["tasks"]?.elements.map { Array($0) } ?? []
  }

  /// The last ends that the session has.
  private func readEnds(_ link: SessionLink, _ state: inout WatchState) throws(ControlFailure) {
    let last = try link.connection.call("totals", JSONObject())["last_end"]?.integer ?? 0
    var parameters = JSONObject()
    parameters.add("since", max(0, last - Int64(WatchState.mostEvents)))
    if let terms { parameters.add("select", terms) }
    for task in try link.connection.call("ends", parameters)["tasks"]?.elements.map({ Array($0) }) ?? [] {
      state.add(task, task["seq"]?.integer ?? 0)
    }
  }

  // MARK: Orders

  /// - Returns: whether there were any.
  @discardableResult
  private func obey(_ link: SessionLink) throws(ControlFailure) -> Bool {
    let orders = shared.withLock { shared in
      defer { shared.orders = [] }
      return shared.orders
    }
    for order in orders {
      var parameters = JSONObject()
      let method: String
      switch order {
      case .leave: continue
      case .change(let change, let id):
        method = change.rawValue
        parameters.add("tasks", [id])
      case .pauseSession, .resumeSession:
        method = order == .pauseSession ? "pause" : "resume"
        parameters.add("session", true)
      }
      let answer: String
      do throws(ControlFailure) {
        answer = Self.words(method, try link.connection.call(method, parameters))
      } catch {
        if error.isLost { throw error }
        answer = error.message
      }
      shared.withLock { $0.answer = answer }
      news.signal()
    }
    return !orders.isEmpty
  }

  private static func words(_ method: String, _ effect: JSONValue) -> String {
    if let failure = effect["failures"]?.elements?.first { return failure["message"]?.string ?? "refused" }
    if effect["still_paused"]?.integer ?? 0 > 0 {
      let flags = (effect["paused_by"]?.strings ?? []).filter { $0 != "task" }
      return "still paused by its " + flags.joined(separator: " and ")
    }
    if effect["changed"]?.integer == 0 { return "\(method): it is so already" }
    return effect["not_resumable"]?.integer ?? 0 > 0 ? "paused; its bytes are lost" : "\(method): done"
  }
}
