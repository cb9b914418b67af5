internal import DownloadCore
internal import DownloadJSON
internal import DownloadLists
internal import DownloadWords
internal import SwiftGet

/// `ctl show`: all about tasks, or about the session.
struct ShowVerb {
  private let run: VerbContext
  private let terms: [DownloadSelector]

  init(_ run: VerbContext) throws(ControlFailure) {
    self.run = run
    terms = try run.terms(run.line.operands)
  }

  func perform() throws(ControlFailure) -> ControlStatus {
    let link = try run.link()
    defer { link.close() }
    if run.line.operands.isEmpty { return try showSession(link) }
    var count = 0
    let options = SessionWork.options(link.name, in: link.finder.parent)
    let unknown = try link.pages(terms.map(\.text), fields: nil) { (page) throws(ControlFailure) in
      for task in page {
        count += 1
        let text =
          run.line.has(.jsonObject)
          ? task.written + [UInt8(ascii: "\n")]
          : Array(
            ((count > 1 ? "\n" : "")
              + Self.lines(of: task, options).joined(separator: "\n") + "\n").utf8)
        if !run.place.write(text) { return false }
      }
      return true
    }
    guard run.tellUnknown(unknown) else { return .notDone }
    if count == 0 {
      run.place.tell(Diagnostic(message: "nothing matches"))
      return .notDone
    }
    return .done
  }

  // MARK: A task

  /// - Parameter options: name the session.
  static func lines(of json: JSONValue, _ options: String) -> [String] {
    let task = TaskText(json)
    var rows: [[String]] = []
    func add(_ name: String, _ text: String?) { if let text, !text.isEmpty { rows.append([name, text]) } }
    func text(_ name: StaticString) -> String? { json[name]?.string.map { Diagnostic.escaped($0) } }
    add("task", "\(task.number) (\(task.id))")
    add("file", Diagnostic.escaped(task.path))
    for (index, url) in task.urls.enumerated() { add(index == 0 ? "from" : "or from", url) }
    let reason = task.reason(now: Timestamp.now())
    add("state", task.state + (reason.isEmpty ? "" : task.state == "paused" ? " \(reason)" : ": \(reason)"))
    add("what helps", task.help(options).map { Diagnostic.escaped($0) })
    var progress = Humanized.size(task.bytes)
    if let size = task.size {
      progress += " of \(Humanized.size(size))"
      if let percent = Humanized.percent(task.bytes, of: size) { progress += " (\(percent))" }
    }
    if let rate = task.rate, rate > 0 {
      progress += ", \(Humanized.rate(Double(rate)))"
      if let size = task.size, size > task.bytes {
        progress += ", \(Humanized.timeLeft(.seconds((size - task.bytes) / rate))) left"
      }
    }
    add("progress", progress)
    if json["resumable"]?.boolean == false, task.state == "running" { add("", "a pause loses the bytes") }
    add("digest", text("digest").map { $0 + (text("digest_source").map { " (\($0))" } ?? "") })
    for checksum in json["checksums"]?.strings ?? [] { add("expected", Diagnostic.escaped(checksum)) }
    add("group", text("group"))
    if let priority = json["priority"]?.integer, priority != 0 { add("priority", String(priority)) }
    add("key", text("key"))
    for (name, value) in json["info"]?.members ?? [] {
      add("info", Diagnostic.escaped(name) + "=" + Diagnostic.escaped(value.string ?? ""))
    }
    add("settings", Self.settings(json["settings"]))
    add("begun", text("started"))
    add("ended", text("ended"))
    if let retries = json["retries"]?.integer, retries > 0 { add("failed tries", String(retries)) }
    if let status = json["http_status"]?.integer {
      add("answer", "HTTP \(status)" + (text("final_url").map { " from \($0)" } ?? ""))
    }
    add("entity tag", text("etag"))
    add("last modified", text("last_modified"))
    return TextTable.fitted(rows)
  }

  private static func settings(_ json: JSONValue?) -> String {
    (json?.members ?? []).map { name, value in
      let text = Redaction.words(
        value.string ?? value["command"]?.string ?? String(decoding: value.written, as: UTF8.self))
      return Diagnostic.escaped(name) + "=" + Diagnostic.escaped(text)
    }.joined(separator: " ")
  }

  // MARK: The session

  /// The options that the session keeps for the processes that work on it, as lines of a configuration file.
  private static func options(of path: [UInt8]) -> [String] {
    let text = try? SmallFiles.read(SessionPlace.options(of: path), notedIn: nil, mostBytes: 1 << 20)
    return (text ?? []).split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "#") }.map {
      Redaction.words(String(decoding: $0, as: UTF8.self))
    }
  }

  private func showSession(_ link: SessionLink) throws(ControlFailure) -> ControlStatus {
    let session = try link.call("session")
    let groups = try link.call("groups")
    let totals = try link.call("totals") { $0.add("select", ["@all"]) }
    if run.line.has(.jsonObject) {
      var object = JSONObject()
      object.add("session", link.name)
      object.add("pid", link.worker)
      for (name, value) in session.members + groups.members {
        object.add(String(decoding: name, as: UTF8.self), verbatim: value.written)
      }
      object.add("options", Self.options(of: link.finder.path))
      object.add("totals", verbatim: totals.written)
      _ = run.place.write(object.line)
      return .done
    }
    var rows = [
      ["session", link.name], ["directory", Diagnostic.escaped(link.finder.path)],
      ["worked on by", link.worker.map { "pid \($0)" } ?? "nobody"],
      ["paused", session["paused"]?.boolean == true ? "yes" : "no"],
      ["limits", LimitKey.text(of: session["limits"])],
    ]
    let settings = Self.settings(session["settings"])
    if !settings.isEmpty { rows.append(["settings", settings]) }
    for loss in session["losses"]?.strings ?? [] { rows.append(["lost", Diagnostic.escaped(loss)]) }
    let options = Self.options(of: link.finder.path)
    if !options.isEmpty { rows.append(["options", options.map(Diagnostic.escaped).joined(separator: ", ")]) }
    for group in groups["groups"]?.elements.map({ Array($0) }) ?? [] {
      var parts = [Humanized.count(group["files"]?.integer ?? 0, "file")]
      if group["paused"]?.boolean == true { parts.append("paused") }
      parts.append(LimitKey.text(of: group["limits"]))
      rows.append(["group", Diagnostic.escaped(group["name"]?.string ?? "") + ": " + parts.joined(separator: ", ")])
    }
    rows.append(["tasks", TotalsText(totals).line])
    for line in TextTable.fitted(rows) { run.write(line) }
    return .done
  }
}

/// `ctl export`: JSON Lines that `-i` reads, without secrets.
struct ExportVerb {
  private let run: VerbContext
  private let terms: [DownloadSelector]

  private static let fields = [
    "path", "path_bytes", "named_by_answer", "urls", "size", "checksums", "key", "info", "group", "priority", "headers",
  ]

  init(_ run: VerbContext) throws(ControlFailure) {
    self.run = run
    let all = DownloadTaskState.Kind.allCases.filter { $0 != .succeeded && $0 != .removed }
    terms = run.line.operands.isEmpty ? all.map { .state($0) } : try run.terms(run.line.operands)
  }

  func perform() throws(ControlFailure) -> ControlStatus {
    let link = try run.link()
    defer { link.close() }
    var (leftOut, outside) = (0, 0)
    let base = run.place.workingDirectory
    let unknown = try link.pages(terms.map(\.text), fields: Self.fields) { (page) throws(ControlFailure) in
      var text: [UInt8] = []
      for task in page {
        // A name in JSON is UTF-8.
        guard task["path_bytes"] == nil, let (line, isOutside) = Self.line(task, base) else {
          leftOut += 1
          continue
        }
        if isOutside { outside += 1 }
        text += line
      }
      return run.place.write(text)
    }
    if outside > 0 {
      run.place.tell(
        Diagnostic(
          message: "\(Humanized.count(outside, "file")) outside of \(base)",
          hint: "whoever reads these lines needs --allow-absolute for them"))
    }
    if leftOut > 0 {
      run.place.tell(Diagnostic(message: "left out \(Humanized.count(leftOut, "file")) whose names are not UTF-8"))
    }
    return run.tellUnknown(unknown) && leftOut == 0 ? .done : .notDone
  }

  /// A line of a list; nil for what has no path.
  private static func line(_ task: JSONValue, _ base: String) -> (line: [UInt8], isOutside: Bool)? {
    guard let path = task["path"]?.string, let slash = path.lastIndex(of: "/"), let urls = task["urls"]?.elements else {
      return nil
    }
    var object = JSONObject()
    object.add("url", oneOrMore: urls.map(\.written))
    if task["named_by_answer"]?.boolean != true { object.add("out", String(path[path.index(after: slash)...])) }
    let directory = slash == path.startIndex ? "/" : String(path[..<slash])
    let prefix = base == "/" ? base : base + "/"
    var isOutside = false
    if directory.hasPrefix(prefix) {
      object.add("dir", String(directory.dropFirst(prefix.count)))
    } else if directory != base {
      object.add("dir", directory)
      isOutside = true
    }
    if let size = task["size"]?.integer { object.add("size", size) }
    var digests = JSONObject()
    for checksum in task["checksums"]?.strings ?? [] {
      let parts = checksum.split(separator: ":", maxSplits: 1).map(String.init)
      if parts.count == 2 { digests.add(parts[0], parts[1]) }
    }
    if digests.count > 0 { object.add("checksum", digests) }
    for name in ["headers", "key", "info", "group", "priority"] {
      guard let value = task[Array(name.utf8)[...]], value.integer != 0 else { continue }
      object.add(name, verbatim: value.written)
    }
    return (object.line, isOutside)
  }
}
