/// Parses tables with a separator: one file for each row, or several where a row holds lists.
///
///     header ──first row──► rows ──► rows
///        └──refused──► refused
///
/// Without a usable header nothing is known about the rows, so they are skipped.
package struct TableParser: ListParser {
  private enum State: Sendable {
    case header
    case rows(ColumnPlan)
    case refused
  }

  private let rules: ColumnRules
  private var state = State.header
  private var rows: RowSplitter
  package private(set) var passedCount = 0
  /// The files of the last row, the next one last.
  private var pending: [ListEntry] = []

  /// - Parameter separator: nil detects it.
  package init(_ rules: ColumnRules, separator: UInt8? = nil) {
    self.rules = rules
    rows = RowSplitter(separator: separator)
  }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) { rows.append(bytes) }

  package mutating func end() { rows.end() }

  package mutating func next() throws(ListError) -> ListEntry? { try next { _ in false } }

  package mutating func next(skipping isSkipped: (PlainEntry) -> Bool) throws(ListError) -> ListEntry? {
    do throws(ListProblem) {
      while true {
        if let entry = pending.popLast() {
          if entry.isSkipped(by: isSkipped) { continue }
          return entry
        }
        switch state {
        case .refused:
          rows.discard()
          return nil
        case .header:
          guard try takeHeader() else { return nil }
        case .rows(let plan):
          guard try rows.next() else { return nil }
          if rows.isBlank || plan.isHeader(rows) || plan.isSkipped(rows, by: isSkipped) { continue }
          try take(plan)
        }
      }
    } catch {
      throw ListError(lineNumber: rows.lineNumber, error)
    }
  }

  private mutating func takeHeader() throws(ListProblem) -> Bool {
    do throws(ListProblem) {
      guard try rows.next() else { return false }
      let plan = try ColumnPlan(firstRow: rows, rules)
      state = .rows(plan)
      if plan.hasHeader { return true }
    } catch {
      state = .refused
      throw error
    }
    if case .rows(let plan) = state { try take(plan) }
    return true
  }

  private mutating func take(_ plan: ColumnPlan) throws(ListProblem) {
    if try plan.append(rows, to: &pending) { passedCount += 1 }
    if pending.count > 1 { pending.reverse() }
  }
}
