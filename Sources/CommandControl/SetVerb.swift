internal import CommandOptions
internal import DownloadCore
internal import DownloadFiles
internal import DownloadJSON
internal import DownloadLists
internal import DownloadWords
internal import SwiftGet

/// `ctl set`: how tasks are fetched, or with `@session` how the session does it.
struct SetVerb {
  private let run: VerbContext
  private let reach: ControlReach
  private let values: SettingValues
  /// Of the options that the session keeps for the processes that work on it.
  private let options: [Assignment]

  private static let session = "@session"

  init(_ run: VerbContext) throws(ControlFailure) {
    self.run = run
    let words = run.line.operands
    let selectors = words.filter { Assignment($0) == nil }
    let assignments = words.compactMap(Assignment.init)
    let ofSession = assignments.filter { assignment in
      selectors == [Self.session] && SettingKey(name: assignment.key) == nil && KeptOptions.has(assignment.key)
    }
    options = ofSession
    values = try SettingValues(assignments.filter { !ofSession.contains($0) }) { run.place.text(of: $0) }
    guard !values.isEmpty || !options.isEmpty else {
      throw ControlFailure(
        .usage, "set needs a KEY=VALUE", hint: "keys are \(SettingKey.names.joined(separator: ", "))")
    }
    if selectors == [Self.session] {
      reach = .session
      if values.priority != nil { throw ControlFailure(.usage, "priority is of tasks, not of the session") }
    } else {
      let terms = try run.neededTerms(selectors)
      reach = terms.isEmpty ? .selection([]) : ControlReach(terms, for: .set)
    }
  }

  func perform() throws(ControlFailure) -> ControlStatus {
    let link = try run.link()
    defer { link.close() }
    if values.hasSecrets, link.worker == nil {
      throw ControlFailure(
        .notDone, "nobody works on session \(link.name), and secrets are kept in memory only",
        hint: "start it with \"swiftget serve -S \(link.name)\", then set them")
    }
    guard case .selection(let terms) = reach else {
      return try setOfSession(link)
    }
    let (tasks, isComplete) = try run.selected(terms, link)
    if tasks.isEmpty { return .notDone }
    let failed = tasks.filter { $0.state == "failed" }
    if !run.line.has(.dryRun) {
      if values.hasSettings, !run.tellFailures(of: try link.call("set", fill)) { return .notDone }
      if values.hasURL, !failed.isEmpty {
        // With another URL it is worth another try.
        _ = try link.call("retry", isRepeatable: false) { $0.add("select", failed.map { "id:\($0.id)" }) }
      }
      if let priority = values.priority {
        _ = try link.call("prioritize") { parameters in
          reach.add(to: &parameters)
          parameters.add("priority", priority)
        }
      }
    }
    let restarted =
      values.hasURL && !failed.isEmpty && !run.line.has(.dryRun) ? "; \(failed.count) begun again" : ""
    run.write(
      "\(run.line.has(.dryRun) ? "would change" : "changed") \(Humanized.count(tasks.count, "task"))\(restarted)")
    for task in tasks { run.write(ChangeVerb.line(task)) }
    return isComplete ? .done : .notDone
  }

  private func setOfSession(_ link: SessionLink) throws(ControlFailure) -> ControlStatus {
    let changesNothing = run.line.has(.dryRun)
    if !options.isEmpty { try keepOptions(link, changesNothing: changesNothing) }
    if values.hasSettings, !changesNothing { _ = try link.call("set", fill) }
    run.write("\(changesNothing ? "would change" : "changed") the settings of session \(link.name)")
    if let worker = link.worker, !options.isEmpty, !changesNothing {
      run.place.tell(
        Diagnostic(message: "pid \(worker) works with the options as they were; the next process has the new ones"))
    }
    return .done
  }

  private func keepOptions(_ link: SessionLink, changesNothing: Bool) throws(ControlFailure) {
    let file = SessionPlace.options(of: link.finder.path)
    var text: [UInt8]
    do throws(Failure) {
      text = try SmallFiles.readIfPresent(file, of: "set @session", notedIn: nil, mostBytes: 1 << 20) ?? []
    } catch { throw ControlFailure(error.message) }
    do throws(Failure) {
      var seen: Set<String> = []
      for option in options {
        let isFurther = !seen.insert(option.key).inserted
        text = try KeptOptions.text(text, setting: option.key, to: option.value, isFurther: isFurther)
      }
    } catch { throw ControlFailure(.usage, error.message, hint: error.hint()) }
    if changesNothing { return }
    do throws(SystemCallError) { try PrivateFile.replace(file, with: text, syncs: true) } catch {
      throw ControlFailure("cannot write \(NamedFiles.shown(file)): \(SystemMessages.reason(error.errno))")
    }
  }

  private func fill(_ parameters: inout JSONObject) {
    reach.add(to: &parameters)
    parameters.add("settings", values.settings)
  }
}

/// `ctl limit`: the limits of the session or a group.
struct LimitVerb {
  private let run: VerbContext
  /// Nil for the session.
  private let group: String?
  private let limits: JSONObject

  init(_ run: VerbContext) throws(ControlFailure) {
    self.run = run
    var words = run.line.operands[...]
    if let first = words.first, Assignment(first) == nil {
      guard first.hasPrefix("group:"), first.utf8.count > 6 else {
        throw ControlFailure(
          .usage, "'\(first)' is neither group:NAME nor KEY=VALUE",
          hint: "keys are \(LimitKey.names.joined(separator: ", "))")
      }
      group = String(first.dropFirst(6))
      words = words.dropFirst()
    } else {
      group = nil
    }
    var limits = JSONObject()
    var seen: Set<LimitKey> = []
    for word in words {
      guard let assignment = Assignment(word), let key = LimitKey(rawValue: assignment.key) else {
        throw ControlFailure(
          .usage, "'\(word)' is no limit", hint: "keys are \(LimitKey.names.joined(separator: ", ")), such as jobs=4")
      }
      guard seen.insert(key).inserted else { throw ControlFailure(.usage, "\(key) is given twice") }
      if key == .requests, group != nil { throw ControlFailure(.usage, "requests is a limit of the session") }
      limits.add(key.member, verbatim: try key.json(assignment.value))
    }
    self.limits = limits
  }

  func perform() throws(ControlFailure) -> ControlStatus {
    let link = try run.link()
    defer { link.close() }
    if limits.count > 0 {
      if run.line.has(.dryRun) {
        run.write(
          "would change the limits of \(group.map { "group \(Diagnostic.escaped($0))" } ?? "session \(link.name)")")
        return .done
      }
      _ = try link.call("limit") { parameters in
        if let group { parameters.add("group", group) }
        parameters.add("limits", limits)
      }
    }
    let session = try link.call("session")
    let groups = try link.call("groups")["groups"]?.elements.map { Array($0) } ?? []
    if group == nil { run.write("session \(link.name): \(LimitKey.text(of: session["limits"]))") }
    var isFound = group == nil
    for entry in groups {
      let name = entry["name"]?.string ?? ""
      guard name == group || group == nil && entry["limits"]?.members.isEmpty == false else { continue }
      isFound = true
      run.write("group \(Diagnostic.escaped(name)): \(LimitKey.text(of: entry["limits"]))")
    }
    if !isFound, let group {
      // A group without tasks goes with its last limit.
      if limits.count > 0 {
        run.write("group \(Diagnostic.escaped(group)): no limits")
      } else {
        return unknown(group)
      }
    }
    return .done
  }

  private func unknown(_ group: String) -> ControlStatus {
    _ = run.tellUnknown(["group:\(group)"])
    return .notDone
  }
}
