internal import CommandDisplay
internal import DownloadCore
internal import DownloadJSON
internal import DownloadWords

/// A task of the protocol, for people. Names, URLs and errors come from others: nothing of them reaches a terminal raw.
struct TaskText {
  let json: JSONValue

  init(_ json: JSONValue) { self.json = json }

  var number: Int64 { json["number"]?.integer ?? 0 }
  var id: String { json["id"]?.string ?? "" }
  var state: String { json["state"]?.string ?? "" }
  var bytes: Int64 { json["bytes_done"]?.integer ?? 0 }
  var size: Int64? { json["size"]?.integer }
  var rate: Int64? { json["rate"]?.integer }
  var path: String { json["path"]?.string ?? "" }

  /// The last component of the path.
  var name: String { Diagnostic.escaped(path.split(separator: "/").last.map(String.init) ?? path) }

  var done: String {
    if state == "succeeded" { return "100%" }
    return Humanized.percent(bytes, of: size) ?? (bytes > 0 ? Humanized.size(bytes) : "")
  }

  /// Why it is in its state; empty if there is nothing to say.
  var reason: String {
    switch state {
    case "waiting": return waits(left: nil)
    case "paused":
      let flags = json["paused_by"]?.strings ?? []
      return flags == ["task"]
        ? "" : "by " + flags.map { $0 == "task" ? "itself" : "its \($0)" }.joined(separator: " and ")
    case "failed": return Diagnostic.escaped(Redaction.words(failure))
    case "running": return rate.map { Humanized.rate(Double($0)) } ?? ""
    case "succeeded": return json["kept"]?.boolean == true ? "was there" : ""
    default: return ""
    }
  }

  /// As `reason`, with the time that is left of a wait.
  ///
  /// - Parameter now: milliseconds since 1970.
  func reason(now: Int64) -> String {
    guard state == "waiting", let end = json["waits_until"]?.string.flatMap({ Timestamp.milliseconds(of: $0) }) else {
      return reason
    }
    return waits(left: .milliseconds(max(0, end - now)))
  }

  private func waits(left: Duration?) -> String {
    let parts = [
      Diagnostic.escaped(json["waits_for"]?.string ?? ""), left.map { "\(Humanized.timeLeft($0)) left" },
      lastError.map { "after: \($0)" },
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }

  private var lastError: String? { json["last_error"]?.string.map { Diagnostic.escaped(Redaction.words($0)) } }

  /// Without the URL that the message begins with.
  private var failure: String {
    let message = json["error"]?["message"]?.string ?? ""
    guard message.hasPrefix("http"), let end = message.firstRange(of: ": ") else { return message }
    return String(message[end.upperBound...])
  }

  /// Without query and user.
  var urls: [String] {
    (json["urls"]?.strings ?? []).map { Diagnostic.escaped(String(decoding: Redaction.url($0.utf8), as: UTF8.self)) }
  }

  /// What helps it to go on; nil if nothing has to.
  ///
  /// - Parameter session: the options that name the session.
  func help(_ session: String) -> String? {
    let ctl = "swiftget ctl \(session)"
    let flags = json["paused_by"]?.strings ?? []
    switch state {
    case "paused" where flags.contains("session"): return "\(ctl) resume @all"
    case "paused" where flags.contains("group"): return "\(ctl) resume group:\(json["group"]?.string ?? "")"
    case "paused": return "\(ctl) resume \(number)"
    case "waiting":
      let wait = json["waits_for"]?.string ?? ""
      if wait.hasPrefix("for credentials: header") { return "\(ctl) set \(number) header=@FILE" }
      return wait.hasPrefix("for credentials") ? "\(ctl) set \(number) user=-" : nil
    case "failed" where [403, 404, 410].contains(json["error"]?["http_status"]?.integer):
      return "\(ctl) set \(number) url=URL if the link has expired, else \(ctl) retry \(number)"
    case "failed": return json["error"]?["hint"]?.string ?? "\(ctl) retry \(number)"
    case "cancelled": return "\(ctl) resume \(number) begins it again"
    default: return nil
    }
  }

  var isSettled: Bool { WatchPicture.settledStates.contains(state) }

  /// In a list, what needs somebody comes first.
  var place: Int { Self.order.firstIndex(of: state) ?? Self.order.count }

  static let order = ["failed", "running", "verifying", "waiting", "paused", "cancelled", "succeeded"]
}

/// Totals of the protocol, in a line.
struct TotalsText {
  private let json: JSONValue

  init(_ json: JSONValue) { self.json = json }

  /// `12 files: 1 failed, 2 running, 9 succeeded; 1.2 GiB of 3.4 GiB, 12 MiB/s, 2:10 left`.
  var line: String {
    let files = json["files"]?.integer ?? 0
    let states = TaskText.order.compactMap { state in
      json["states"]?[Array(state.utf8)[...]]?.integer.map { (state, $0) }
    }
    return Self.line(
      files, states, bytes: json["bytes_done"]?.integer ?? 0, size: json["size"]?.integer, rate: json["rate"]?.integer)
  }

  static func line(
    _ files: Int64, _ states: [(name: String, count: Int64)], bytes: Int64, size: Int64?, rate: Int64?
  ) -> String {
    var text = Humanized.count(files, "file")
    if !states.isEmpty { text += ": " + states.map { "\($0.count) \($0.name)" }.joined(separator: ", ") }
    var parts: [String] = []
    if let size, size > 0 {
      parts.append(bytes >= size ? Humanized.size(size) : "\(Humanized.size(bytes)) of \(Humanized.size(size))")
    } else if bytes > 0 {
      parts.append(Humanized.size(bytes))
    }
    if let rate, rate > 0 {
      parts.append(Humanized.rate(Double(rate)))
      if let size, size > bytes { parts.append("\(Humanized.timeLeft(.seconds((size - bytes) / rate))) left") }
    }
    return parts.isEmpty ? text : "\(text); \(parts.joined(separator: ", "))"
  }
}

/// Texts in columns.
enum TextTable {
  /// Pads all columns but the last one to the width of their widest text.
  static func fitted(_ rows: [[String]]) -> [String] {
    var widths: [Int] = []
    for row in rows {
      for (index, text) in row.enumerated() {
        if index == widths.count { widths.append(0) }
        widths[index] = max(widths[index], DisplayWidth.of(text))
      }
    }
    return rows.map { row in
      row.enumerated().map { index, text in
        index == row.count - 1 ? text : DisplayWidth.fitted(text, to: widths[index], ellipsis: "")
      }.joined(separator: "  ")
    }
  }
}
