/// Why a header or a row of a table cannot be understood, or a value that tables share with JSON lists.
///
/// Texts are the list's raw bytes and may hold secrets, but those of columns.
package enum TableProblem: Error, Hashable, Sendable {
  // MARK: Rows

  /// Longer than `RowSplitter.maximumFieldByteCount`.
  case fieldTooLong
  /// Longer than `RowSplitter.maximumRowByteCount`.
  case rowTooLong
  /// A row with another number of fields than the first one.
  case fieldCount(found: Int, expected: Int)
  /// Something stands between a closing quotation mark and the separator.
  case textAfterQuote
  /// The list ends inside quotation marks.
  case unfinishedQuote

  // MARK: Headers

  /// No column is known to hold URLs. The names of the columns.
  case noURLColumn([[UInt8]])
  /// A GDC manifest, which holds no URLs.
  case gdcWithoutTemplate
  /// Only the addresses for Aspera.
  case asperaOnly
  /// A column of an option that the table lacks, and the names of those that exist.
  case unknownColumn([UInt8], [[UInt8]])
  /// A column of an option beyond the last one, and the number of columns.
  case columnBeyondEnd(Int, count: Int)
  /// Two columns have this name.
  case ambiguousColumn([UInt8])

  // MARK: Values

  case emptyURL
  case notURL([UInt8])
  case notSize([UInt8])
  /// A digest in a column that names no algorithm, without `ALGO:`.
  case unnamedDigest
  /// The value of this column, which a template needs, is empty, `.` or `..`.
  case unusableTemplateValue([UInt8])
  /// The list in this column has another number of parts than the list of URLs.
  case listLength(column: [UInt8], found: Int, expected: Int)
}
