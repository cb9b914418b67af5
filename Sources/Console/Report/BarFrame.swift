import DownloadCore

/// The lines of one frame of the live display, without cursor movement.
///
/// ```
/// debian-12.iso      [========>         ]  45%  1.2 GiB   361 MiB/s   0:42  x16
/// … and 3 more
/// 2/10 files, 1.9 GiB of 4.1 GiB, 361 MiB/s, ~1:20 left, 24 connections
/// ```
struct BarFrame {
  let size: Terminal.Size
  let isUnicode: Bool

  /// The last column stays free, so that no terminal wraps.
  private var width: Int { max(1, size.columns - 1) }
  private var ellipsis: String { isUnicode ? "…" : "..." }

  /// At least one line and at most one fewer than the rows of the screen; no line is wider than the screen.
  func lines(_ run: RunProgress, itemCount: Int?) -> [String] {
    let total = itemCount ?? run.itemCount
    let room = max(0, size.rows - 2)
    var shown = run.active.count
    if shown > room { shown = max(0, room - 1) }
    let files = run.active.prefix(shown)
    let nameWidth = nameWidth(files.map { DisplayWidth.of(Diagnostic.escaped($0.name)) })
    var lines = files.map { line($0, nameWidth: nameWidth) }
    let hidden = run.active.count - shown
    if hidden > 0, room > 0 { lines.append(cut("\(ellipsis) and \(hidden) more")) }
    // A single file needs no total.
    if total != 1 || lines.isEmpty { lines.append(cut(totalLine(run, itemCount: total))) }
    return lines
  }

  /// The columns right of the name, each after two spaces.
  private enum Column { static let percent = 4, size = 7, rate = 10, left = 6, connections = 4 }

  private var showsLeft: Bool { width >= 58 }
  private var showsRate: Bool { width >= 40 }
  private var figuresWidth: Int {
    var sum = 2 + Column.percent
    if width >= 30 { sum += 2 + Column.size }
    if showsRate { sum += 2 + Column.rate }
    if showsLeft { sum += 4 + Column.left + Column.connections }
    return sum
  }

  private func nameWidth(_ widths: [Int]) -> Int {
    let available = width - figuresWidth
    if available < 24 { return max(0, available) }
    // The bar gets the width that names leave, at least ten columns and its brackets.
    return max(10, min(widths.max() ?? 0, available - 14))
  }

  private func line(_ file: FileProgress, nameWidth: Int) -> String {
    let barWidth = min(42, width - figuresWidth - nameWidth - 2)
    let part = DisplayWidth.fitted(Diagnostic.escaped(file.name), to: nameWidth, ellipsis: ellipsis)
    var text = part
    if barWidth >= 10 { text += "  " + bar(file, width: barWidth) }
    text += "  " + right(Humanized.percent(file.doneByteCount, of: file.completeLength) ?? "", Column.percent)
    if width >= 30 { text += "  " + right(Humanized.size(file.completeLength ?? file.doneByteCount), Column.size) }
    if showsRate { text += "  " + right(state(file), Column.rate) }
    if showsLeft {
      text += "  " + right(timeLeft(file), Column.left)
      text += "  " + (file.connectionCount > 0 ? "x\(file.connectionCount)" : "")
    }
    return cut(text)
  }

  /// The rate while bytes arrive, else what the file waits for.
  private func state(_ file: FileProgress) -> String {
    file.phase == .receiving ? Humanized.rate(file.rate) : file.phase.rawValue
  }

  private func timeLeft(_ file: FileProgress) -> String {
    guard file.phase == .receiving, let length = file.completeLength else { return "" }
    let (missing, _) = length.subtractingReportingOverflow(file.doneByteCount)
    return Humanized.timeLeft(byteCount: max(0, missing), rate: file.rate)
  }

  /// Blank where the length is unknown; the size to the right shows progress then.
  private func bar(_ file: FileProgress, width: Int) -> String {
    guard let length = file.completeLength, length > 0 else { return String(repeating: " ", count: width) }
    let inner = width - 2
    let filled = inner * Humanized.hundredths(file.doneByteCount, of: length) / 100
    if isUnicode {
      return "▕" + String(repeating: "█", count: filled) + String(repeating: " ", count: inner - filled) + "▏"
    }
    let tip = filled > 0 && filled < inner ? ">" : ""
    return "[" + String(repeating: "=", count: filled - tip.utf8.count) + tip
      + String(repeating: " ", count: inner - filled) + "]"
  }

  private func totalLine(_ run: RunProgress, itemCount: Int?) -> String {
    let finished = run.downloadedCount + run.keptCount + run.failedCount
    var text = itemCount.map { "\(finished)/\($0) files" } ?? "\(finished) files"
    text += ", \(Humanized.size(run.doneByteCount))"
    let unstarted = (itemCount ?? 0) - finished - run.active.count
    if let known = run.knownByteCount, unstarted <= 0, itemCount != nil { text += " of \(Humanized.size(known))" }
    text += ", \(Humanized.rate(run.rate))"
    if let left = timeLeft(run, started: finished + run.active.count, unstarted: unstarted, itemCount: itemCount) {
      text += ", \(left) left"
    }
    text += ", \(run.connectionCount) \(run.connectionCount == 1 ? "connection" : "connections")"
    if run.failedCount > 0 { text += ", \(run.failedCount) failed" }
    return text
  }

  /// Assumes that items that have not started have the average length of the others, and marks the estimate.
  private func timeLeft(_ run: RunProgress, started: Int, unstarted: Int, itemCount: Int?) -> String? {
    guard let known = run.knownByteCount, itemCount != nil, started > 0, run.rate >= 1 else { return nil }
    let guess = unstarted > 0 ? Double(known) / Double(started) * Double(unstarted) : 0
    let left = Humanized.integer(Double(known) - Double(run.doneByteCount) + guess)
    return (unstarted > 0 ? "~" : "") + Humanized.timeLeft(byteCount: max(0, left), rate: run.rate)
  }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }

  private func cut(_ text: String) -> String {
    var text = DisplayWidth.of(text) <= width ? text : DisplayWidth.truncated(text, to: width, ellipsis: ellipsis)
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}
