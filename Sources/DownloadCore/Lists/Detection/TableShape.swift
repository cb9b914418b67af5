/// What the beginning of a list shows of a table.
enum TableShape {
  /// Whether the beginning of a list is that of a table of files, known by the names in its header.
  ///
  /// - Parameter hasColumns: whether options name columns, so that no name needs to be known.
  /// - Returns: the format of its separator; nil for anything else.
  static func format(of beginning: ArraySlice<UInt8>, hasColumns: Bool) -> ListFormat? {
    var rows = RowSplitter()
    beginning.withUnsafeBytes { rows.append($0) }
    rows.end()
    guard (try? rows.next()) == true else { return nil }
    if hasColumns { return rows.usesTabs ? .tsv : .csv }
    // A file of a checksum list may be named like a column.
    let line = beginning.drop { $0 == 0x0a || $0 == 0x0d }.prefix { $0 != 0x0a && $0 != 0x0d }
    if ChecksumLine.isOne(line) || PoochParser.isOne(line) { return nil }
    var header = (0..<rows.count).map { Array(rows.field($0)) }
    // A comment of a URL list has a blank behind the sign, or no TAB.
    if rows.usesTabs, header[0].first == UInt8(ascii: "#"), header[0].dropFirst().first?.isLetter == true {
      header[0].removeFirst()
    }
    guard !header.contains(where: { Aria2ListParser.containsURL($0[...]) }), KnownColumns(header).isTable else {
      return nil
    }
    return rows.usesTabs ? .tsv : .csv
  }
}
