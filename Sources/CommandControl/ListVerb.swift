internal import CommandOptions
internal import DownloadCore
internal import DownloadJSON
internal import DownloadWords
internal import SwiftGet

/// `ctl list`: a table on a terminal, lines for programs in a pipe, or JSON.
struct ListVerb {
  private let run: VerbContext
  private let terms: [DownloadSelector]
  private let fields: [String]
  private let sort: SortField?

  /// What a list can be sorted by.
  enum SortField: String, CaseIterable {
    case state, number, name, size
    case bytesDone = "bytes_done"
    case rate, priority, group
    /// In which tasks begin. Those that have settled come last.
    case order

    /// The members of a task that decide.
    var members: [String] {
      switch self {
      case .name: ["path"]
      case .order: ["id", "state"]
      default: [rawValue]
      }
    }
  }

  private static let lineFields = ["number", "id", "state", "bytes_done", "size", "path", "error"]
  private static let tableFields = [
    "number", "state", "bytes_done", "size", "rate", "path", "waits_for", "waits_until", "last_error", "paused_by",
    "error", "kept", "priority", "group", "id",
  ]

  init(_ run: VerbContext) throws(ControlFailure) {
    self.run = run
    terms = try run.terms(run.line.operands)
    if run.line.has(.json), run.line.has(.fields) {
      throw ControlFailure(.usage, "--json and --fields exclude each other", hint: "--json=FIELDS has some fields")
    }
    let text = run.line[.fields] ?? run.line[.json] ?? ""
    fields = text.split(separator: ",").map(String.init)
    let known = TaskMember.all.map(\.name)
    for field in fields where !known.contains(field) {
      let near = Suggestion.nearest(to: field, among: known)
      throw ControlFailure(
        .usage, "a task has no field \(field)",
        hint: near.map { "perhaps \($0) is meant" } ?? "fields are \(known.joined(separator: ", "))")
    }
    sort = try run.line[.sort].map { (text) throws(ControlFailure) in
      guard let field = SortField(rawValue: text) else {
        throw ControlFailure(
          .usage, "a list is not sorted by '\(text)'",
          hint: "one of \(SortField.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      return field
    }
  }

  func perform() throws(ControlFailure) -> ControlStatus {
    let link = try run.link()
    defer { link.close() }
    if run.line.has(.groups) { return try listGroups(link) }
    if run.line.has(.selectorsOnly) { return try listSelectors(link) }
    let unknown: [String]
    if run.line.has(.json) {
      unknown = try writeJSON(link)
    } else if let columns = run.place.columns, fields.isEmpty {
      unknown = try writeTable(link, columns: columns)
    } else {
      unknown = try writeLines(link)
    }
    return run.tellUnknown(unknown) ? .done : .notDone
  }

  private var select: [String]? { terms.isEmpty ? nil : terms.map(\.text) }

  /// Calls `body` with the tasks, sorted if that is wanted; page by page if not.
  ///
  /// - Parameter asRows: whether tasks that are not sorted may be arrays of the values of `fields`.
  private func pages(
    _ link: SessionLink, _ fields: [String]?, asRows: Bool = false, _ body: ([JSONValue]) -> Bool
  ) throws(ControlFailure) -> [String] {
    guard let sort else {
      return try link.pages(select, fields: fields, asRows: asRows) { (page) throws(ControlFailure) in
        body(Array(page))
      }
    }
    var tasks: [JSONValue] = []
    let unknown = try link.pages(select, fields: fields.map { $0 + sort.members }) { (page) throws(ControlFailure) in
      tasks += page
      return true
    }
    _ = body(try Self.sorted(tasks, by: sort, link))
    return unknown
  }

  private static func sorted(
    _ tasks: [JSONValue], by field: SortField, _ link: SessionLink
  ) throws(ControlFailure) -> [JSONValue] {
    let places = field == .order ? try placesInOrder(link) : [:]
    func sorted<Key: Comparable>(descending: Bool = false, _ key: (JSONValue) -> Key) -> [JSONValue] {
      let keyed = tasks.enumerated().map { (key: key($1), index: $0) }
      return keyed.sorted { left, right in
        left.key == right.key ? left.index < right.index : (left.key < right.key) != descending
      }.map { tasks[$0.index] }
    }
    switch field {
    case .state: return sorted { TaskText($0).place }
    case .number: return sorted { TaskText($0).number }
    case .name: return sorted { TaskText($0).name }
    case .size: return sorted(descending: true) { TaskText($0).size ?? -1 }
    case .bytesDone: return sorted(descending: true) { TaskText($0).bytes }
    case .rate: return sorted(descending: true) { TaskText($0).rate ?? 0 }
    case .priority: return sorted(descending: true) { $0["priority"]?.integer ?? 0 }
    case .group: return sorted { $0["group"]?.string ?? "" }
    case .order: return sorted { TaskText($0).isSettled ? .max : $0["id"]?.string.flatMap { places[$0] } ?? .max }
    }
  }

  /// The places of tasks in the order of work, by their ids.
  private static func placesInOrder(_ link: SessionLink) throws(ControlFailure) -> [String: Int] {
    var places: [String: Int] = [:]
    var from: Int64? = 0
    while let place = from {
      let page = try link.call("order") { $0.add("from", place) }
      for id in page["tasks"]?.strings ?? [] { places[id] = places.count }
      from = page["next"]?.integer
    }
    return places
  }

  // MARK: For programs

  private func writeJSON(_ link: SessionLink) throws(ControlFailure) -> [String] {
    var isFirst = true
    let wanted = fields.isEmpty ? nil : fields
    let unknown = try pages(link, wanted) { page in
      var text: [UInt8] = []
      for task in page {
        text += isFirst ? "[".utf8 : ",\n".utf8
        isFirst = false
        text += wanted.map { task.object(with: $0).text } ?? task.written
      }
      return run.place.write(text)
    }
    _ = run.place.write(Array(isFirst ? "[]\n".utf8 : "]\n".utf8))
    return unknown
  }

  /// Lines with tabs between the fields, uncut.
  private func writeLines(_ link: SessionLink) throws(ControlFailure) -> [String] {
    let fields = fields.isEmpty ? Self.lineFields : fields
    let keys = fields.map { Array($0.utf8)[...] }
    guard run.place.write(Array((fields.joined(separator: "\t") + "\n").utf8)) else { return [] }
    return try pages(link, fields, asRows: true) { page in
      var text: [UInt8] = []
      func append(_ value: JSONValue?) {
        if let value { Self.append(value, to: &text) }
        text.append(UInt8(ascii: "\t"))
      }
      for task in page {
        if let row = task.elements {
          for value in row { append(value) }
        } else {
          for key in keys { append(task[key]) }
        }
        if !text.isEmpty { text[text.count - 1] = UInt8(ascii: "\n") }
      }
      return run.place.write(text)
    }
  }

  /// A text is escaped, of an error it is the message, of several URLs the first.
  private static func append(_ value: JSONValue, to line: inout [UInt8]) {
    if let text = value.text ?? value["message"]?.text ?? value.elements?.first?.text {
      line += text.allSatisfy { $0 >= 0x20 && $0 < 0x7f } ? text : Array(Diagnostic.escaped(text).utf8)
    } else if !value.isNull {
      line += value.written
    }
  }

  private static let mostNumbers: Int64 = 1000

  /// One selector on a line. Tasks of which something may be wanted come first.
  private func listSelectors(_ link: SessionLink) throws(ControlFailure) -> ControlStatus {
    let states = DownloadTaskState.Kind.allCases.filter { $0 != .removed }
    var words = ["@all"] + states.map { "state:\($0.rawValue)" }
    let groups = try link.call("groups")["groups"]?.elements.map { Array($0) } ?? []
    words += groups.compactMap { $0["name"]?.string }.filter { $0.allSatisfy(Self.isPlain) }.map { "group:\($0)" }
    let unsettled = states.filter { $0 != .succeeded && $0 != .cancelled }.map { "state:\($0.rawValue)" }
    var numbers: [String] = []
    for select in [unsettled, ["@all"]] where numbers.count < Self.mostNumbers {
      let page = try link.call("list") { parameters in
        parameters.add("select", select)
        parameters.add("fields", ["number"])
        parameters.add("limit", Self.mostNumbers)
      }
      let known = Set(numbers)
      let found = page["tasks"]?.elements?.compactMap { $0["number"]?.integer }.map { String($0) } ?? []
      numbers += found.filter { !known.contains($0) }.prefix(Int(Self.mostNumbers) - numbers.count)
    }
    run.write((words + numbers).joined(separator: "\n"))
    return .done
  }

  /// Whether shells take the character as it is.
  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
  }

  // MARK: For people

  private func writeTable(_ link: SessionLink, columns: Int) throws(ControlFailure) -> [String] {
    var tasks: [JSONValue] = []
    let unknown = try link.pages(select, fields: Self.tableFields) { (page) throws(ControlFailure) in
      tasks += page
      return true
    }
    let rows = try Self.sorted(tasks, by: sort ?? .state, link).map(TaskText.init)
    let table = ListTable(rows, columns: columns, ellipsis: run.place.isUnicode ? "…" : "...")
    for line in table.lines where !run.place.write(Array((line + "\n").utf8)) { return unknown }
    var end = [table.totals]
    if link.worker == nil { end.append("nobody works on session \(link.name), so nothing moves") }
    run.write(end.joined(separator: "; "))
    return unknown
  }

  private func listGroups(_ link: SessionLink) throws(ControlFailure) -> ControlStatus {
    let groups = try link.call("groups")["groups"]?.elements.map { Array($0) } ?? []
    if run.line.has(.json) {
      let text = groups.map(\.written).joined(separator: Array(",\n".utf8))
      _ = run.place.write([UInt8(ascii: "[")] + text + Array("]\n".utf8))
      return .done
    }
    let rows = groups.map { group in
      [
        Diagnostic.escaped(group["name"]?.string ?? ""), String(group["files"]?.integer ?? 0),
        group["paused"]?.boolean == true ? "paused" : "", LimitKey.text(of: group["limits"]),
      ]
    }
    let head = ["group", "files", "state", "limits"]
    if run.place.columns == nil {
      for row in [head] + rows { run.write(row.joined(separator: "\t")) }
    } else {
      for line in TextTable.fitted([head] + rows) { run.write(line) }
    }
    return .done
  }
}

/// The table of a list on a terminal, cut to its width.
struct ListTable {
  let lines: [String]
  /// One line on all.
  let totals: String

  private static let leastNameWidth = 12

  init(_ tasks: [TaskText], columns: Int, ellipsis: String) {
    let fixed = TextTable.fitted(
      [["#", "STATE", "DONE", "SIZE", ""]]
        + tasks.map { task in [String(task.number), task.state, task.done, task.size.map(Humanized.size) ?? "", ""] })
    let room = max(Self.leastNameWidth, columns - 1 - (fixed.first.map(DisplayWidth.of) ?? 0))
    let now = Timestamp.now()
    let reasons = tasks.map { $0.reason(now: now) }
    let widestReason = reasons.map(DisplayWidth.of).max() ?? 0
    let widestName = max(Self.leastNameWidth, tasks.map { DisplayWidth.of($0.name) }.max() ?? 0)
    // The reason gets what the names leave, and at least a third.
    let reasonWidth = widestReason == 0 ? 0 : min(widestReason + 2, max(room - widestName, room / 3))
    let nameWidth = max(Self.leastNameWidth, min(widestName, room - reasonWidth))
    lines = zip(fixed, [("NAME", "")] + zip(tasks.map(\.name), reasons)).map { start, texts in
      var line = start + DisplayWidth.fitted(texts.0, to: nameWidth, ellipsis: ellipsis)
      if reasonWidth > 2, !texts.1.isEmpty {
        line += "  " + DisplayWidth.truncated(texts.1, to: reasonWidth - 2, ellipsis: ellipsis)
      }
      while line.last == " " { line.removeLast() }
      return DisplayWidth.truncated(line, to: max(1, columns - 1), ellipsis: ellipsis)
    }
    var counts: [String: Int64] = [:]
    var (bytes, size, rate): (Int64, Int64?, Int64) = (0, 0, 0)
    for task in tasks {
      counts[task.state, default: 0] += 1
      guard task.state != "failed", task.state != "cancelled" else { continue }
      bytes &+= task.bytes
      rate &+= task.rate ?? 0
      size = task.size.flatMap { one in size.map { $0 &+ one } }
    }
    let states = TaskText.order.compactMap { state in counts[state].map { (state, $0) } }
    totals = TotalsText.line(Int64(tasks.count), states, bytes: bytes, size: size, rate: rate)
  }
}
