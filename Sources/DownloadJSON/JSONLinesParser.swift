package import DownloadCore

/// Parses JSON Lines: an object on each line, which is an entry of our own schema or a record that options describe.
/// Holds one line at a time. Empty lines are passed over.
package struct JSONLinesParser: ListParser, LineReading {
  /// Longer lines are an error. Bytes; room for the hashes of 60,000 pieces.
  package static let maximumLineByteCount = 4 << 20

  private let rules: ColumnRules
  private var reading: RecordReading?
  private var isFinished = false
  /// What the last line has, the next one last.
  private var pending: RecordReading.Found = []
  package var lines = LineSplitter(maximumByteCount: Self.maximumLineByteCount)

  package init(_ rules: ColumnRules) {
    self.rules = rules
    reading = RecordReading(rules)
  }

  package var passedCount: Int { reading?.passedCount ?? 0 }

  package mutating func next() throws(ListError) -> ListEntry? {
    if let next = pending.popLast() { return try next.get() }
    do throws(ListProblem) {
      while let line = try nextLine() {
        if line.allSatisfy(\.isJSONBlank) { continue }
        switch JSONValue.parse(line) {
        case .failure(let error): throw ListProblem.json(error.problem)
        case .success(let object):
          if reading != nil {
            reading?.read(object, at: 0, isElement: true, lineNumber: lines.lineNumber, into: &pending)
            if pending.count > 1 { pending.reverse() }
            guard let next = pending.popLast() else { continue }
            do { return try next.get() } catch { throw error.problem }
          }
          return try FileObject.entry(object, lineNumber: lines.lineNumber, rules)
        }
      }
      if lines.isAtEnd, !isFinished {
        isFinished = true
        try reading?.requireKnownPaths()
      }
      return nil
    } catch {
      throw ListError(lineNumber: lines.lineNumber, error)
    }
  }

  private mutating func nextLine() throws(ListProblem) -> ArraySlice<UInt8>? {
    do throws(ListProblem) { return try lines.next() } catch {
      throw error == .lineTooLong ? .json(.lineTooLong(limit: Self.maximumLineByteCount)) : error
    }
  }
}
