import Glibc

/// Splits a list into lines of text while its bytes arrive.
package struct LineSplitter: Sendable {
  /// Longer lines are an error, unless another limit is given. Bytes.
  package static let maximumLineByteCount = 64 << 10

  private let maximumByteCount: Int

  /// The part of the list that was appended last, after the incomplete line before it.
  private var bytes: [UInt8] = []
  /// The offset of the next line in `bytes`.
  private var start = 0
  /// Whether all bytes were appended.
  package private(set) var isAtEnd = false
  /// The rest of a line that is too long is skipped.
  private var isSkipping = false
  /// The number of the last returned or refused line, counted from 1.
  package private(set) var lineNumber = 0
  /// Where the line that `next` returned last is in `bytes`; empty after an error.
  private var lineRange = 0..<0

  /// - Parameter maximumByteCount: longer lines are an error.
  package init(maximumByteCount: Int = Self.maximumLineByteCount) { self.maximumByteCount = maximumByteCount }

  package mutating func append(_ part: UnsafeRawBufferPointer) {
    bytes.removeSubrange(..<start)
    start = 0
    lineRange = 0..<0
    bytes.append(contentsOf: part)
  }

  package mutating func end() { isAtEnd = true }

  /// The next line without its line feed, a carriage return before that, and a byte order mark at the start of the list.
  ///
  /// - Returns: nil if more bytes are needed, and at the end of the list.
  /// - Throws: for a line that is not text or too long; it is skipped.
  package mutating func next() throws(ListProblem) -> ArraySlice<UInt8>? {
    lineRange = 0..<0
    var (end, hasNUL) = lineEnd()
    if isSkipping {
      start = end.map { $0 + 1 } ?? bytes.endIndex
      if end == nil { return nil }
      isSkipping = false
      (end, hasNUL) = lineEnd()
    }
    if (end ?? bytes.endIndex) - start > maximumByteCount {
      lineNumber += 1
      isSkipping = true
      throw .lineTooLong
    }
    guard end != nil || (isAtEnd && start < bytes.endIndex) else { return nil }
    lineNumber += 1
    var line = bytes[start..<(end ?? bytes.endIndex)]
    start = end.map { $0 + 1 } ?? bytes.endIndex
    if lineNumber == 1 {
      line = ByteOrderMark.removed(from: line)
      if ByteOrderMark.isUTF16(line) { throw .utf16 }
    }
    if hasNUL { throw .nulByte }
    if line.last == 0x0d { line = line.dropLast() }
    lineRange = line.indices
    return line
  }

  /// The line that `next` returned last; empty after an error, and when bytes were appended since.
  package var line: ArraySlice<UInt8> { bytes[lineRange] }

  /// The first byte of the next line; nil if it is not there yet, or if the rest of a longer line is skipped first.
  var nextByte: UInt8? { start < bytes.endIndex && !isSkipping ? bytes[start] : nil }

  /// Skips lines as long as the closure returns true.
  ///
  /// - Parameter isSkipped: gets a line as `next` would return it, but for NUL bytes, and the first byte of the line that
  ///   follows. Lines of which that is not known are not skipped, nor is the first one of the list.
  mutating func skip(while isSkipped: (_ line: UnsafeRawBufferPointer, _ next: UInt8) -> Bool) {
    guard !isSkipping, lineNumber > 0 else { return }
    bytes.withUnsafeBytes { bytes in
      while start + 1 < bytes.count, let base = bytes.baseAddress,
        let feed = memchr(base + start, 0x0a, bytes.count - 1 - start)
      {
        let end = UnsafeRawPointer(feed) - base
        guard end - start <= maximumByteCount else { return }
        let hasReturn = end > start && bytes[end - 1] == 0x0d
        let line = UnsafeRawBufferPointer(rebasing: bytes[start..<(hasReturn ? end - 1 : end)])
        guard isSkipped(line, bytes[end + 1]) else { return }
        start = end + 1
        lineNumber += 1
      }
    }
  }

  /// The next line that is neither blank nor a comment, which begins with `#`, without the blanks at its start.
  package mutating func nextContent() throws(ListProblem) -> ArraySlice<UInt8>? {
    while let line = try next() {
      let content = line.drop(while: \.isSpace)
      if let first = content.first, first != UInt8(ascii: "#") { return content }
    }
    return nil
  }

  /// The offset of the next line feed, and whether there is a NUL before it.
  private func lineEnd() -> (offset: Int?, hasNUL: Bool) {
    bytes.withUnsafeBytes { bytes in
      guard let line = bytes.baseAddress.map({ $0 + start }), start < bytes.count else { return (nil, false) }
      let end = memchr(line, 0x0a, bytes.count - start).map { UnsafeRawPointer($0) - line }
      return (end.map { start + $0 }, memchr(line, 0, end ?? bytes.count - start) != nil)
    }
  }
}
