import DownloadWords
import DownloadCore
import Testing

@testable import CommandDisplay
@testable import CommandMain

@Suite struct `Live display` {
  private func file(
    _ item: Int, _ name: String, done: Int64, of length: Int64?, phase: FileProgress.Phase = .receiving
  ) -> FileProgress {
    FileProgress(
      task: TaskID(position: item), name: Array(name.utf8), phase: phase, completeLength: length, doneByteCount: done,
      rate: 1_048_576, steadyRate: 1_048_576, connectionCount: 4)
  }

  private func run(_ active: [FileProgress], items: Int, at seconds: Double, downloaded: Int = 0) -> RunProgress {
    var run = RunProgress()
    run.itemCount = items
    run.downloadedCount = downloaded
    run.active = active
    run.doneByteCount = active.reduce(0) { $0 + $1.doneByteCount }
    let lengths = active.compactMap(\.completeLength)
    run.knownByteCount = lengths.count == active.count ? lengths.reduce(0, +) : nil
    run.rate = 2_097_152
    run.steadyRate = 2_097_152
    run.connectionCount = 8
    run.elapsed = .seconds(seconds)
    return run
  }

  private func ended(_ item: Int, _ name: String) -> Outcome {
    Outcome(
      task: TaskID(position: item), name: Array(name.utf8), location: example("\(name)"), result: .downloaded,
      byteCount: 4096,
      received: ReceivedBytes(4096), status: 200, verified: nil, elapsed: .seconds(2), source: nil)
  }

  /// The lines of a run's first frame.
  private func lines(
    _ run: RunProgress, columns: Int = 80, rows: Int = 24, isUnicode: Bool = false
  ) -> [String] {
    var forecast = Forecast()
    forecast.update(run, itemCount: run.itemCount)
    return BarFrame(size: .init(columns: columns, rows: rows), isUnicode: isUnicode)
      .lines(run, itemCount: run.itemCount, forecast: forecast)
  }

  @Test func `a frame lines up its columns`() {
    let files = [file(0, "a.iso", done: 512 << 20, of: 1 << 30), file(1, "longer.iso", done: 5 << 20, of: nil)]
    let lines = lines(run(files, items: 9, at: 1))
    #expect(
      lines == [
        "a.iso       [===========>            ]   50%  1.0 GiB   1.0 MiB/s    8:32  x4",
        "longer.iso                                    5.0 MiB   1.0 MiB/s          x4",
        "0/9 files, 517 MiB, 2.0 MiB/s, 8 connections",
      ])
  }

  @Test func `the total line marks an estimate for files that have not started`() {
    let files = [file(0, "a", done: 50 << 20, of: 100 << 20), file(1, "b", done: 50 << 20, of: 100 << 20)]
    #expect(
      lines(run(files, items: 2, at: 1)).last
        == "0/2 files, 100 MiB of 200 MiB, 2.0 MiB/s, 0:50 left, 8 connections")
    #expect(
      lines(run(files, items: 6, at: 1, downloaded: 2)).last
        == "2/6 files, 100 MiB, 2.0 MiB/s, ~1:40 left, 8 connections")
  }

  @Test func `a single file has no total line`() {
    let lines = lines(run([file(0, "a.iso", done: 1, of: 2)], items: 1, at: 1), isUnicode: true)
    #expect(lines.count == 1)
    #expect(lines[0].contains("█"))
  }

  @Test func `a waiting file shows its state instead of a rate`() {
    for phase in [FileProgress.Phase.connecting, .verifying, .publishing, .retrying, .waiting] {
      let line = lines(run([file(0, "a", done: 1, of: 2, phase: phase)], items: 1, at: 1), columns: 100)[0]
      #expect(line.contains(phase.rawValue))
      #expect(!line.contains("/s"))
    }
  }

  @Test(arguments: [1, 2, 5, 12, 19, 300] + Array(20...250))
  func `no line is wider than the screen`(columns: Int) {
    let names = [
      "a", "日本語のとても長いファイル名がここにあります.tar.gz", String(repeating: "n", count: 200), "e\u{301}\u{301}.x",
    ]
    let files = names.enumerated().map { file($0, $1, done: 700 << 20, of: 999 << 40) }
    for rows in [1, 2, 3, 5, 24] {
      for isUnicode in [true, false] {
        let lines = lines(run(files, items: 9, at: 1), columns: columns, rows: rows, isUnicode: isUnicode)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= max(1, columns - 1) })
        #expect(!lines.isEmpty && lines.count <= max(1, rows - 1))
      }
    }
  }

  @Test func `more files than rows are counted`() {
    let files = (0..<50).map { file($0, "f\($0)", done: 0, of: 10) }
    let lines = lines(run(files, items: 50, at: 1), rows: 10, isUnicode: true)
    #expect(lines.count == 8 && lines[6] == "… and 44 more")
  }

  @Test(arguments: [5, 10, 24, 60]) func `active files leave room for what was told before`(rows: Int) {
    let files = (0..<90).map { file($0, "f\($0)", done: 0, of: 10) }
    let count = lines(run(files, items: 90, at: 1), rows: rows).count
    #expect(count >= 2 && rows - count >= min(7, rows / 3 - 1), "\(count) of \(rows)")
  }

  @Test func `failures do not count as done`() {
    var run = run([file(0, "a", done: 1, of: 2)], items: 12, at: 1, downloaded: 5)
    (run.failedCount, run.keptCount) = (4, 1)
    let total = lines(run).last ?? ""
    #expect(total.hasPrefix("6/12 files, ") && total.hasSuffix(", 4 failed"), "\(total)")
  }

  @Test func `a file that receives nothing says for how long`() {
    var silences = Silences()
    let files = [file(0, "a", done: 512, of: 1024), file(1, "b", done: 512, of: 1024)]
    var run = run(files, items: 2, at: 1)
    silences.update(run)
    run.elapsed = .seconds(5.9)
    run.active[1].doneByteCount = 600
    silences.update(run)
    #expect(silences.silence(of: TaskID(position: 0)) == nil, "for less than five seconds")
    run.elapsed = .seconds(13)
    run.active[1].doneByteCount = 700
    silences.update(run)
    for (columns, words) in [(80, "no data for 0:12"), (30, "no data")] {
      let lines = BarFrame(size: .init(columns: columns, rows: 24), isUnicode: false)
        .lines(run, itemCount: 2, forecast: Forecast(), silences: silences)
      #expect(lines[0].contains(words) && !lines[0].contains("/s"), "\(lines)")
      #expect(lines[1].contains("MiB/s") && !lines[1].contains("no data"), "\(lines)")
    }
    run.active[0].phase = .retrying
    silences.update(run)
    #expect(silences.silence(of: TaskID(position: 0)) == nil, "it says that it is retried")
  }

  @Test func `hosts that keep requests waiting have a line each, in place of the files that wait for them`() {
    let (one, two) = (example("a").origin, Origin(scheme: .https, host: "example.net", port: 443))
    var run = run([file(0, "a", done: 10, of: 20)], items: 3000, at: 1)
    run.active += (1..<9).map { file($0, "f\($0)", done: 0, of: nil, phase: .waiting) }
    for index in 1..<9 { run.active[index].connectionCount = 0 }
    run.limitingHosts = [HostLimit(two, .rate(2.5)), HostLimit(one, .pause(.seconds(41.2)))]
    let lines = lines(run)
    #expect(lines.count == 5 && lines[0].hasPrefix("a ") && lines[1] == "... and 8 more", "\(lines)")
    #expect(lines[2] == "https://example.net accepts 2 requests per second", "\(lines)")
    #expect(lines[3] == "https://example.org asks for a pause: 0:42 left", "\(lines)")
  }

  @Test func `a wide terminal has a bar for the whole run`() {
    let files = [file(0, "a", done: 50 << 20, of: 100 << 20), file(1, "b", done: 50 << 20, of: 100 << 20)]
    for (columns, items, filled) in [(80, 2, 0), (120, 2, 14), (200, 2, 24), (120, 8, 7)] {
      let lines = lines(run(files, items: items, at: 1, downloaded: items == 8 ? 2 : 0), columns: columns)
      let total = lines[2]
      #expect(total.count { "=>".contains($0) } == filled, "\(columns): \(total)")
      if filled > 0 { #expect(total.count == columns - 1, "\(columns): \(total)") }
    }
  }

  @Test func `bars are green where the terminal has colours`() {
    let frame = BarFrame(size: .init(columns: 80, rows: 24), isUnicode: true, hasColours: true)
    let plain = BarFrame(size: .init(columns: 80, rows: 24), isUnicode: true)
    let run = run([file(0, "█.iso", done: 512, of: 1024), file(1, "b", done: 0, of: 1024)], items: 2, at: 1)
    let lines = frame.lines(run, itemCount: 2, forecast: Forecast())
    let bar = lines[0].split(separator: "\u{1b}", omittingEmptySubsequences: false)
    #expect(bar.count == 3 && bar[1].hasPrefix("[32m█") && bar[1].allSatisfy { "[32m█".contains($0) }, "\(lines)")
    #expect(!lines[1].contains("\u{1b}"), "nothing of it is there")
    let without = lines.map { $0.replacing("\u{1b}[32m", with: "").replacing("\u{1b}[m", with: "") }
    #expect(without == plain.lines(run, itemCount: 2, forecast: Forecast()))
  }

  @Test func `a name cannot contain control sequences`() {
    let line = lines(run([file(0, "a\u{1b}[2Jb\r\u{202e}", done: 0, of: 10)], items: 1, at: 1), isUnicode: true)[0]
    #expect(line.hasPrefix("a\\x1b[2Jb\\x0d\\u{202e}"))
  }

  @Test func `finished files scroll up and the end leaves only lines`() {
    let captured = CapturedOutput()
    var screen = Screen(columns: 80, height: 10)
    let terminal = Terminal(isUnicode: false, size: { .init(columns: 80, rows: 10) })
    let display = BarDisplay(output: captured.output, terminal: terminal, level: .normal)
    display.began(itemCount: 2)
    display.progressed(run([file(0, "a", done: 1, of: 2), file(1, "b", done: 1, of: 2)], items: 2, at: 0.3))
    screen.write(captured.text())
    #expect(screen.text.count == 3)
    display.itemEnded(ended(0, "a"))
    display.progressed(run([file(1, "b", done: 1, of: 2)], items: 2, at: 0.6, downloaded: 1))
    screen.write(captured.text())
    #expect(screen.text.count == 3)
    #expect(screen.text[0] == "swiftget: a: 4.0 KiB in 2.0 s (2.0 KiB/s)")
    #expect(screen.text[1].hasPrefix("b "))
    display.itemEnded(ended(1, "b"))
    var summary = run([], items: 2, at: 4, downloaded: 2)
    summary.receivedByteCount = 8192
    display.ended(summary: summary, status: .success, interrupted: false)
    screen.write(captured.text())
    #expect(
      screen.text == [
        "swiftget: a: 4.0 KiB in 2.0 s (2.0 KiB/s)",
        "swiftget: b: 4.0 KiB in 2.0 s (2.0 KiB/s)",
        "swiftget: 2 files downloaded, 8.0 KiB in 4.0 s (2.0 KiB/s)",
      ])
    #expect(screen.showsCursor)
    #expect(screen.refused == [])
  }

  @Test func `an interruption leaves a clean screen and a line on how to continue`() {
    let captured = CapturedOutput()
    var screen = Screen(columns: 70, height: 10)
    let terminal = Terminal(isUnicode: true, size: { .init(columns: 70, rows: 10) })
    let display = BarDisplay(output: captured.output, terminal: terminal, level: .normal)
    display.began(itemCount: 1)
    let last = run([file(0, "a", done: 1, of: 2)], items: 1, at: 0.3)
    display.progressed(last)
    screen.write(captured.text())
    screen.write("^C")  // the terminal's echo
    display.ended(summary: last, status: .interrupted, interrupted: true)
    screen.write(captured.text())
    #expect(screen.text == ["swiftget: interrupted; run the same command again to continue"])
  }

  @Test(arguments: [200, 79, 41, 25, 13])
  func `a resized window is redrawn without remains`(columns: Int) {
    let captured = CapturedOutput()
    var screen = Screen(columns: 80, height: 40)
    let window = Window(columns: 80)
    let terminal = Terminal(isUnicode: false, size: { .init(columns: window.columns, rows: 40) })
    let display = BarDisplay(output: captured.output, terminal: terminal, level: .normal)
    display.began(itemCount: 4)
    screen.write("$ swiftget\n")
    let files = (0..<3).map { file($0, "some-longer-name-\($0).iso", done: 1, of: 2) }
    display.progressed(run(files, items: 4, at: 1))
    screen.write(captured.text())
    window.columns = columns
    screen.resize(columns: columns)
    display.progressed(run(files, items: 4, at: 2))
    screen.write(captured.text())
    #expect(screen.text.count == 5)
    #expect(screen.text.first == "$ swiftget")
    display.ended(summary: run([], items: 4, at: 3), status: .network, interrupted: false)
    screen.write(captured.text())
    #expect(screen.text == ["$ swiftget"])
  }

  private final class Window {
    var columns: Int
    init(columns: Int) { self.columns = columns }
  }

  @Test(arguments: [200, 79, 41, 25, 13], [10, 24])
  func `what is written above the frame survives a resize`(columns: Int, height: Int) {
    let captured = CapturedOutput()
    var screen = Screen(columns: 80, height: height)
    let window = Window(columns: 80)
    let terminal = Terminal(isUnicode: false, size: { .init(columns: window.columns, rows: height) })
    let display = BarDisplay(output: captured.output, terminal: terminal, level: .normal)
    display.began(itemCount: 4)
    // The terminal changes between the frame's drawing and its arrival, so lines are as wide as they were.
    window.columns = columns
    screen.write("1\n2\n3\n")
    let files = (0..<3).map { file($0, "some-longer-name-\($0).iso", done: 1, of: 2) }
    display.progressed(run(files, items: 4, at: 1))
    screen.write(captured.text())
    window.columns = 80
    display.progressed(run(files, items: 4, at: 2))
    screen.write(captured.text())
    #expect(screen.text.count == 7 && screen.text.prefix(3) == ["1", "2", "3"], "\(screen.text)")
  }

  @Test func `a display in the top row clears nothing from the home position`() {
    let captured = CapturedOutput()
    var screen = Screen(columns: 80, height: 10)
    let terminal = Terminal(isUnicode: false, size: { .init(columns: 80, rows: 10) })
    let display = BarDisplay(output: captured.output, terminal: terminal, level: .normal)
    display.began(itemCount: 3)
    for step in 1...5 {
      let files = (0..<(step % 3 + 1)).map { file($0, "f\($0)", done: 1, of: 2) }
      display.progressed(run(files, items: 3, at: Double(step)))
      screen.write(captured.text())
      #expect(screen.text.count == files.count + 1)
    }
    display.ended(summary: run([], items: 3, at: 6), status: .network, interrupted: false)
    screen.write(captured.text())
    #expect(screen.text == [] && screen.refused == [])
  }

  @Test func `a stopped run leaves the screen to the shell, and goes on below the shell's lines`() {
    let captured = CapturedOutput()
    var screen = Screen(columns: 80, height: 10)
    let terminal = Terminal(isUnicode: false, size: { .init(columns: 80, rows: 10) })
    let display = BarDisplay(output: captured.output, terminal: terminal, level: .normal)
    display.began(itemCount: 3)
    let files = (0..<2).map { file($0, "f\($0)", done: 1, of: 2) }
    display.progressed(run(files, items: 3, at: 1))
    screen.write(captured.text() + "^Z")
    display.willStop()
    screen.write(captured.text())
    #expect(screen.text == [])
    screen.write("\n[1]+ Stopped\n$ echo x\nx\n$ fg\nswiftget\n")
    display.progressed(run(files, items: 3, at: 2))
    screen.write(captured.text())
    #expect(screen.text.prefix(6) == ["", "[1]+ Stopped", "$ echo x", "x", "$ fg", "swiftget"])
    #expect(screen.text.count == 9 && screen.text[6].hasPrefix("f0 "), "\(screen.text)")
  }

  @Test func `columns keep their places while numbers and files change`() {
    let captured = CapturedOutput()
    let terminal = Terminal(isUnicode: false, size: { .init(columns: 100, rows: 10) })
    let display = BarDisplay(output: captured.output, terminal: terminal, level: .normal)
    display.began(itemCount: 3)
    var places: Set<Int> = []
    for (step, name) in ["a-rather-long-name", "short", "x", "a-rather-long-name"].enumerated() {
      let done: Int64 = 1 << (5 * Int64(step) + 10)
      display.progressed(run([file(step, name, done: done, of: done * 3)], items: 3, at: Double(step + 1)))
      var screen = Screen(columns: 100, height: 10)
      screen.write(captured.text())
      places.insert(Array(screen.text[0]).firstIndex(of: "[") ?? -1)
    }
    #expect(places == [20])
  }

  @Test func `there are at most five frames a second`() {
    let captured = CapturedOutput()
    let terminal = Terminal(isUnicode: false, size: { .init(columns: 80, rows: 10) })
    let display = BarDisplay(output: captured.output, terminal: terminal, level: .normal)
    var frames = 0
    for step in 0..<100 {
      display.progressed(run([file(0, "a", done: Int64(step), of: 100)], items: 1, at: Double(step) / 100))
      if !captured.text().isEmpty { frames += 1 }
    }
    #expect(frames == 5)
  }

  @Test func `a run that keeps all files draws nothing`() {
    let captured = CapturedOutput()
    let terminal = Terminal(isUnicode: false, size: { .init(columns: 80, rows: 10) })
    let display = BarDisplay(output: captured.output, terminal: terminal, level: .normal)
    display.began(itemCount: 3)
    var progress = RunProgress()
    progress.keptCount = 3
    display.progressed(progress)
    display.ended(summary: progress, status: .success, interrupted: false)
    #expect(captured.text() == "")
  }

  @Test func `a job in the background does not draw`() {
    let captured = CapturedOutput()
    let terminal = Terminal(isUnicode: false, size: { .init(columns: 80, rows: 10) }, isForeground: { false })
    let display = BarDisplay(output: captured.output, terminal: terminal, level: .normal)
    display.progressed(run([file(0, "a", done: 1, of: 2)], items: 1, at: 1))
    #expect(captured.text() == "")
  }
}
