internal import DownloadCore
internal import DownloadJSON
internal import DownloadWords
internal import SwiftGet

/// The verbs that change tasks, and the flags of session and groups: `ctl pause resume cancel remove retry move`.
struct ChangeVerb {
  private let run: VerbContext
  private let verb: ControlVerb.VerbName
  /// Nil for `resume --all`.
  private let reach: ControlReach?
  private let place: Place?

  /// Where `move` moves tasks.
  enum Place: Equatable {
    case first, last
    case before(DownloadSelector), after(DownloadSelector)
    case group(String)

    init(_ text: String) throws(ControlFailure) {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let value = parts.count == 2 ? parts[1] : ""
      switch (parts[0], SelectorWord.task(value)) {
      case ("first", nil) where parts.count == 1: self = .first
      case ("last", nil) where parts.count == 1: self = .last
      case ("before", let task?): self = .before(task)
      case ("after", let task?): self = .after(task)
      case ("group", _) where !value.isEmpty: self = .group(value)
      default:
        throw ControlFailure(
          .usage, "--to '\(text)' is no place", hint: "it is first, last, before:ID, after:ID or group:NAME")
      }
    }
  }

  init(_ run: VerbContext) throws(ControlFailure) {
    (self.run, verb) = (run, run.line.verb)
    if verb == .move {
      guard let text = run.line[.to] else {
        throw ControlFailure(.usage, "move needs --to", hint: "--to first, last, before:ID, after:ID or group:NAME")
      }
      place = try Place(text)
    } else {
      place = nil
    }
    if run.line.has(.everything) {
      guard run.line.operands.isEmpty else { throw ControlFailure(.usage, "resume --all takes no selectors") }
      reach = nil
    } else {
      let terms = try run.neededTerms(run.line.operands)
      // Standard input may have named nothing.
      reach = terms.isEmpty ? .selection([]) : ControlReach(terms, for: verb)
    }
    if run.line.has(.yes), !run.line.has(.files) { throw ControlFailure(.usage, "--yes is for remove --files") }
  }

  func perform() throws(ControlFailure) -> ControlStatus {
    let link = try run.link()
    defer { link.close() }
    switch reach {
    case nil:
      if run.line.has(.dryRun) { return say("would clear all pauses of session \(link.name)") }
      let effect = try link.call("resume_all") { $0.add("ids", true) }
      return tell(effect, [:], isWhole: true)
    case .session?, .group?: return try setFlag(link)
    case .selection(let terms)?: return try change(terms, link)
    }
  }

  private func say(_ text: String) -> ControlStatus {
    run.write(text)
    return .done
  }

  // MARK: Flags

  private func setFlag(_ link: SessionLink) throws(ControlFailure) -> ControlStatus {
    let subject =
      if case .group(let name)? = reach { "group \(Diagnostic.escaped(name))" } else { "session \(link.name)" }
    if run.line.has(.dryRun) { return say("would \(verb) \(subject)") }
    let effect = try link.call(verb.rawValue) { reach?.add(to: &$0) }
    let hasChanged = effect["changed"]?.integer ?? 0 > 0
    let told =
      hasChanged ? "\(Self.done(verb)) \(subject)" : "\(subject) is \(verb == .pause ? "already paused" : "not paused")"
    run.write(told + rest(effect))
    return run.tellFailures(of: effect) ? .done : .notDone
  }

  // MARK: Tasks

  private func change(_ terms: [DownloadSelector], _ link: SessionLink) throws(ControlFailure) -> ControlStatus {
    let (tasks, isComplete) = try run.selected(terms, link)
    if tasks.isEmpty { return .notDone }
    if run.line.has(.dryRun) {
      run.write(
        "would \(verb) \(Humanized.count(tasks.count, "task"))" + (run.line.has(.files) ? " and finished files" : ""))
      for task in tasks { run.write(Self.line(task)) }
      return isComplete ? .done : .notDone
    }
    guard try mayDelete(tasks.count) else { return .notDone }
    let to = try target(link)
    // Of one task that is gone meanwhile the answer would be an error.
    let effect = try link.call(verb.rawValue, isRepeatable: verb != .retry && verb != .resume) { parameters in
      if run.line.has(.files), !run.line.has(.yes) {
        // No more than was asked about.
        parameters.add("select", tasks.map { "id:\($0.id)" })
      } else {
        parameters.add("select", terms.map(\.text))
      }
      parameters.add("ids", true)
      if run.line.has(.files) { parameters.add("files", true) }
      if let to { parameters.add("to", verbatim: to) }
    }
    let known = Dictionary(tasks.map { ($0.id, $0) }) { first, _ in first }
    let status = tell(effect, known)
    return isComplete ? status : .notDone
  }

  private func mayDelete(_ count: Int) throws(ControlFailure) -> Bool {
    guard run.line.has(.files), !run.line.has(.yes) else { return true }
    guard
      let isConfirmed = run.place.confirms("Remove \(Humanized.count(count, "task")) and delete finished files? [y/N] ")
    else {
      throw ControlFailure(
        .usage, "remove --files deletes files and asks on a terminal, of which there is none",
        hint: "--yes does not ask")
    }
    if !isConfirmed { run.place.tell(Diagnostic(message: "nothing was removed")) }
    return isConfirmed
  }

  /// The JSON text of the place; a number becomes its id.
  private func target(_ link: SessionLink) throws(ControlFailure) -> [UInt8]? {
    var object = JSONObject()
    switch place {
    case nil: return nil
    case .first?: return JSONObject.quoted("first")
    case .last?: return JSONObject.quoted("last")
    case .group(let name)?: object.add("group", name)
    case .before(let task)?: object.add("before", try id(of: task, link))
    case .after(let task)?: object.add("after", try id(of: task, link))
    }
    return object.text
  }

  private func id(of task: DownloadSelector, _ link: SessionLink) throws(ControlFailure) -> String {
    var id: String?
    try link.pages([task.text], fields: ["id"]) { (page) throws(ControlFailure) in
      id = page.first?["id"]?.string
      return false
    }
    guard let id else { throw ControlFailure(.notDone, "the task to move to is not in the session") }
    return id
  }

  // MARK: What it came to

  static func line(_ task: TaskText) -> String { "\(task.number)\t\(task.id)\t\(task.name)" }

  /// - Parameters:
  ///   - known: tasks by their ids.
  ///   - isWhole: whether it was about all tasks, whose names are not told.
  private func tell(_ effect: JSONValue, _ known: [String: TaskText], isWhole: Bool = false) -> ControlStatus {
    let changed = effect["changed"]?.integer ?? 0
    run.write("\(Self.done(verb)) \(Humanized.count(changed, isWhole ? "pause" : "task"))" + rest(effect))
    for id in effect["changed_ids"]?.strings ?? [] where !isWhole {
      run.write(known[id].map(Self.line) ?? "\t\(id)\t")
    }
    return run.tellFailures(of: effect) ? .done : .notDone
  }

  private static func done(_ verb: ControlVerb.VerbName) -> String {
    switch verb {
    case .pause: "paused"
    case .resume: "resumed"
    case .cancel: "cancelled"
    case .remove: "removed"
    case .retry: "began again"
    case .move: "moved"
    default: "changed"
    }
  }

  private func rest(_ effect: JSONValue) -> String {
    var parts: [String] = []
    func add(_ name: StaticString, _ text: (Int64) -> String) {
      if let count = effect[name]?.integer, count > 0 { parts.append(text(count)) }
    }
    if case .selection? = reach { add("unchanged") { "\($0) as before" } }
    add("finishing") { "\($0) just finishing" }
    add("not_resumable") { "\($0) cannot be resumed and lost their bytes" }
    add("still_paused") { count in
      let flags = (effect["paused_by"]?.strings ?? []).map { $0 == "task" ? "themselves" : "the \($0)" }
      return "\(count) still paused" + (flags.isEmpty ? "" : " by \(flags.joined(separator: " and "))")
    }
    return parts.isEmpty ? "" : "; " + parts.joined(separator: ", ")
  }
}

extension VerbContext {
  /// Tells what an effect could not do.
  ///
  /// - Returns: whether there is nothing of that.
  func tellFailures(of effect: JSONValue) -> Bool {
    let failures = effect["failures"]?.elements.map { Array($0) } ?? []
    for failure in failures {
      let subject = failure["path"]?.string.map { "\($0): " } ?? ""
      place.tell(Diagnostic(message: subject + (failure["message"]?.string ?? ""), hint: failure["hint"]?.string))
    }
    return failures.isEmpty
  }
}
