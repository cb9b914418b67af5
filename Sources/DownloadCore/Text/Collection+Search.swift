/// Searches that the toolchain has in `_StringProcessing`. Release builds leave that module out, as the linker would take all
/// of its regular expressions into the binary.
extension Collection where Element: Equatable {
  /// Where the other elements are first found in their order; nil if they are not there.
  package func firstRange(of other: some Collection<Element>) -> Range<Index>? {
    var start = startIndex
    while true {
      var (end, rest) = (start, other[...])
      while end != endIndex, let first = rest.first, self[end] == first {
        formIndex(after: &end)
        rest = rest.dropFirst()
      }
      if rest.isEmpty { return start..<end }
      if end == endIndex { return nil }
      formIndex(after: &start)
    }
  }

  package func contains(_ other: some Collection<Element>) -> Bool { firstRange(of: other) != nil }

  /// What is left without the prefix, if it is there.
  package func trimmingPrefix(_ prefix: some Collection<Element>) -> SubSequence {
    starts(with: prefix) ? dropFirst(prefix.count) : self[...]
  }
}
