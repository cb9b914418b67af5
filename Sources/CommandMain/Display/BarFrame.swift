internal import DownloadCore
internal import DownloadWords

/// The lines of one frame of the live display, without cursor movement.
///
/// ```
/// debian-12.iso      [========>         ]  45%  1.2 GiB   361 MiB/s    0:42  x16
/// … and 3 more
/// 2/10 files, 1.9 GiB of 4.1 GiB, 361 MiB/s, ~1:20 left, 24 connections
/// ```
struct BarFrame {
  let size: Terminal.Size
  let isUnicode: Bool
  var showsConnections = true

  private var layout: BarLayout { BarLayout(columns: size.columns) }
  private var ellipsis: String { isUnicode ? "…" : "..." }

  /// Active files that have a line of their own; a line tells how many others there are.
  private func shownCount(_ count: Int) -> Int {
    let room = max(0, size.rows - 2)
    return count <= room ? count : max(0, room - 1)
  }

  /// The columns that the names of these files want, as far as they are shown.
  func nameWidth(of files: [FileProgress]) -> Int {
    layout.nameWidth(files.prefix(shownCount(files.count)).map { DisplayWidth.of(Diagnostic.escaped($0.name)) })
  }

  /// At least one line and at most one fewer than the rows of the screen; no line is wider than the screen.
  ///
  /// - Parameter nameWidth: at least what `nameWidth(of:)` gives; nil is that.
  func lines(_ run: RunProgress, itemCount: Int?, forecast: Forecast, nameWidth: Int? = nil) -> [String] {
    let total = itemCount ?? run.itemCount
    let shown = shownCount(run.active.count)
    let columns = layout.columns(nameWidth: nameWidth ?? self.nameWidth(of: run.active))
    var lines = run.active.prefix(shown).map { line($0, forecast.timeLeft(of: $0.task), columns) }
    let hidden = run.active.count - shown
    if hidden > 0, size.rows > 2 { lines.append(cut("\(ellipsis) and \(hidden) more")) }
    // A single file needs no total.
    if total != 1 || lines.isEmpty {
      let left = forecast.timeLeft.map { (forecast.isGuess ? "~" : "") + Humanized.timeLeft($0) }
      lines.append(cut(totalLine(run, itemCount: total, timeLeft: left)))
    }
    return lines
  }

  private func line(_ file: FileProgress, _ timeLeft: Duration?, _ columns: [BarLayout.Placed]) -> String {
    var parts: [String] = []
    for (column, width) in columns {
      switch column {
      case .name: parts.append(DisplayWidth.fitted(Diagnostic.escaped(file.name), to: width, ellipsis: ellipsis))
      case .bar: parts.append(bar(file, width: width))
      case .percent: parts.append(right(Humanized.percent(file.doneByteCount, of: file.completeLength) ?? "", width))
      case .size: parts.append(right(Humanized.size(file.completeLength ?? file.doneByteCount), width))
      case .rate: parts.append(right(state(file), width))
      case .timeLeft: parts.append(right(file.phase == .receiving ? timeLeft.map(Humanized.timeLeft) ?? "" : "", width))
      case .connections: parts.append(file.connectionCount > 0 ? "x\(file.connectionCount)" : "")
      }
    }
    return cut(parts.joined(separator: BarLayout.gap))
  }

  /// The rate while bytes arrive, else what the file waits for.
  private func state(_ file: FileProgress) -> String {
    file.phase == .receiving ? Humanized.rate(file.rate) : file.phase.rawValue
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

  /// Without the parts that do not fit, of which the last in `order` go first.
  private func totalLine(_ run: RunProgress, itemCount: Int?, timeLeft: String?) -> String {
    let finished = run.downloadedCount + run.keptCount + run.failedCount
    let unstarted = (itemCount ?? 0) - finished - run.active.count
    var bytes = Humanized.size(run.doneByteCount)
    if let known = run.knownByteCount, unstarted <= 0, itemCount != nil { bytes += " of \(Humanized.size(known))" }
    // In the order in which they are shown.
    var parts: [(text: String, order: Int)] = [
      (itemCount.map { "\(finished)/\($0) files" } ?? "\(finished) files", 0),
      (bytes, 4),
      (Humanized.rate(run.rate), 2),
    ]
    if let timeLeft { parts.append(("\(timeLeft) left", 3)) }
    if showsConnections {
      parts.append((Humanized.count(run.connectionCount, "connection"), 5))
    }
    if run.failedCount > 0 { parts.append(("\(run.failedCount) failed", 1)) }
    while true {
      let text = parts.map(\.text).joined(separator: ", ")
      guard text.utf8.count > layout.width, parts.count > 1, let last = parts.map(\.order).max() else { return text }
      parts.removeAll { $0.order == last }
    }
  }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }

  private func cut(_ text: String) -> String {
    let width = layout.width
    var text = DisplayWidth.of(text) <= width ? text : DisplayWidth.truncated(text, to: width, ellipsis: ellipsis)
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}
