internal import DownloadCore
internal import DownloadWords

/// The lines of `ctl watch` on the whole screen.
///
/// ```
/// night  12/100 files  45%   361 MiB/s  2:10-3:40 left  1.2 GiB of 3.4 GiB ▁▂▅▇
/// failed 1  running 3  verifying 0  waiting 84  paused 0  cancelled 0  succeeded 12
/// ▸  1 running   45%  1.2 GiB  120 MiB/s x16 debian.iso        │ hosts …
/// ```
///
/// Numbers have columns of fixed width. From 100 columns on there is a right column with hosts, the map of the chosen file
/// and the last ends; from 60 on the map and the ends are below the list; narrower screens have the first line and the list.
package struct WatchFrame {
  private let size: Terminal.Size
  private let style: WatchStyle

  static let leastWithPanel = 100
  static let leastWithFoot = 60

  package init(size: Terminal.Size, style: WatchStyle) { (self.size, self.style) = (size, style) }

  /// The terminal's last column stays free, so that no terminal wraps.
  private var width: Int { max(1, size.columns - 1) }
  private var hasPanel: Bool { size.columns >= Self.leastWithPanel }
  private var hasFoot: Bool { size.columns >= Self.leastWithFoot }
  private var panelWidth: Int { hasPanel ? max(38, width * 2 / 5) : 0 }

  /// At most as many lines as the screen has rows, none wider than the screen.
  package func lines(_ picture: WatchPicture, _ view: WatchView) -> [String] {
    var head = [totals(picture)]
    if hasFoot { head.append(states(picture)) }
    if let note = picture.note { head.append(style.begin(note, to: width)) }
    head = Array(head.prefix(max(1, size.rows - 1)))
    let foot = size.rows > head.count + 1 ? [style.begin(view.message ?? WatchView.hint, to: width)] : []
    let room = max(0, size.rows - head.count - foot.count)
    return head + body(picture, view, rows: room) + foot
  }

  private func body(_ picture: WatchPicture, _ view: WatchView, rows: Int) -> [String] {
    if view.showsHelp { return padded(WatchView.help.map { style.begin($0, to: width) }, to: rows) }
    let chosen = picture.tasks.first { $0.id == view.chosen }
    if hasPanel {
      let listWidth = width - panelWidth - 3
      let panel = WatchPanel(style: style, width: panelWidth).lines(picture, chosen, rows: rows)
      let list = list(picture, view, width: listWidth, rows: rows)
      let bar = style.isUnicode ? " │ " : " | "
      let blank = String(repeating: " ", count: listWidth)
      let left = list + Array(repeating: blank, count: max(0, rows - list.count))
      return zip(left, padded(panel, to: rows)).map { $0 + bar + $1 }
    }
    var below: [String] = []
    if hasFoot, rows >= 12 {
      let panel = WatchPanel(style: style, width: width)
      if let chosen { below += panel.map(of: chosen, picture) }
      below += padded(panel.events(picture, rows: 3), to: 3)
    }
    return padded(list(picture, view, width: width, rows: rows - below.count), to: rows - below.count) + below
  }

  private func padded(_ lines: [String], to count: Int) -> [String] {
    Array(lines.prefix(max(0, count))) + Array(repeating: "", count: max(0, count - lines.count))
  }

  // MARK: The head

  /// Parts of the first line, of which those of the highest order are left out if there is no room.
  private func totals(_ picture: WatchPicture) -> String {
    let done = picture.count(of: "succeeded")
    let total = String(picture.fileCount)
    let percent = Humanized.percent(picture.bytes, of: picture.size) ?? ""
    let left = WatchStyle.text(picture.timeLeft)
    let sizes =
      "\(WatchStyle.right(Humanized.size(picture.bytes), 7)) of "
      + WatchStyle.right(picture.size.map(Humanized.size) ?? "?", 7)
    var parts: [(text: String, order: Int)] = [
      (style.cut(picture.session, to: max(6, width / 6)), 0),
      ("\(WatchStyle.right(String(done), total.count))/\(total) files", 1),
      (WatchStyle.right(percent, 4), 2),
      (WatchStyle.right(Humanized.rate(Double(picture.rate)), 9), 3),
      (WatchStyle.right(left, WatchStyle.timeWidth) + (left.isEmpty ? "     " : " left"), 5),
      (sizes, 6),
    ]
    if picture.isPaused { parts.append(("paused", 4)) }
    if picture.process == nil { parts.append(("no process", 4)) }
    func joined() -> String { parts.map(\.text).joined(separator: "  ") }
    while DisplayWidth.of(joined()) > width, parts.count > 1 {
      let last = parts.map(\.order).max()
      parts.removeAll { $0.order == last }
    }
    let room = width - DisplayWidth.of(joined()) - 2
    let line = joined() + (room >= 8 ? "  " + style.sparkline(picture.rates, width: min(room, 60)) : "")
    return style.begin(line, to: width)
  }

  private func states(_ picture: WatchPicture) -> String {
    let digits = String(picture.fileCount).count
    let texts = picture.counts.map { "\($0.state) \(WatchStyle.right(String($0.count), digits))" }
    return style.begin(texts.joined(separator: "  "), to: width)
  }

  // MARK: The list

  private func list(_ picture: WatchPicture, _ view: WatchView, width: Int, rows: Int) -> [String] {
    guard rows > 0 else { return [] }
    if picture.tasks.isEmpty { return [style.fitted("no tasks", to: width)] }
    let hidden = picture.fileCount - Int64(picture.tasks.count)
    let room = hidden > 0 && rows > 1 ? rows - 1 : rows
    let chosen = picture.tasks.firstIndex { $0.id == view.chosen } ?? 0
    let start = max(0, min(chosen - room / 2, picture.tasks.count - room))
    let columns = WatchColumns(picture.tasks, width: width)
    var lines = picture.tasks[start..<min(start + room, picture.tasks.count)].map { task in
      let isChosen = task.id == view.chosen
      let line = style.fitted(columns.line(task, isChosen: isChosen, style), to: width)
      return isChosen && style.hasColours ? "\u{1b}[7m\(line)\u{1b}[m" : line
    }
    if hidden > 0, rows > 1 { lines.append(style.fitted("\(style.ellipsis) and \(hidden) more", to: width)) }
    return lines
  }
}

/// Which columns a task's line has, by the width of the list. None depends on numbers that grow.
struct WatchColumns {
  private let width: Int
  private let numberWidth: Int
  private let hasState: Bool
  private let hasSize: Bool
  private let hasConnections: Bool

  private static let stateWidth = 9
  private static let leastNameWidth = 12

  init(_ tasks: [WatchPicture.Task], width: Int) {
    self.width = width
    numberWidth = max(3, String(tasks.map(\.number).max() ?? 0).count)
    // Mark, number, percent, rate and name are always there.
    var rest = width - (2 + numberWidth + 2 + 4 + 2 + 9 + 2 + Self.leastNameWidth)
    func take(_ count: Int) -> Bool {
      guard rest >= count else { return false }
      rest -= count
      return true
    }
    hasState = take(Self.stateWidth + 2)
    hasSize = take(9)
    hasConnections = take(6)
  }

  func line(_ task: WatchPicture.Task, isChosen: Bool, _ style: WatchStyle) -> String {
    var parts = ["\(isChosen ? style.mark : " ") \(WatchStyle.right(String(task.number), numberWidth))"]
    if hasState { parts.append(style.fitted(task.state, to: Self.stateWidth)) }
    let percent = task.state == "succeeded" ? "100%" : Humanized.percent(task.bytes, of: task.size) ?? ""
    parts.append(WatchStyle.right(percent, 4))
    if hasSize {
      let size = task.size ?? (task.bytes > 0 ? task.bytes : nil)
      parts.append(WatchStyle.right(size.map(Humanized.size) ?? "", 7))
    }
    parts.append(WatchStyle.right(task.rate > 0 ? Humanized.rate(Double(task.rate)) : "", 9))
    if hasConnections { parts.append(style.fitted(task.connections > 0 ? "x\(task.connections)" : "", to: 4)) }
    let start = parts.joined(separator: "  ") + "  "
    let room = max(0, width - DisplayWidth.of(start))
    guard !task.reason.isEmpty, task.rate == 0 else { return start + style.cut(task.name, to: room) }
    // The reason gets what the name leaves, and at least half.
    let nameWidth = max(room - DisplayWidth.of(task.reason) - 2, room / 2)
    let name = style.cut(task.name, to: nameWidth)
    return style.begin("\(start)\(name)  \(task.reason)", to: width)
  }
}
