import DownloadCore
import DownloadWords
import Testing

@testable import CommandDisplay

@Suite struct `The screen of ctl watch` {
  private static let states = ["failed", "running", "verifying", "waiting", "paused", "cancelled", "succeeded"]

  /// A session of `count` tasks, of which at most 1,000 have a line.
  private func picture(_ count: Int, scale: Int64 = 1) -> WatchPicture {
    var picture = WatchPicture()
    (picture.session, picture.process, picture.fileCount) = ("night", 4711, Int64(count))
    picture.counts = Self.states.map { .init($0, $0 == "running" ? 3 : $0 == "waiting" ? Int64(count) - 3 : 0) }
    (picture.bytes, picture.size, picture.rate) = (123_456 * scale, 9_876_543 * scale, 1_234_567 * scale)
    for second in 0..<40 { picture.rates.add(Int64(1_000_000 + second % 7 * 100_000) * scale) }
    picture.tasks = (0..<min(count, 1000)).map { index in
      var task = WatchPicture.Task()
      (task.id, task.number) = ("id\(index)", Int64(index + 1))
      task.name = index % 5 == 0 ? "日本語のとても長いファイル名がここにあります\(index).tar.gz" : "file-\(index).iso"
      task.state = index < 3 ? "running" : "waiting"
      (task.bytes, task.size) = (100 * scale * Int64(index + 1), 100_000 * scale)
      if index < 3 { (task.rate, task.connections) = (400_000 * scale, 16) } else { task.reason = "for a free place" }
      return task
    }
    var host = WatchPicture.WatchedHost()
    (host.name, host.connections, host.limit, host.rate) = ("https://mirror.example.org", 16, 64, 1_234_567 * scale)
    picture.hosts = [host]
    host.name = "https://b.example"
    (host.pause, host.requestRate) = (.seconds(42), 2.5)
    picture.hosts.append(host)
    picture.map = .init(task: "id0", ranges: [0..<10_000, 60_000..<70_000])
    picture.events = [
      .init(number: 1, text: "12:00:00 9 failed x: 404"), .init(number: 2, text: "12:00:01 8 succeeded y"),
    ]
    return picture
  }

  private func lines(
    _ picture: WatchPicture, columns: Int, rows: Int = 24, isUnicode: Bool = true, _ keys: String = ""
  ) -> [String] {
    var view = WatchView()
    view.adjust(to: picture)
    for byte in keys.utf8 { _ = view.typed(.other(byte), picture) }
    return WatchFrame(
      size: .init(columns: columns, rows: rows), style: WatchStyle(isUnicode: isUnicode, hasColours: false)
    )
    .lines(picture, view)
  }

  @Test(arguments: [3, 50, 100_000], [20, 40, 60, 80, 100, 120, 200])
  func `it fits the screen`(count: Int, columns: Int) {
    for rows in [1, 2, 5, 12, 24, 60] {
      let lines = lines(picture(count), columns: columns, rows: rows)
      #expect(lines.count <= rows && !lines.isEmpty, "\(columns)x\(rows)")
      for line in lines { #expect(DisplayWidth.of(line) < columns, "\(columns)x\(rows): \(line)") }
    }
  }

  @Test func `narrow screens have the first line and the list, wide ones the right column`() {
    let picture = picture(50)
    let narrow = lines(picture, columns: 40)
    #expect(narrow[0].hasPrefix("night   0/50 files") && narrow[1].hasPrefix("▸   1"), "\(narrow)")
    #expect(!narrow.contains { $0.contains("hosts") || $0.contains("waiting 47") })
    let usual = lines(picture, columns: 80)
    #expect(usual[1].contains("running  3  ") && !usual.contains { $0.contains("hosts") }, "\(usual)")
    #expect(usual.contains { $0.contains("█") && $0.contains("·") } && usual.contains { $0.contains("x: 404") })
    let wide = lines(picture, columns: 200)
    #expect(
      wide.contains { $0.contains(" │ hosts") } && wide.contains { $0.contains("42 left") || $0.contains("0:42") })
    #expect(wide.contains { $0.contains("allows 2.5 requests/s") }, "\(wide)")
  }

  @Test(arguments: [40, 80, 120, 200]) func `nothing moves when numbers grow`(columns: Int) {
    func places(_ scale: Int64) -> [[Int]] {
      lines(picture(50, scale: scale), columns: columns).map { line in
        // Where the names of tasks and the words of the first lines begin.
        ["file-", "files", "waiting", "│", "running"].compactMap { word in
          line.ranges(of: word).first.map { line.distance(from: line.startIndex, to: $0.lowerBound) }
        }
      }
    }
    let first = places(1)
    for scale: Int64 in [10, 900, 12_345, 1_000_000] { #expect(places(scale) == first, "\(scale)") }
  }

  @Test(arguments: [40, 80, 120]) func `without Unicode it is ASCII`(columns: Int) {
    var picture = picture(50)
    for index in picture.tasks.indices { picture.tasks[index].name = "n\(index)" }
    for line in lines(picture, columns: columns, isUnicode: false) {
      #expect(line.utf8.allSatisfy { $0 < 0x80 }, "\(line)")
    }
    #expect(lines(picture, columns: columns, isUnicode: false).contains { $0.hasPrefix(">   1") })
  }

  @Test func `a large session says how much is not shown`() {
    let lines = lines(picture(100_000), columns: 80)
    #expect(lines.contains { $0.hasPrefix("… and 99000 more") }, "\(lines)")
  }

  @Test func `the chosen file is always in view`() {
    let picture = picture(1000)
    for keys in ["G", "Gkkk", "jjjjjjjjjjjjjjjjjjjjjjjjjjjjjj"] {
      #expect(lines(picture, columns: 80, keys).contains { $0.hasPrefix("▸") }, "\(keys)")
    }
    #expect(lines(picture, columns: 80, "?").contains("Keys"))
  }

  // MARK: Keys

  @Test func `bytes of a terminal are keys`() {
    #expect(
      WatchView.keys(Array("q\u{1b}[A\u{1b}OBx\u{1b}[5~\u{1b}[6~\u{1b}[H\u{1b}[F".utf8))
        == [.other(0x71), .up, .down, .other(0x78), .pageUp, .pageDown, .first, .last])
    #expect(WatchView.keys(Array("\u{1b}\u{1b}[1;5Cj".utf8)) == [.other(0x6a)])
  }

  @Test func `p pauses what runs, resumes what is paused, and explains what has ended`() {
    var picture = picture(3)
    picture.tasks[1].state = "paused"
    picture.tasks[2].state = "succeeded"
    var view = WatchView()
    view.adjust(to: picture)
    let p = WatchView.Key.other(UInt8(ascii: "p"))
    #expect(view.typed(p, picture) == .change(.pause, "id0"))
    _ = view.typed(.down, picture)
    #expect(view.typed(p, picture) == .change(.resume, "id1"))
    _ = view.typed(.down, picture)
    #expect(view.typed(p, picture) == nil && view.message?.contains("has ended") == true)
    #expect(view.typed(.other(UInt8(ascii: "r")), picture) == .change(.retry, "id2"))
    #expect(view.typed(.other(UInt8(ascii: "q")), picture) == .leave)
  }

  @Test(arguments: [(UInt8(ascii: "c"), WatchView.Change.cancel), (UInt8(ascii: "d"), .remove)])
  func `what cannot be taken back needs the same key twice, for the same file`(
    byte: UInt8, change: WatchView.Change
  ) {
    var picture = picture(3)
    var view = WatchView()
    view.adjust(to: picture)
    let key = WatchView.Key.other(byte)
    #expect(view.typed(key, picture) == nil && view.message?.contains("file \(picture.tasks[0].number)") == true)
    for other in [WatchView.Key.down, .up, .other(byte ^ 7), .other(UInt8(ascii: "?"))] {
      #expect(view.typed(other, picture) == nil && view.typed(key, picture) == nil, "\(other) is no confirmation")
    }
    // The chosen file is gone meanwhile.
    picture.tasks.removeFirst()
    view.adjust(to: picture)
    #expect(view.typed(key, picture) == nil)
    #expect(view.typed(key, picture) == .change(change, "id1"))
    #expect(view.typed(key, picture) == nil, "once")
    picture.tasks[0].state = "succeeded"
    _ = view.typed(.other(UInt8(ascii: "x")), picture)
    #expect(view.typed(key, picture) == nil && view.message?.isEmpty == false)
    #expect((view.typed(key, picture) != nil) == (change == .remove))
  }

  @Test func `another file is chosen when the chosen one is gone`() {
    var picture = picture(3)
    var view = WatchView()
    view.adjust(to: picture)
    _ = view.typed(.last, picture)
    #expect(view.chosen == "id2")
    picture.tasks.removeLast()
    view.adjust(to: picture)
    #expect(view.chosen == "id0")
  }
}

@Suite struct `What the screen says of time` {
  @Test func `the time left is a range, as wide as the rates differ`() {
    var history = RateHistory()
    #expect(history.timeLeft(for: 1000) == nil)
    for _ in 0..<60 { history.add(100) }
    #expect(history.timeLeft(for: 1000) == TimeRange(least: .seconds(10), most: .seconds(10)))
    for index in 0..<60 { history.add(index % 2 == 0 ? 50 : 200) }
    #expect(history.timeLeft(for: 1000) == TimeRange(least: .seconds(5), most: .seconds(20)))
    for _ in 0..<30 { history.add(0) }
    #expect(history.timeLeft(for: 1000)?.most == nil)
    for _ in 0..<60 { history.add(0) }
    #expect(history.timeLeft(for: 1000) == nil)
  }

  @Test func `its text has a bound`() {
    #expect(WatchStyle.text(nil) == "")
    #expect(WatchStyle.text(TimeRange(least: .seconds(10), most: .seconds(10))) == "0:10")
    #expect(WatchStyle.text(TimeRange(least: .seconds(130), most: .seconds(220))) == "2:10-3:40")
    #expect(WatchStyle.text(TimeRange(least: .seconds(130), most: nil)) == "over 2:10")
    for seconds in [1, 100, 10_000, 1_000_000, 100_000_000] {
      let text = WatchStyle.text(TimeRange(least: .seconds(seconds), most: .seconds(seconds * 3)))
      #expect(text.count <= WatchStyle.timeWidth, "\(text)")
    }
  }

  @Test func `the map shows what is written`() {
    let style = WatchStyle(isUnicode: false, hasColours: false)
    #expect(style.map([], of: 100, width: 10) == "..........")
    #expect(style.map([0..<100], of: 100, width: 10) == "##########")
    #expect(style.map([0..<35, 90..<91], of: 100, width: 10) == "###+.....+")
    #expect(style.map([0..<2], of: 3, width: 6) == "####..")
  }

  @Test func `progress goes to terminals that show it`() {
    func isUnderstood(_ environment: [String: String]) -> Bool { ProgressSignal.isUnderstood { environment[$0] } }
    #expect(!isUnderstood([:]) && !isUnderstood(["TERM": "xterm-256color"]))
    #expect(isUnderstood(["WT_SESSION": "x"]) && isUnderstood(["TERM_PROGRAM": "ghostty"]))
    #expect(isUnderstood(["KONSOLE_VERSION": "260400"]) && !isUnderstood(["KONSOLE_VERSION": "251203"]))
    #expect(isUnderstood(["VTE_VERSION": "8000"]) && !isUnderstood(["VTE_VERSION": "7006"]))
    #expect(isUnderstood(["TERM_PROGRAM": "iTerm.app", "TERM_FEATURES": "T3LrMSc7P"]))
    #expect(!isUnderstood(["TERM_PROGRAM": "iTerm.app", "TERM_FEATURES": "T3LrMSc7"]))
    #expect(!isUnderstood(["TERM_PROGRAM": "ghostty", "TMUX": "/tmp/tmux-0/default,1,0"]))
  }

  @Test func `progress is by bytes once all sizes are known`() {
    var run = RunProgress()
    #expect(ProgressSignal(run, itemCount: nil) == .unknown)
    (run.itemCount, run.downloadedCount, run.doneByteCount, run.knownByteCount) = (4, 4, 30, 120)
    #expect(ProgressSignal(run, itemCount: nil).sequence == "\u{1b}]9;4;1;25\u{1b}\\")
    (run.downloadedCount, run.failedCount) = (1, 1)
    #expect(ProgressSignal(run, itemCount: 4) == .failing(50))
    #expect(ProgressSignal.none.sequence == "\u{1b}]9;4;0\u{1b}\\")
  }
}

@Suite struct `Painters` {
  private final class Written {
    var text = ""
    func take() -> String {
      defer { text = "" }
      return text
    }
  }

  @Test func `the whole screen is given back as it was, and only changed rows are written`() {
    let written = Written()
    let terminal = Terminal(isUnicode: true, showsProgress: true, size: { .init(columns: 80, rows: 3) })
    let painter = ScreenPainter(terminal) { written.text += String(decoding: $0, as: UTF8.self) }
    painter.enter()
    #expect(written.take() == "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l")
    painter.show(["a", "b", "c"], terminal.size(), .percent(5))
    #expect(written.take().contains("\u{1b}]9;4;1;5\u{1b}\\"))
    painter.show(["a", "x", "c"], terminal.size(), .percent(5))
    #expect(written.take() == "\u{1b}[?2026h\u{1b}[2;1Hx\u{1b}[K\u{1b}[?2026l")
    painter.show(["a", "x", "c"], terminal.size(), .percent(5))
    #expect(written.take().isEmpty)
    painter.show(["a"], terminal.size(), .percent(5))
    #expect(written.take() == "\u{1b}[?2026h\u{1b}[2;1H\u{1b}[K\u{1b}[3;1H\u{1b}[K\u{1b}[?2026l")
    painter.leave()
    #expect(written.take() == "\u{1b}]9;4;0\u{1b}\\\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
    painter.leave()
    #expect(written.take().isEmpty)
    painter.enter()
    painter.show(["a"], terminal.size(), .none)
    #expect(written.take().contains("\u{1b}[1;1Ha"))
  }

  @Test func `bars take their progress back when they are removed`() {
    let written = Written()
    let terminal = Terminal(isUnicode: true, showsProgress: true, size: { .init(columns: 80, rows: 10) })
    let painter = FramePainter(terminal) { written.text += String(decoding: $0, as: UTF8.self) }
    painter.show(["a"], terminal.size(), .percent(7))
    #expect(written.take().contains("\u{1b}]9;4;1;7\u{1b}\\"))
    painter.remove()
    #expect(written.take().contains("\u{1b}]9;4;0\u{1b}\\"))
    painter.remove()
    #expect(written.take().isEmpty)
  }
}
