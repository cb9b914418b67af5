internal import CommandOptions
internal import DownloadCore
internal import DownloadJSON
internal import DownloadTransport
internal import DownloadWords
internal import SwiftGet

/// `ctl log`: the ends of tasks in their order; with `-f` those to come, too, over restarts of the process.
struct LogVerb {
  private let run: VerbContext
  private let terms: [DownloadSelector]
  private let since: LogStart

  /// Where the log begins.
  enum LogStart: Equatable {
    /// After the end with this number.
    case number(Int64)
    /// At this time, as tasks have it in `ended`.
    case time(String)

    /// - Parameters:
    ///   - text: a number, a time span before now, or a date and perhaps a time in UTC.
    ///   - now: milliseconds since 1970.
    init(_ text: String, now: Int64) throws(ControlFailure) {
      if let number = Int64(digits: Array(text.utf8)) {
        self = .number(number)
      } else if let span = OptionValues.duration(Array(text.utf8)) {
        self = .time(Timestamp.text(milliseconds: now - span.wholeMilliseconds))
      } else if Self.isDate(text) {
        self = .time(text)
      } else {
        throw ControlFailure(
          .usage, "--since \(text): it is the number of an end, a time span such as 2h, or a date such as 2026-11-28",
          hint: "dates may have a time: 2026-11-28T09:30Z")
      }
    }

    /// Dates of this form are in the order of their texts.
    private static func isDate(_ text: String) -> Bool {
      let pattern = "0000-00-00T00:00:00.000"
      let digits = text.hasSuffix("Z") ? text.dropLast() : text[...]
      guard [10, 16, 19, 23].contains(digits.utf8.count) else { return false }
      return zip(digits, pattern).allSatisfy { found, wanted in
        wanted == "0" ? "0"..."9" ~= found : found == wanted
      }
    }
  }

  /// How often a process is looked for while none works on the session.
  private static let lookInterval = Duration.milliseconds(500)

  init(_ run: VerbContext) throws(ControlFailure) {
    self.run = run
    terms = try run.terms(run.line.operands)
    since =
      try run.line[.since].map { (text) throws(ControlFailure) in
        try LogStart(text, now: Timestamp.now())
      } ?? .number(0)
  }

  func perform() throws(ControlFailure) -> ControlStatus {
    let link = try run.link()
    defer { link.close() }
    var last: Int64 = if case .number(let number) = since { number } else { 0 }
    guard try list(link, after: &last, tellsUnknown: true) else { return .done }
    guard run.line.has(.follow) else { return .done }
    while true {
      do throws(ControlFailure) {
        if link.worker != nil, !(try follow(link, after: &last)) { return .done }
      } catch {
        guard error.isLost else { throw error }
      }
      try waitForWorker(link)
    }
  }

  /// Writes the ends after a number that the session knows.
  ///
  /// - Returns: false if nobody reads them any more.
  private func list(
    _ link: SessionLink, after last: inout Int64, tellsUnknown: Bool = false
  ) throws(ControlFailure) -> Bool {
    while true {
      let start = last
      let page = try link.call("ends") { parameters in
        parameters.add("since", start)
        if !terms.isEmpty { parameters.add("select", terms.map(\.text)) }
      }
      if page["gap"]?.boolean == true, start > 0 { tellGap() }
      for task in page["tasks"]?.elements.map({ Array($0) }) ?? [] {
        last = max(last, task["seq"]?.integer ?? 0)
        guard write(task) else { return false }
      }
      guard let next = page["next"]?.integer else { return true }
      last = max(last, next)
    }
  }

  /// Writes the ends that come.
  ///
  /// - Returns: false if nobody reads them any more.
  /// - Throws: a failure that `isLost` if the process has ended.
  private func follow(_ link: SessionLink, after last: inout Int64) throws(ControlFailure) -> Bool {
    let follower = try SessionFollower(link.connection, since: last)
    while true {
      switch try follower.next(within: .seconds(600)) {
      case .ended(let task, let number)? where number > last:
        if terms.isEmpty {
          last = number
          guard write(task) else { return false }
        } else if !(try list(link, after: &last)) {
          return false
        }
        last = max(last, number)
      case .gap?: guard try list(link, after: &last) else { return false }
      case .ended?, .task?, .removed?, .totals?, .upToDate?, .stopped?, nil: break
      }
    }
  }

  /// Returns when a process works on the session. Nothing is held meanwhile.
  private func waitForWorker(_ link: SessionLink) throws(ControlFailure) {
    link.close()
    run.place.tell(Diagnostic(message: "no process works on session \(link.name); the log continues when one does"))
    while try link.finder.worker() == nil { Waiting.pause(Self.lookInterval) }
    try link.reconnect()
  }

  private func tellGap() {
    run.place.tell(Diagnostic(message: "the session does not have some of the ends any more"))
  }

  /// - Returns: false if nobody reads it any more.
  private func write(_ task: JSONValue) -> Bool {
    if case .time(let time) = since, (task["ended"]?.string ?? "") < time { return true }
    if run.line.has(.jsonObject) { return run.place.write(task.written + [UInt8(ascii: "\n")]) }
    return run.place.write(Array((Self.line(of: task) + "\n").utf8))
  }

  /// Number, time, state, path and reason, with tabs between them.
  static func line(of json: JSONValue) -> String {
    let task = TaskText(json)
    let ended = json["ended"]?.string ?? ""
    return [String(json["seq"]?.integer ?? 0), ended, task.state, Diagnostic.escaped(task.path), task.reason]
      .joined(separator: "\t")
  }
}
