internal import DownloadCore
internal import DownloadJSON

/// Hears what a session tells of its tasks, for `ctl wait`, `ctl log -f`, `ctl watch` and runs with a session.
///
/// First come the tasks that have begun and the ends after a number, then `upToDate`, then what changes. The process that
/// works on the session may end: `next` then throws a failure that `isLost`. No end is missing and none comes twice.
///
/// Whoever keeps a list of tasks begins to follow first and asks for the list then: what ends between the two is told.
final class SessionFollower {
  enum News {
    /// A task as it is.
    case task(JSONValue)
    /// A task that has settled. Numbers of ends only increase.
    case ended(JSONValue, number: Int64)
    /// The id of a task that the session does not know any more.
    case removed(String)
    case totals(JSONValue)
    case upToDate
    /// Another process has stopped the work.
    case stopped
    /// News are missing. Whoever keeps a list of tasks asks for it again.
    case gap
  }

  private let connection: any ControlConnection
  /// The number of the last end that was told, or after which ends are told.
  private(set) var lastEnd: Int64
  /// What `subscribe` has answered.
  private var firstTotals: JSONValue?

  /// - Parameter since: the number of the end after which all ends are told; nil for the ends from now on.
  init(_ connection: any ControlConnection, since: Int64? = nil) throws(ControlFailure) {
    self.connection = connection
    lastEnd = since ?? 0
    let totals = try subscribe(since: since)
    if since == nil { lastEnd = totals["last_end"]?.integer ?? 0 }
  }

  private func subscribe(since: Int64?) throws(ControlFailure) -> JSONValue {
    var parameters = JSONObject()
    if let since { parameters.add("since", since) }
    parameters.add("begun", true)
    let totals = try connection.call("subscribe", parameters)
    firstTotals = totals
    return totals
  }

  /// The next news; nil if there are none within the time.
  ///
  /// - Throws: a failure that `isLost` if the process has ended.
  func next(within time: Duration) throws(ControlFailure) -> News? {
    if let totals = firstTotals {
      firstTotals = nil
      return .totals(totals)
    }
    guard let (method, parameters) = try connection.news(within: time) else { return nil }
    switch method {
    case "task": return .task(parameters)
    case "ended":
      let number = parameters["seq"]?.integer ?? 0
      // After a gap, ends come again.
      guard number > lastEnd else { return try next(within: .zero) }
      lastEnd = number
      return .ended(parameters, number: number)
    case "removed": return parameters["id"]?.string.map { .removed($0) }
    case "totals": return .totals(parameters)
    case "up_to_date": return .upToDate
    case "stopped": return .stopped
    case "gap": return .gap
    default: return nil
    }
  }
}
