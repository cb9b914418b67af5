/// The lines of a small file, one after the other. A line ends with LF or CRLF.
struct TextLines {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The next line without its end; nil at the end of the text.
  mutating func next() -> ArraySlice<UInt8>? {
    guard !rest.isEmpty else { return nil }
    let end = rest.firstIndex(of: 0x0a) ?? rest.endIndex
    var line = rest[..<end]
    rest = end == rest.endIndex ? [] : rest[(end + 1)...]
    if line.last == 0x0d { line.removeLast() }
    return line
  }

  /// The next line without blanks at its end; nil at the end of the text.
  mutating func nextTrimmed() -> ArraySlice<UInt8>? {
    guard var line = next() else { return nil }
    while line.last == 0x20 || line.last == 0x09 { line.removeLast() }
    return line
  }

  /// Whether nothing but blanks and line ends is left.
  var isAtEnd: Bool { rest.allSatisfy { $0 == 0x20 || (0x09...0x0d).contains($0) } }
}
