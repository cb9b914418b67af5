internal import CommandOptions
internal import DownloadCore
internal import DownloadJSON
internal import DownloadTransport
internal import DownloadWords
internal import SwiftGet

/// `ctl wait`: until the tasks have settled that are selected at the call.
struct WaitVerb {
  private let run: ControlRun
  private let terms: [DownloadSelector]
  /// Nil is unlimited.
  private let time: Duration?

  /// Ids in one call, whose line has a limit.
  private static let mostAsked = 10_000

  init(_ run: ControlRun) throws(ControlFailure) {
    self.run = run
    terms = try run.neededTerms(run.line.operands)
    time = try run.line[.timeout].map { (text) throws(ControlFailure) in
      guard let time = OptionValues.duration(Array(text.utf8)) else {
        throw ControlFailure(.usage, "--timeout \(text): it is a time such as 30, 5m or 1h")
      }
      return time
    }
  }

  func perform() throws(ControlFailure) -> ControlStatus {
    let deadline = time.map { Clock.now() + $0 } ?? .distantFuture
    let link = try run.link()
    defer { link.close() }
    var ends = Ends()
    let select = WaitVerb.select(terms)
    let unknown = try link.pages(select, fields: ["id", "state", "error"]) { (page) throws(ControlFailure) in
      for task in page { ends.note(task, isFirst: true) }
      return true
    }
    let isComplete = run.tellUnknown(unknown)
    if !ends.isAny, Set(terms) != [.all] {
      if isComplete { run.place.tell(Diagnostic(message: "nothing matches")) }
      return .notDone
    }
    while !ends.isOver {
      guard link.worker != nil else {
        throw ControlFailure(
          .store,
          "nobody works on session \(link.name), and \(Humanized.count(ends.unsettled.count, "task")) would never end",
          hint: "start it with \"swiftget serve -S \(link.name)\"")
      }
      do throws(ControlFailure) {
        guard try follow(link, &ends, until: deadline) else {
          run.place.tell(Diagnostic(message: "\(Humanized.count(ends.unsettled.count, "task")) not settled in time"))
          return .timedOut
        }
      } catch {
        guard error.isLost else { throw error }
        // Another process may take over.
        try takeOver(link)
      }
    }
    let status = ends.status
    return status == .done && !isComplete ? .notDone : status
  }

  /// `@all` is what has not settled.
  private static func select(_ terms: [DownloadSelector]) -> [String] {
    if case .selection(let selected) = ControlReach(terms, for: .cancel), Set(terms) == [.all] {
      return selected.map(\.text)
    }
    return terms.map(\.text)
  }

  /// Hears of ends until all tasks have settled.
  ///
  /// - Returns: false at the deadline.
  private func follow(_ link: SessionLink, _ ends: inout Ends, until deadline: Instant) throws(ControlFailure) -> Bool {
    let since = try link.call("totals")["last_end"]?.integer ?? 0
    // What ended before that number is in the list, the rest is told.
    try look(link, &ends)
    if ends.isOver { return true }
    _ = try link.connection.call("subscribe", Self.parameters(since: since))
    while !ends.isOver {
      let left = deadline - Clock.now()
      guard left > .zero else { return false }
      guard let (method, task) = try link.connection.news(within: min(left, .seconds(600))) else { continue }
      switch method {
      case "task", "ended": ends.note(task)
      case "removed": ends.noteRemoved(task["id"]?.string ?? "")
      case "gap": try look(link, &ends)
      default: break
      }
    }
    return true
  }

  private static func parameters(since: Int64) -> JSONObject {
    var parameters = JSONObject()
    parameters.add("since", since)
    return parameters
  }

  /// Asks for the tasks that are waited for.
  private func look(_ link: SessionLink, _ ends: inout Ends) throws(ControlFailure) {
    var wanted = ends.unsettled.sorted()[...]
    while !wanted.isEmpty {
      let some = wanted.prefix(Self.mostAsked).map { "id:\($0)" }
      wanted = wanted.dropFirst(Self.mostAsked)
      let gone = try link.pages(some, fields: ["id", "state", "error"]) { (page) throws(ControlFailure) in
        for task in page { ends.note(task) }
        return true
      }
      for term in gone { ends.noteRemoved(String(term.dropFirst(3))) }
    }
  }

  private func takeOver(_ link: SessionLink) throws(ControlFailure) {
    let patience = Clock.now() + .seconds(10)
    while true {
      try link.reconnect()
      if link.worker != nil { return }
      link.close()
      guard Clock.now() < patience else {
        throw ControlFailure(
          .store, "the process that worked on session \(link.name) has ended, and no other one goes on",
          hint: "start it with \"swiftget serve -S \(link.name)\"")
      }
      try Waiting.pause(.milliseconds(200))
    }
  }
}

extension Waiting {
  static func pause(_ time: Duration) throws(ControlFailure) {
    result { try? await Task.sleep(for: time) }
  }
}

/// How the tasks end that are waited for.
struct Ends {
  private(set) var unsettled: Set<String> = []
  private var paused: Set<String> = []
  private var statuses: Set<Int32> = []
  /// Whether any task was selected.
  private(set) var isAny = false

  /// Decides which status several failures have.
  private static let precedence: [Int32] = [2, 3, 9, 5, 6, 7, 8, 4, 75, 1]

  init(waitingFor ids: [String] = []) {
    unsettled = Set(ids)
    isAny = !ids.isEmpty
  }

  var isOver: Bool { unsettled.isEmpty }
  /// Whether there are tasks that are waited for, and none of them goes on by itself.
  var areAllPaused: Bool { !isOver && paused.isSuperset(of: unsettled) }

  /// - Parameter isFirst: whether it is one of those that are selected; others are not waited for.
  /// - Returns: what is to be told of a failure.
  @discardableResult
  mutating func note(_ task: JSONValue, isFirst: Bool = false) -> (path: String, message: String)? {
    guard let id = task["id"]?.string, let state = task["state"]?.string else { return nil }
    if isFirst { isAny = true } else if !unsettled.contains(id) { return nil }
    if state == "paused" { paused.insert(id) } else { paused.remove(id) }
    switch state {
    case "succeeded": unsettled.remove(id)
    case "failed":
      let code = task["error"]?["error"]?.string.flatMap { DownloadError.Code(name: $0) } ?? .other
      statuses.insert(code.exitStatus)
      unsettled.remove(id)
      return (task["path"]?.string ?? id, task["error"]?["message"]?.string ?? code.name)
    case "cancelled": noteRemoved(id, isKnown: true)
    default: unsettled.insert(id)
    }
    return nil
  }

  /// A task that was removed or cancelled is no success.
  mutating func noteRemoved(_ id: String, isKnown: Bool = false) {
    guard unsettled.remove(id) != nil || isKnown else { return }
    statuses.insert(1)
  }

  /// As a run of the files ends.
  var status: ControlStatus {
    Self.precedence.first(where: statuses.contains).map { .run($0) } ?? .done
  }
}
