extension Array where Element: Comparable {
  /// The index of the first element that is not below a value, in an array that is sorted; `endIndex` if there is none.
  @inlinable package func lowerBound(of value: Element) -> Int {
    var range = startIndex..<endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = self[middle] < value ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  /// The index of an element of an array that is sorted and has no element twice.
  @inlinable package func sortedIndex(of value: Element) -> Int? {
    let index = lowerBound(of: value)
    return index < endIndex && self[index] == value ? index : nil
  }
}
