package import DownloadCore
internal import DownloadWords

/// The lines of one frame of the live display, without cursor movement.
///
/// ```
/// debian-12.iso      [========>         ]  45%  1.2 GiB   361 MiB/s    0:42  x16
/// … and 3 more
/// https://example.org asks for a pause: 0:42 left
/// 2/10 files, 1.9 GiB of 4.1 GiB, 361 MiB/s, ~1:20 left, 24 connections
/// ```
///
/// Lines above the frame stay visible: it takes two thirds of a screen at most.
package struct BarFrame {
  private let size: Terminal.Size
  private let isUnicode: Bool
  private let hasColours: Bool
  private let showsConnections: Bool
  /// The last line; nil is none.
  private let prompt: String?

  package init(
    size: Terminal.Size, isUnicode: Bool, hasColours: Bool = false, showsConnections: Bool = true,
    prompt: String? = nil
  ) {
    (self.size, self.isUnicode, self.hasColours) = (size, isUnicode, hasColours)
    (self.showsConnections, self.prompt) = (showsConnections, prompt)
  }

  private var layout: BarLayout { BarLayout(columns: size.columns) }
  private var ellipsis: String { isUnicode ? "…" : "..." }

  /// Hosts that have a line.
  private static let mostHosts = 3

  /// Lines that active files and hosts may have. Some of the screen is left to what has been told.
  private var room: Int { max(0, size.rows - max(2, min(8, size.rows / 3)) - (prompt == nil ? 0 : 1)) }

  /// The lines of hosts that keep requests waiting, where files have lines, too.
  private func hostLines(_ run: RunProgress) -> [String] {
    run.limitingHosts.prefix(min(Self.mostHosts, room / 2)).map { cut(Diagnostic.escaped(NoticeMessages.text($0))) }
  }

  /// Active files that have a line of their own; a line tells how many others there are. Files that wait for a host with
  /// a line have none.
  private func shownFiles(_ run: RunProgress) -> [FileProgress] {
    let hostCount = hostLines(run).count
    let files = run.active.filter { file in
      hostCount == 0 || file.connectionCount > 0 || file.doneByteCount > 0
        || ![.waiting, .retrying].contains(file.phase)
    }
    let free = room - hostCount
    return files.count == run.active.count && files.count <= free ? files : Array(files.prefix(max(0, free - 1)))
  }

  /// The columns that the names of the files want, as far as they are shown.
  package func nameWidth(of run: RunProgress) -> Int {
    layout.nameWidth(shownFiles(run).map { DisplayWidth.of(Diagnostic.escaped($0.name)) })
  }

  /// At least one line and at most one fewer than the rows of the screen; no line is wider than the screen. Only bars have
  /// control sequences.
  ///
  /// - Parameter nameWidth: at least what `nameWidth(of:)` gives; nil is that.
  package func lines(
    _ run: RunProgress, itemCount: Int?, forecast: Forecast, silences: Silences = Silences(), nameWidth: Int? = nil
  ) -> [String] {
    let total = itemCount ?? run.itemCount
    let shown = shownFiles(run)
    let columns = layout.columns(nameWidth: nameWidth ?? self.nameWidth(of: run))
    var lines = shown.map { line($0, forecast.timeLeft(of: $0.task), silences.silence(of: $0.task), columns) }
    let hidden = run.active.count - shown.count
    if hidden > 0, room > 0 { lines.append(cut("\(ellipsis) and \(hidden) more")) }
    lines += hostLines(run)
    // A single file needs no total.
    if total != 1 || lines.isEmpty && prompt == nil {
      let left = forecast.timeLeft.map { (forecast.isGuess ? "~" : "") + Humanized.timeLeft($0) }
      lines.append(totalLine(run, itemCount: total, timeLeft: left))
    }
    if let prompt, lines.isEmpty || size.rows > 2 { lines.append(cut(prompt)) }
    return lines
  }

  private func line(
    _ file: FileProgress, _ timeLeft: Duration?, _ silence: Duration?, _ columns: [BarLayout.Placed]
  ) -> String {
    var parts: [String] = []
    let timeWidth = columns.first { $0.column == .timeLeft }.map { BarLayout.gap.utf8.count + $0.width }
    for (column, width) in columns {
      switch column {
      case .rate where silence != nil:
        let time = timeWidth == nil ? nil : silence.map { " for \(Humanized.timeLeft($0))" }
        parts.append(right("no data" + (time ?? ""), width + (timeWidth ?? 0)))
      case .timeLeft where silence != nil: break
      case .name: parts.append(DisplayWidth.fitted(Diagnostic.escaped(file.name), to: width, ellipsis: ellipsis))
      case .bar: parts.append(bar(file, width: width))
      case .percent: parts.append(right(Humanized.percent(file.doneByteCount, of: file.completeLength) ?? "", width))
      case .size: parts.append(right(Humanized.size(file.completeLength ?? file.doneByteCount), width))
      case .rate: parts.append(right(state(file), width))
      case .timeLeft: parts.append(right(file.phase == .receiving ? timeLeft.map(Humanized.timeLeft) ?? "" : "", width))
      case .connections: parts.append(file.connectionCount > 0 ? "x\(file.connectionCount)" : "")
      }
    }
    guard hasColours, let place = columns.firstIndex(where: { $0.column == .bar }), place < parts.count else {
      return cut(parts.joined(separator: BarLayout.gap))
    }
    // A line with a bar is no wider than the screen.
    parts[place] = coloured(parts[place])
    return trimmed(parts.joined(separator: BarLayout.gap))
  }

  /// Green, as far as it is filled.
  private func coloured(_ bar: String) -> String {
    guard hasColours else { return bar }
    let filled = bar.dropFirst().prefix { "█=>".contains($0) }
    if filled.isEmpty { return bar }
    return "\(bar.prefix(1))\u{1b}[32m\(filled)\u{1b}[m\(bar.dropFirst(1 + filled.count))"
  }

  /// The rate while bytes arrive, else what the file waits for.
  private func state(_ file: FileProgress) -> String {
    file.phase == .receiving ? Humanized.rate(file.rate) : file.phase.rawValue
  }

  /// Blank where the length is unknown; the size to the right shows progress then.
  private func bar(_ file: FileProgress, width: Int) -> String {
    guard let length = file.completeLength, length > 0 else { return String(repeating: " ", count: width) }
    return bar(file.doneByteCount, of: length, width: width)
  }

  private func bar(_ done: Int64, of length: Int64, width: Int) -> String {
    let inner = width - 2
    let filled = inner * Humanized.hundredths(done, of: length) / 100
    if isUnicode {
      return "▕" + String(repeating: "█", count: filled) + String(repeating: " ", count: inner - filled) + "▏"
    }
    let tip = filled > 0 && filled < inner ? ">" : ""
    return "[" + String(repeating: "=", count: filled - tip.utf8.count) + tip
      + String(repeating: " ", count: inner - filled) + "]"
  }

  /// Without the parts that do not fit, of which the last in `order` go first.
  private func totalLine(_ run: RunProgress, itemCount: Int?, timeLeft: String?) -> String {
    let finished = run.downloadedCount + run.keptCount
    let unstarted = (itemCount ?? 0) - finished - run.failedCount - run.active.count
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
      if text.utf8.count <= layout.width || parts.count == 1 { return cut(text) + runBar(run, itemCount, behind: text) }
      let last = parts.map(\.order).max()
      parts.removeAll { $0.order == last }
    }
  }

  /// The bar of the whole run behind the text of the last line, if there is room: by bytes once all lengths are known, by
  /// files before that.
  private func runBar(_ run: RunProgress, _ itemCount: Int?, behind text: String) -> String {
    guard let width = layout.runBarWidth, let itemCount, itemCount > 0 else { return "" }
    let space = layout.width - text.utf8.count - width
    guard space >= BarLayout.gap.utf8.count else { return "" }
    let ended = run.downloadedCount + run.keptCount + run.failedCount
    let (done, length): (Int64, Int64) =
      if let known = run.knownByteCount, known > 0, ended + run.active.count >= itemCount {
        (run.doneByteCount, known)
      } else {
        (Int64(ended), Int64(itemCount))
      }
    return String(repeating: " ", count: space) + coloured(bar(done, of: length, width: width))
  }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }

  private func cut(_ text: String) -> String {
    let width = layout.width
    return trimmed(DisplayWidth.of(text) <= width ? text : DisplayWidth.truncated(text, to: width, ellipsis: ellipsis))
  }

  private func trimmed(_ text: String) -> String {
    var text = text
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}
