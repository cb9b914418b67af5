import DownloadWords
import DownloadCore
import Testing

@testable import CommandDisplay
@testable import CommandMain

@Suite struct `Layout of the live display` {
  private static let names = [
    ["a"], ["debian-12.iso", "x"], ["日本語のとても長いファイル名がここにあります.tar.gz", "b"],
    [String(repeating: "n", count: 255)], ["e\u{301}\u{301}\u{302}.x", "👩‍👩‍👧‍👦.iso", "🇩🇪🇫🇷"],
    [String(repeating: "e\u{301}", count: 100)], ["\u{1b}[31mred\u{7}", "tab\there"], [""],
  ]

  private func widths(_ placed: [BarLayout.Placed]) -> [BarLayout.Column: Int] {
    Dictionary(uniqueKeysWithValues: placed.map { ($0.column, $0.width) })
  }

  private func total(_ placed: [BarLayout.Placed]) -> Int {
    placed.reduce(0) { $0 + $1.width } + BarLayout.gap.utf8.count * (placed.count - 1)
  }

  @Test(arguments: 1...250)
  func `columns fit, and a column is there only with those of higher priority`(columns: Int) {
    let layout = BarLayout(columns: columns)
    for nameWidth in [1, 5, 11, 12, 13, 20, 40, 100, 400] {
      let placed = layout.columns(nameWidth: layout.nameWidth([nameWidth]))
      #expect(total(placed) <= max(1, columns - 1))
      let shown = Set(placed.map(\.column))
      #expect(BarLayout.Column.allCases.prefix(shown.count).allSatisfy(shown.contains))
      let name = widths(placed)[.name] ?? 0
      #expect(name >= 1 && name <= max(12, columns * 2 / 5))
      // A name is cut below its share only for percent, rate and time left.
      if shown.contains(.size) { #expect(name == min(nameWidth, max(12, columns * 2 / 5))) }
    }
  }

  @Test(arguments: [
    (40, 60, "name percent rate timeLeft"), (40, 5, "name percent rate timeLeft"),
    (60, 5, "name bar percent size rate timeLeft connections"), (60, 12, "name bar percent size rate timeLeft"),
    (80, 10, "name bar percent size rate timeLeft connections"),
    (80, 99, "name bar percent size rate timeLeft"), (200, 146, "name bar percent size rate timeLeft connections"),
    (30, 99, "name percent"), (20, 99, "name percent"), (12, 99, "name"),
  ])
  func `the last columns go first`(columns: Int, name: Int, shown: String) {
    let layout = BarLayout(columns: columns)
    let placed = layout.columns(nameWidth: layout.nameWidth([name]))
    #expect(placed.map { "\($0.column)" }.joined(separator: " ") == shown)
  }

  @Test func `a long name takes two fifths of a wide terminal, and the bar at most half of it`() {
    let layout = BarLayout(columns: 200)
    let placed = widths(layout.columns(nameWidth: layout.nameWidth([146, 3])))
    #expect(placed[.name] == 80 && placed[.bar] == 76)
    #expect(widths(layout.columns(nameWidth: 4))[.bar] == 100)
  }

  @Test(arguments: 20...250)
  func `all lines of a frame have their columns at the same places, whatever the names`(columns: Int) {
    for names in Self.names {
      for isUnicode in [true, false] {
        var run = RunProgress()
        run.itemCount = 9
        run.active = (names + ["other", "more"]).enumerated().map { index, name in
          FileProgress(
            task: TaskID(position: index), name: Array(name.utf8), phase: index == 1 ? .connecting : .receiving,
            completeLength: 1 << (8 * Int64(index) + 9), doneByteCount: 1 << (8 * Int64(index) + 8), rate: 3e6,
            steadyRate: 3e6, connectionCount: 100 >> index)
        }
        var forecast = Forecast()
        forecast.update(run, itemCount: 9)
        let frame = BarFrame(size: .init(columns: columns, rows: 24), isUnicode: isUnicode)
        let lines = frame.lines(run, itemCount: 9, forecast: forecast)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= columns - 1 }, "\(lines)")
        // The percent sign ends its column in each line.
        let places = Set(
          lines.dropLast().map { line in
            line.lastIndex(of: "%").map { DisplayWidth.of(String(line[..<$0])) } ?? -1
          })
        #expect(places.count == 1 && places != [-1], "\(lines)")
      }
    }
  }

  @Test func `a long name is cut in the middle`() {
    let layout = BarLayout(columns: 60)
    let width = layout.columns(nameWidth: layout.nameWidth([80]))[0].width
    let name = DisplayWidth.fitted("long-name-of-something-that-never-ends.iso", to: width, ellipsis: "…")
    #expect(name == "long-name-of…er-ends.iso")
  }
}
