/// Parses a file of lines or a document while its bytes arrive, and returns one element at a time.
package protocol IncrementalParser: Sendable {
  associatedtype Element

  /// Takes the next bytes of the file, of any number. Call it when `next` returns nil.
  mutating func append(_ bytes: UnsafeRawBufferPointer)

  /// All bytes of the file were appended.
  mutating func end()

  /// The next element. An error skips what is invalid; the following call goes on behind it.
  ///
  /// - Returns: nil if more bytes are needed, and at the end of the file.
  mutating func next() throws(ListError) -> Element?
}

/// A parser of lines.
package protocol LineReading: IncrementalParser {
  var lines: LineSplitter { get set }
}

extension LineReading {
  package mutating func append(_ bytes: UnsafeRawBufferPointer) { lines.append(bytes) }

  package mutating func end() { lines.end() }
}

/// A parser to which each line with content is an element.
package protocol LineParser: LineReading {
  func parsed(_ line: ArraySlice<UInt8>) throws(ListProblem) -> Element
}

extension LineParser {
  package mutating func next() throws(ListError) -> Element? {
    do throws(ListProblem) {
      guard let line = try lines.nextContent() else { return nil }
      return try parsed(line)
    } catch {
      throw ListError(lineNumber: lines.lineNumber, error)
    }
  }
}

/// Parses a list.
package protocol ListParser: IncrementalParser where Element == ListEntry {
  /// The next entry that is not skipped.
  ///
  /// - Parameter isSkipped: is asked about plain entries, in the order of the list. A parser need not recognize any.
  mutating func next(skipping isSkipped: (PlainEntry) -> Bool) throws(ListError) -> ListEntry?

  /// The number of entries so far that are no files, because options or the format say so.
  var passedCount: Int { get }
}

extension ListParser {
  package var passedCount: Int { 0 }

  package mutating func next(skipping isSkipped: (PlainEntry) -> Bool) throws(ListError) -> ListEntry? {
    while let entry = try next() {
      if !entry.isSkipped(by: isSkipped) { return entry }
    }
    return nil
  }
}
