internal import DownloadCore
internal import DownloadJSON
internal import DownloadTransport
internal import DownloadWords
internal import SwiftGet

/// How the tasks end that are waited for, by `ctl wait` and by runs with a session.
struct Ends {
  private(set) var unsettled: Set<String> = []
  /// Some of `unsettled`.
  private var paused: Set<String> = []
  private var statuses: Set<Int32> = []
  /// How many have ended so that are waited for.
  private var succeeded = 0, failed = 0, cancelled = 0, removed = 0
  /// Of the files that have succeeded.
  private var bytes: Int64 = 0
  /// Whether any task was selected.
  private(set) var isAny = false

  init(waitingFor ids: [String] = []) {
    unsettled = Set(ids)
    isAny = !ids.isEmpty
  }

  var isOver: Bool { unsettled.isEmpty }
  /// Whether there are tasks that are waited for, and none of them goes on by itself.
  var areAllPaused: Bool { !isOver && paused.count == unsettled.count }

  /// Takes note of a task as it is.
  ///
  /// - Parameter isFirst: whether it is one of those that are selected; others are not waited for.
  /// - Returns: whether this is the end of a task that is waited for.
  @discardableResult
  mutating func note(_ task: JSONValue, isFirst: Bool = false) -> Bool {
    guard let id = task["id"]?.string, let state = task["state"]?.string else { return false }
    if isFirst { isAny = true } else if !unsettled.contains(id) { return false }
    switch state {
    case "succeeded":
      settle(id)
      succeeded += 1
      bytes += task["bytes_done"]?.integer ?? 0
    case "failed":
      settle(id)
      failed += 1
      let code = task["error"]?["error"]?.string.flatMap { DownloadError.Code(name: $0) } ?? .other
      statuses.insert(code.exitStatus)
    case "cancelled":
      settle(id)
      cancelled += 1
      statuses.insert(1)
    default:
      unsettled.insert(id)
      if state == "paused" { paused.insert(id) } else { paused.remove(id) }
      return false
    }
    return true
  }

  /// A task that was removed is no success.
  mutating func noteRemoved(_ id: String) {
    guard unsettled.contains(id) else { return }
    settle(id)
    removed += 1
    statuses.insert(1)
  }

  private mutating func settle(_ id: String) {
    unsettled.remove(id)
    paused.remove(id)
  }

  /// As a run of the files ends.
  var status: ControlStatus {
    DownloadError.Code.precedence.first(where: statuses.contains).map { .run($0) } ?? .done
  }

  /// `12 files: 1 failed, 2 unfinished, 9 succeeded; 1.2 GiB`.
  var line: String {
    let states = [
      ("failed", failed), ("unfinished", unsettled.count), ("cancelled", cancelled), ("removed", removed),
      ("succeeded", succeeded),
    ]
    let count = states.reduce(0) { $0 + $1.1 }
    return TotalsText.line(
      Int64(count), states.filter { $0.1 > 0 }.map { ($0.0, Int64($0.1)) }, bytes: bytes, size: nil, rate: nil)
  }

  /// How many have not succeeded; nil if all have.
  ///
  /// - Parameter session: the options that name the session.
  func shortfall(_ session: String) -> Diagnostic? {
    let parts = [(failed, "failed"), (cancelled, "cancelled"), (removed, "removed")].filter { $0.0 > 0 }
    if parts.isEmpty { return nil }
    let lacking = failed + cancelled + removed
    return Diagnostic(
      message: "\(lacking) of \(Humanized.count(lacking + succeeded, "task")) did not succeed: "
        + parts.map { "\($0.0) \($0.1)" }.joined(separator: ", "),
      hint: failed > 0 ? "see why with 'swiftget ctl \(session) list state:failed'" : nil)
  }
}

/// Following the tasks to their ends.
extension Ends {
  /// Ids in one call: as many tasks as one answer has.
  private static let mostAsked = 1_000

  /// Selects the tasks that are waited for.
  ///
  /// - Returns: the terms that name what the session does not have.
  mutating func select(_ terms: [String], _ link: SessionLink) throws(ControlFailure) -> [String] {
    var ends = self
    defer { self = ends }
    return try link.pages(terms, fields: Self.fields) { (page) throws(ControlFailure) in
      for task in page { ends.note(task, isFirst: true) }
      return true
    }
  }

  private static let fields = ["id", "number", "state", "error", "path", "bytes_done", "size", "digest"]

  /// Hears of the session until all tasks have settled.
  ///
  /// - Parameters:
  ///   - deadline: when it returns at the latest.
  ///   - interval: how often it calls `hear` at least.
  ///   - hear: gets the news, whatever task they are about, with whether they are the end of a task that is waited for;
  ///     returns false to end the wait.
  /// - Returns: whether all have settled.
  /// - Throws: a failure that `isLost` if the process has ended that works on the session.
  mutating func follow(
    _ link: SessionLink, until deadline: Instant = .distantFuture, every interval: Duration,
    _ hear: (_ news: SessionFollower.News?, _ isEnd: Bool, _ areAllPaused: Bool) -> Bool
  ) throws(ControlFailure) -> Bool {
    let follower = try SessionFollower(link.connection)
    // What ends from now on is told.
    try look(link, hear)
    while !isOver {
      let left = deadline - Clock.now()
      guard left > .zero else { return false }
      let news = try follower.next(within: min(left, interval))
      var isEnd = false
      switch news {
      case .task(let task)?, .ended(let task, _)?: isEnd = note(task)
      case .removed(let id)?: noteRemoved(id)
      case .gap?: try look(link, hear)
      case .totals?, .upToDate?, .stopped?, nil: break
      }
      guard hear(news, isEnd, areAllPaused) else { return false }
    }
    return true
  }

  /// Asks for the tasks that are waited for.
  private mutating func look(
    _ link: SessionLink, _ hear: (SessionFollower.News?, Bool, Bool) -> Bool
  ) throws(ControlFailure) {
    var ends = self
    defer { self = ends }
    let wanted = unsettled.sorted()
    for start in stride(from: 0, to: wanted.count, by: Self.mostAsked) {
      let some = wanted[start..<min(start + Self.mostAsked, wanted.count)].map { "id:\($0)" }
      let gone = try link.pages(some, fields: Self.fields) { (page) throws(ControlFailure) in
        for task in page where ends.note(task) { _ = hear(.task(task), true, false) }
        return true
      }
      for term in gone { ends.noteRemoved(String(term.dropFirst(3))) }
    }
  }
}
