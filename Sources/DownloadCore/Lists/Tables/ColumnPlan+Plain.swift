// Rows that make one file with a plain entry.

extension ColumnPlan {
  /// Whether the row makes one file, whose entry is plain, and the closure returns true for it.
  func isSkipped(_ row: RowSplitter, by isSkipped: (PlainEntry) -> Bool) -> Bool {
    guard sources.count == 1, let source = sources.first, case .column(let url, _) = source.address else {
      return false
    }
    return row.withPlainFields { field in
      guard let url = field(url), let entry = Self.plainEntry(url, source, field) else { return false }
      return isSkipped(entry)
    }
  }

  /// - Parameter field: a field of the row; nil for one that has to be decoded.
  private static func plainEntry(
    _ url: UnsafeRawBufferPointer, _ source: Source, _ field: (Int) -> UnsafeRawBufferPointer?
  ) -> PlainEntry? {
    guard source.conditions.isEmpty, !source.zeroSizeIsUnknown else { return nil }
    for index in source.mirrors { guard field(index)?.isEmpty == true else { return nil } }
    for index in source.namedDigests { guard field(index)?.isEmpty == true else { return nil } }
    if let size = source.size {
      guard let digits = field(size), digits.count <= 18, digits.allSatisfy(\.isDigit) else { return nil }
    }
    var algorithms: DigestAlgorithmSet = []
    for (algorithm, index) in source.digests {
      guard let digits = field(index) else { return nil }
      if digits.isEmpty { continue }
      guard digits.count == algorithm.byteCount * 2, Hexadecimal.digitCount(digits) == digits.count,
        algorithms.insert(DigestAlgorithmSet(algorithm)).inserted
      else { return nil }
    }
    guard let index = source.out else { return PlainEntry(url: url, algorithms: algorithms) }
    guard let out = field(index) else { return nil }
    return PlainEntry(url: url, out: out.isEmpty ? nil : out, algorithms: algorithms)
  }
}
