/// Rows of a table, with the reason in one more column.
struct FailedRows: FailedListWriter {
  /// Longer rows are refused by readers of tables. Bytes.
  private static let maximumRowByteCount = 1 << 20

  private let header: [UInt8]?
  private let separator: UInt8

  init(header: [UInt8]?, separator: UInt8) {
    self.header = header
    self.separator = separator
  }

  var beginning: [UInt8] { header.map { $0 + [separator] + "error\n".utf8 } ?? [] }

  func text(of entry: FailedEntry, isFirst: Bool) -> [UInt8]? {
    let row = entry.text + [separator]
    let whole = row + quoted(entry.reason) + [0x0a]
    return whole.count < Self.maximumRowByteCount ? whole : row + [0x0a]
  }

  /// A field as RFC 4180 has it.
  private func quoted(_ text: [UInt8]) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    guard text.contains(separator) || text.contains(quote) else { return text }
    return [quote] + text.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
  }
}
