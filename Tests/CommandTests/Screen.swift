@testable import CommandMain
import DownloadWords

/// A terminal with a few control sequences, which shows the bytes of a report.
///
/// Rewraps its rows when its width changes, as most terminals do.
struct Screen {
  private struct Row {
    var cells: [Character] = []
    var continues = false  // into the next row, by wrapping
  }

  private(set) var columns: Int
  private let height: Int
  private var rows = [Row()]
  private var cursor = (row: 0, column: 0)
  private var saved = (row: 0, column: 0)
  private var wraps = true
  private(set) var showsCursor = true
  private(set) var refused: [String] = []

  init(columns: Int, height: Int) {
    self.columns = columns
    self.height = height
  }

  /// All rows including scrolled ones, without trailing blanks.
  var text: [String] {
    var lines = rows.map { row in
      var line = String(row.cells.filter { $0 != "\u{0}" })
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  /// The first row that is not scrolled out.
  private var top: Int { max(0, rows.count - height) }

  mutating func write(_ text: String) {
    var rest = Array(text.unicodeScalars)[...]
    var plain = ""
    while let scalar = rest.popFirst() {
      if scalar.value >= 0x20 {
        plain.unicodeScalars.append(scalar)
        continue
      }
      plain.forEach { put($0) }
      plain = ""
      switch scalar {
      case "\r": cursor.column = 0
      case "\n": newLine(continuing: false)
      case "\u{1b}":
        var sequence = ""
        while let next = rest.popFirst() {
          sequence.unicodeScalars.append(next)
          if next.properties.isAlphabetic || sequence == "7" || sequence == "8" { break }
        }
        control(sequence)
      default: refused.append("control character \(scalar.value)")
      }
    }
    plain.forEach { put($0) }
  }

  mutating func resize(columns: Int) {
    var rewrapped: [Row] = []
    var place = (row: 0, column: 0)
    var line: [Character] = []
    var cursorAt: Int?
    for (index, row) in rows.enumerated() {
      if index == cursor.row { cursorAt = line.count + cursor.column }
      line += row.cells
      if row.continues { continue }
      let pieces = max(1, (line.count + columns - 1) / columns)
      if let at = cursorAt {
        place = (rewrapped.count + min(at / columns, pieces - 1), at % columns)
        cursorAt = nil
      }
      for piece in 0..<pieces {
        let cells = Array(line[min(line.count, piece * columns)..<min(line.count, (piece + 1) * columns)])
        rewrapped.append(Row(cells: cells, continues: piece + 1 < pieces))
      }
      line = []
    }
    rows = rewrapped
    cursor = place
    self.columns = columns
  }

  private mutating func put(_ character: Character) {
    let width = DisplayWidth.of(character)
    if cursor.column + width > columns {
      guard wraps else { return refused.append("clipped") }
      rows[cursor.row].continues = true
      newLine(continuing: true)
      cursor.column = 0
    }
    while rows[cursor.row].cells.count < cursor.column + width { rows[cursor.row].cells.append(" ") }
    rows[cursor.row].cells[cursor.column] = character
    if width == 2 { rows[cursor.row].cells[cursor.column + 1] = "\u{0}" }
    cursor.column += width
  }

  private mutating func newLine(continuing: Bool) {
    if !continuing { rows[cursor.row].continues = false }
    cursor.row += 1
    cursor.column = 0
    if cursor.row == rows.count { rows.append(Row()) }
  }

  private mutating func control(_ sequence: String) {
    switch sequence {
    case "[K": clearLine()
    case "[J":
      // tmux moves the screen into its scrollback then.
      if cursor == (top, 0) { refused.append("cleared from the home position") }
      clearLine()
      rows.removeSubrange((cursor.row + 1)...)
    case "[B":
      cursor.row = min(cursor.row + 1, top + height - 1)
      if cursor.row == rows.count { rows.append(Row()) }
    case "7": saved = cursor
    case "8": cursor = saved
    case "[?7l": wraps = false
    case "[?7h": wraps = true
    // Synchronised updates.
    case "[?2026h", "[?2026l": break
    case "[?25l": showsCursor = false
    case "[?25h": showsCursor = true
    // Colours.
    case "[32m", "[m": break
    default:
      if sequence.hasPrefix("["), sequence.hasSuffix("A"), let count = Int(sequence.dropFirst().dropLast()) {
        cursor.row = max(cursor.row - count, top)
      } else {
        refused.append(sequence)
      }
    }
  }

  private mutating func clearLine() {
    rows[cursor.row].cells = Array(rows[cursor.row].cells.prefix(cursor.column))
    rows[cursor.row].continues = false
  }
}
