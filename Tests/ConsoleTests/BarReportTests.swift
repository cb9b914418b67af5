import DownloadCore
import Testing

@testable import Console

@Suite struct `Live display` {
  private func file(
    _ item: Int, _ name: String, done: Int64, of length: Int64?, phase: FileProgress.Phase = .receiving
  ) -> FileProgress {
    FileProgress(
      item: item, name: Array(name.utf8), phase: phase, completeLength: length, doneByteCount: done,
      rate: 1_048_576, connectionCount: 4)
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
    run.connectionCount = 8
    run.elapsed = .seconds(seconds)
    return run
  }

  private func ended(_ item: Int, _ name: String) -> Outcome {
    Outcome(
      item: item, name: Array(name.utf8), location: example("\(name)"), result: .downloaded, byteCount: 4096,
      receivedByteCount: 4096, verified: nil, elapsed: .seconds(2), source: nil)
  }

  @Test func `a frame lines up its columns`() {
    let frame = BarFrame(size: .init(columns: 80, rows: 24), isUnicode: false)
    let files = [file(0, "a.iso", done: 512 << 20, of: 1 << 30), file(1, "longer.iso", done: 5 << 20, of: nil)]
    let lines = frame.lines(run(files, items: 9, at: 1), itemCount: 9)
    #expect(
      lines == [
        "a.iso       [===========>            ]   50%  1.0 GiB   1.0 MiB/s    8:32  x4",
        "longer.iso                                    5.0 MiB   1.0 MiB/s          x4",
        "0/9 files, 517 MiB, 2.0 MiB/s, 8 connections",
      ])
  }

  @Test func `the total line marks an estimate for files that have not started`() {
    let frame = BarFrame(size: .init(columns: 80, rows: 24), isUnicode: false)
    let files = [file(0, "a", done: 50 << 20, of: 100 << 20), file(1, "b", done: 50 << 20, of: 100 << 20)]
    #expect(
      frame.lines(run(files, items: 2, at: 1), itemCount: 2).last
        == "0/2 files, 100 MiB of 200 MiB, 2.0 MiB/s, 0:50 left, 8 connections")
    #expect(
      frame.lines(run(files, items: 6, at: 1, downloaded: 2), itemCount: 6).last
        == "2/6 files, 100 MiB, 2.0 MiB/s, ~1:40 left, 8 connections")
  }

  @Test func `a single file has no total line`() {
    let frame = BarFrame(size: .init(columns: 80, rows: 24), isUnicode: true)
    let lines = frame.lines(run([file(0, "a.iso", done: 1, of: 2)], items: 1, at: 1), itemCount: 1)
    #expect(lines.count == 1)
    #expect(lines[0].contains("█"))
  }

  @Test func `a waiting file shows its state instead of a rate`() {
    let frame = BarFrame(size: .init(columns: 100, rows: 24), isUnicode: false)
    for phase in [FileProgress.Phase.connecting, .verifying, .publishing, .retrying, .paused, .waiting] {
      let line = frame.lines(run([file(0, "a", done: 1, of: 2, phase: phase)], items: 1, at: 1), itemCount: 1)[0]
      #expect(line.contains(phase.rawValue))
      #expect(!line.contains("/s"))
    }
  }

  @Test(arguments: [1, 2, 5, 12, 20, 29, 30, 39, 40, 57, 58, 61, 80, 132, 300])
  func `no line is wider than the screen`(columns: Int) {
    let names = [
      "a", "日本語のとても長いファイル名がここにあります.tar.gz", String(repeating: "n", count: 200), "e\u{301}\u{301}.x",
    ]
    let files = names.enumerated().map { file($0, $1, done: 700 << 20, of: 999 << 40) }
    for rows in [1, 2, 3, 5, 24] {
      for isUnicode in [true, false] {
        let frame = BarFrame(size: .init(columns: columns, rows: rows), isUnicode: isUnicode)
        let lines = frame.lines(run(files, items: 9, at: 1), itemCount: 9)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= max(1, columns - 1) })
        #expect(!lines.isEmpty && lines.count <= max(1, rows - 1))
      }
    }
  }

  @Test func `more files than rows are counted`() {
    let files = (0..<50).map { file($0, "f\($0)", done: 0, of: 10) }
    let lines = BarFrame(size: .init(columns: 80, rows: 10), isUnicode: true)
      .lines(run(files, items: 50, at: 1), itemCount: 50)
    #expect(lines.count == 9)
    #expect(lines[7] == "… and 43 more")
  }

  @Test func `a name cannot contain control sequences`() {
    let frame = BarFrame(size: .init(columns: 80, rows: 10), isUnicode: true)
    let line = frame.lines(run([file(0, "a\u{1b}[2Jb\r\u{202e}", done: 0, of: 10)], items: 1, at: 1), itemCount: 1)[0]
    #expect(line.hasPrefix("a\\x1b[2Jb\\x0d\\u{202e}"))
  }

  @Test func `finished files scroll up and the end leaves only lines`() {
    let captured = CapturedOutput()
    var screen = Screen(columns: 80, height: 10)
    let terminal = Terminal(isUnicode: false, size: { .init(columns: 80, rows: 10) })
    let report = BarReport(output: captured.output, terminal: terminal, level: .normal)
    report.began(itemCount: 2)
    report.progressed(run([file(0, "a", done: 1, of: 2), file(1, "b", done: 1, of: 2)], items: 2, at: 0.3))
    screen.write(captured.text())
    #expect(screen.text.count == 3)
    report.itemEnded(ended(0, "a"))
    report.progressed(run([file(1, "b", done: 1, of: 2)], items: 2, at: 0.6, downloaded: 1))
    screen.write(captured.text())
    #expect(screen.text.count == 3)
    #expect(screen.text[0] == "swiftget: a: 4.0 KiB in 2.0 s (2.0 KiB/s)")
    #expect(screen.text[1].hasPrefix("b "))
    report.itemEnded(ended(1, "b"))
    var summary = run([], items: 2, at: 4, downloaded: 2)
    summary.receivedByteCount = 8192
    report.ended(summary: summary, status: .success, interrupted: false)
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
    var screen = Screen(columns: 60, height: 10)
    let terminal = Terminal(isUnicode: true, size: { .init(columns: 60, rows: 10) })
    let report = BarReport(output: captured.output, terminal: terminal, level: .normal)
    report.began(itemCount: 1)
    let last = run([file(0, "a", done: 1, of: 2)], items: 1, at: 0.3)
    report.progressed(last)
    screen.write(captured.text())
    screen.write("^C")  // the terminal's echo
    report.ended(summary: last, status: .interrupted, interrupted: true)
    screen.write(captured.text())
    #expect(screen.text == ["swiftget: interrupted; run the same command again to go on"])
  }

  @Test(arguments: [200, 79, 41, 25, 13])
  func `a resized window is redrawn without remains`(columns: Int) {
    let captured = CapturedOutput()
    var screen = Screen(columns: 80, height: 40)
    let window = Window(columns: 80)
    let terminal = Terminal(isUnicode: false, size: { .init(columns: window.columns, rows: 40) })
    let report = BarReport(output: captured.output, terminal: terminal, level: .normal)
    report.began(itemCount: 4)
    screen.write("$ swiftget\n")
    let files = (0..<3).map { file($0, "some-longer-name-\($0).iso", done: 1, of: 2) }
    report.progressed(run(files, items: 4, at: 1))
    screen.write(captured.text())
    window.columns = columns
    screen.resize(columns: columns)
    report.progressed(run(files, items: 4, at: 2))
    screen.write(captured.text())
    #expect(screen.text.count == 5)
    #expect(screen.text.first == "$ swiftget")
    report.ended(summary: run([], items: 4, at: 3), status: .network, interrupted: false)
    screen.write(captured.text())
    #expect(screen.text == ["$ swiftget"])
  }

  private final class Window {
    var columns: Int
    init(columns: Int) { self.columns = columns }
  }

  @Test func `there are at most five frames a second`() {
    let captured = CapturedOutput()
    let terminal = Terminal(isUnicode: false, size: { .init(columns: 80, rows: 10) })
    let report = BarReport(output: captured.output, terminal: terminal, level: .normal)
    var frames = 0
    for step in 0..<100 {
      report.progressed(run([file(0, "a", done: Int64(step), of: 100)], items: 1, at: Double(step) / 100))
      if !captured.text().isEmpty { frames += 1 }
    }
    #expect(frames == 5)
  }

  @Test func `a run that keeps all files draws nothing`() {
    let captured = CapturedOutput()
    let terminal = Terminal(isUnicode: false, size: { .init(columns: 80, rows: 10) })
    let report = BarReport(output: captured.output, terminal: terminal, level: .normal)
    report.began(itemCount: 3)
    var progress = RunProgress()
    progress.keptCount = 3
    report.progressed(progress)
    report.ended(summary: progress, status: .success, interrupted: false)
    #expect(captured.text() == "")
  }

  @Test func `a job in the background does not draw`() {
    let captured = CapturedOutput()
    let terminal = Terminal(isUnicode: false, size: { .init(columns: 80, rows: 10) }, isForeground: { false })
    let report = BarReport(output: captured.output, terminal: terminal, level: .normal)
    report.progressed(run([file(0, "a", done: 1, of: 2)], items: 1, at: 1))
    #expect(captured.text() == "")
  }
}
