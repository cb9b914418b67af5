extension ArraySlice<UInt8> {
  /// The parts between separators, without empty ones.
  ///
  /// `split` retains and releases for every byte, which took half of the time for a URL list of 100,000 lines.
  func parts(separatedBy separator: UInt8) -> ByteParts { ByteParts(rest: self, separator: separator) }
}

/// The parts of `parts(separatedBy:)`, made on demand.
struct ByteParts: Sequence, IteratorProtocol {
  fileprivate var rest: ArraySlice<UInt8>
  fileprivate let separator: UInt8

  mutating func next() -> ArraySlice<UInt8>? {
    var start = rest.startIndex
    while start < rest.endIndex, rest[start] == separator { start += 1 }
    guard start < rest.endIndex else { return nil }
    var end = start
    while end < rest.endIndex, rest[end] != separator { end += 1 }
    defer { rest = rest[end...] }
    return rest[start..<end]
  }
}
