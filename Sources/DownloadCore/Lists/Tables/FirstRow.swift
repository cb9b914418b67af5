/// The first row of a table that is read by numbers, which may be a header or a file.
///
/// A header that is taken for a file fails, for the server does not have it. A file that is taken for a header is lost in
/// silence, so that a row is a header only if something says so.
struct FirstRow {
  private let row: RowSplitter
  private let rules: ColumnRules
  private let known: KnownColumns

  init(_ row: RowSplitter, _ rules: ColumnRules, _ known: KnownColumns) {
    self.row = row
    self.rules = rules
    self.known = known
  }

  /// Whether the row names columns.
  var isHeader: Bool {
    if (0..<row.count).contains(where: { Self.isValue(row.field($0).trimmed) }) { return false }
    for column in rules.choice?.digests ?? [] {
      if let text = field(column.column), ContentDigest(column.algorithm, value: text) != nil { return false }
    }
    let addresses = addressColumns.compactMap { field($0) }
    if addresses.contains(where: { known.isName($0) }) { return true }
    // A text with a slash or a dot is a path, or an attempt at a URL.
    if addresses.contains(where: { $0.contains(UInt8(ascii: "/")) || $0.contains(UInt8(ascii: ".")) }) { return false }
    if known.hasName || row.field(0).first == UInt8(ascii: "#") { return true }
    // Where the column must hold whole URLs, a word is its name.
    return rules.template == nil && !rules.addsToURLs
  }

  /// What makes the URL.
  private var addressColumns: [ColumnChoice.Column] {
    if let url = rules.choice?.url { return [url] }
    return (rules.template?.parts ?? []).compactMap { if case .column(let column, _) = $0 { column } else { nil } }
  }

  private func field(_ column: ColumnChoice.Column) -> ArraySlice<UInt8>? {
    guard case .number(let number) = column, number <= row.count else { return nil }
    return row.field(number - 1).trimmed
  }

  /// Whether no column is named like this: a URL, a number, or a digest.
  private static func isValue(_ text: ArraySlice<UInt8>) -> Bool {
    URLScheme.begins(text) || Int64(digits: text) != nil || StatedDigest(word: text) != nil
  }
}
