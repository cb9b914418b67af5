internal import DownloadCore
internal import DownloadWords

/// How the parts of `ctl watch` look on a terminal.
package struct WatchStyle: Sendable, Equatable {
  package let isUnicode: Bool
  /// Whether the chosen line is reversed. It has a mark in any case.
  package let hasColours: Bool

  package init(isUnicode: Bool, hasColours: Bool) { (self.isUnicode, self.hasColours) = (isUnicode, hasColours) }

  var ellipsis: String { isUnicode ? "…" : "..." }
  var mark: String { isUnicode ? "▸" : ">" }

  private static let levels = Array("▁▂▃▄▅▆▇█")
  private static let plainLevels = Array("_.-=+*#@")

  /// The rates as a line of `width` characters, the last one at the right. The highest rate has the full height.
  func sparkline(_ history: RateHistory, width: Int) -> String {
    let levels = isUnicode ? Self.levels : Self.plainLevels
    let shown = history.rates.suffix(width)
    let highest = max(1, shown.max() ?? 1)
    let line = shown.map { rate in
      levels[min(levels.count - 1, Int(Double(rate) / Double(highest) * Double(levels.count)))]
    }
    return String(repeating: " ", count: width - line.count) + String(line)
  }

  /// Which parts of a file are written, in `width` characters.
  ///
  /// - Parameter size: of the file, more than 0.
  func map(_ ranges: [Range<Int64>], of size: Int64, width: Int) -> String {
    let (full, some, none): (Character, Character, Character) = isUnicode ? ("█", "▒", "·") : ("#", "+", ".")
    let written = ByteRangeSet(ranges)
    return String(
      (0..<Int64(width)).map { cell -> Character in
        let low = Int64(Double(size) * Double(cell) / Double(width))
        let high = max(low + 1, Int64(Double(size) * Double(cell + 1) / Double(width)))
        if written.contains(low..<high) { return full }
        return written.ranges.contains { $0.overlaps(low..<high) } ? some : none
      })
  }

  /// `2:10-3:40`, `over 2:10`; empty if it is not known. At most `timeWidth` characters.
  static func text(_ range: TimeRange?) -> String {
    guard let range else { return "" }
    let least = Humanized.timeLeft(range.least)
    guard let most = range.most.map(Humanized.timeLeft), most != "-" else { return "over \(least)" }
    return least == most ? least : "\(least)-\(most)"
  }

  static let timeWidth = 13

  static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - DisplayWidth.of(text))) + text
  }

  /// A name, without its middle if there is no room: its ends say most.
  func cut(_ name: String, to width: Int) -> String {
    DisplayWidth.of(name) <= width ? name : DisplayWidth.truncated(name, to: max(1, width), ellipsis: ellipsis)
  }

  /// A sentence, without its end if there is no room.
  func begin(_ text: String, to width: Int) -> String {
    if DisplayWidth.of(text) <= width { return text }
    var begin = text
    while !begin.isEmpty, DisplayWidth.of(begin) + DisplayWidth.of(ellipsis) > width { begin.removeLast() }
    return width < DisplayWidth.of(ellipsis) ? "" : begin + ellipsis
  }

  func fitted(_ text: String, to width: Int) -> String { DisplayWidth.fitted(text, to: width, ellipsis: ellipsis) }
}
