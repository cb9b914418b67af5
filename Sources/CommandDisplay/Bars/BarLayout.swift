/// Which columns a file's line has on a terminal of a given width, and how wide they are.
///
/// Widths depend on the terminal and on the names only, so that nothing moves when a number changes.
package struct BarLayout {
  /// In the order in which they get room: the last ones go first where the terminal is narrow.
  package enum Column: Int, CaseIterable { case name, percent, rate, timeLeft, size, bar, connections }

  package typealias Placed = (column: Column, width: Int)

  /// Between two columns.
  package static let gap = "  "
  /// From left to right.
  private static let shownOrder: [Column] = [.name, .bar, .percent, .size, .rate, .timeLeft, .connections]
  /// Names get this much on any terminal, before the numbers.
  private static let leastNameWidth = 12
  /// Columns to write to. The terminal's last one stays free, so that no terminal wraps.
  package let width: Int
  private let mostNameWidth: Int
  private let mostBarWidth: Int
  /// The bar of the whole run, at the right edge of the last line; nil on a terminal that has no room for it.
  let runBarWidth: Int?

  package init(columns: Int) {
    width = max(1, columns - 1)
    mostNameWidth = min(width, max(Self.leastNameWidth, columns * 2 / 5))
    mostBarWidth = max(42, columns / 2)
    runBarWidth = columns >= 110 ? columns / 4 : nil
  }

  /// The widest that a number or word of the column gets, except for the name; the least width of the bar.
  private static func width(_ column: Column) -> Int {
    switch column {
    case .name: leastNameWidth
    case .percent: 4  // 100%
    case .rate: 10  // 1.2 MiB/s, connecting
    case .timeLeft: 6  // 23h59m
    case .size: 7  // 999 MiB
    case .bar: 10  // two of them are its ends
    case .connections: 4  // x128
    }
  }

  /// The columns that names of these widths want: at most 40 % of the terminal.
  package func nameWidth(_ widths: [Int]) -> Int { min(mostNameWidth, max(1, widths.max() ?? 0)) }

  /// The columns from left to right.
  ///
  /// - Parameter nameWidth: what the names want.
  package func columns(nameWidth: Int) -> [Placed] {
    let wanted = min(mostNameWidth, nameWidth)
    var widths: [Column: Int] = [.name: min(wanted, Self.leastNameWidth)]
    var rest = width - min(wanted, Self.leastNameWidth)
    for column in Column.allCases.dropFirst() {
      // The numbers that matter most come before the rest of a long name.
      if column == .size { rest -= widenName(&widths, to: wanted, rest) }
      let needed = Self.gap.utf8.count + Self.width(column)
      guard needed <= rest else { break }
      widths[column] = Self.width(column)
      rest -= needed
    }
    rest -= widenName(&widths, to: wanted, rest)
    if let bar = widths[.bar] { widths[.bar] = min(mostBarWidth, bar + rest) }
    return Self.shownOrder.compactMap { column in widths[column].map { (column, $0) } }
  }

  /// - Returns: the columns that the name takes of the rest.
  private func widenName(_ widths: inout [Column: Int], to wanted: Int, _ rest: Int) -> Int {
    let width = widths[.name] ?? 0
    let more = max(0, min(wanted - width, rest))
    widths[.name] = width + more
    return more
  }
}
