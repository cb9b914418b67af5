internal import DownloadCore

/// What a person reads of an invalid header or row of a table.
enum TableMessages {
  static func message(_ problem: TableProblem) -> String {
    switch problem {
    case .fieldTooLong: "a field is longer than \(RowSplitter.maximumFieldByteCount >> 10) KiB"
    case .rowTooLong: "the row is longer than \(RowSplitter.maximumRowByteCount >> 10) KiB"
    case .fieldCount(let found, let expected):
      "the row has \(Humanized.count(found, "field")), but the header has \(expected)"
    case .textAfterQuote: "text follows a closing quotation mark"
    case .unfinishedQuote: "a quotation mark is not closed"
    case .noURLColumn: "no known column contains URLs"
    case .gdcWithoutTemplate: "a GDC manifest has no URLs"
    case .asperaOnly: "the report has addresses for Aspera only"
    case .unknownColumn(let name, _): "no column is named \(Quotation.text(name))"
    case .columnBeyondEnd(let number, let count):
      "there is no column \(number); the table has \(Humanized.count(count, "field"))"
    case .ambiguousColumn(let name): "two columns are named \(Quotation.text(name))"
    case .emptyURL: "the URL is empty"
    case .notURL(let text): "\(Quotation.text(text)) is not a URL"
    case .notSize(let text): "the size \(Quotation.text(text)) is not a number of bytes below 2^63"
    case .unnamedDigest: "the checksum has no algorithm"
    case .unusableTemplateValue(let column):
      "the value of \(Quotation.text(column)) is empty or a dot, so it makes no URL"
    case .listLength(let column, let found, let expected):
      "the list in \(Quotation.text(column)) has a length of \(found), but there are \(expected) URLs"
    }
  }

  static func hint(_ problem: TableProblem) -> Phrase? {
    switch problem {
    case .noURLColumn(let names):
      "name it with \(.columns, "url=NAME"), or give \(.urlTemplate); the columns are: \(list(names))"
    case .gdcWithoutTemplate: "give \(.urlTemplate, "'https://api.gdc.cancer.gov/data/{id}'")"
    case .asperaOnly: "ask for the field fastq_ftp; these files are served over HTTPS, too"
    case .unknownColumn(_, let names): "the columns are: \(list(names))"
    case .ambiguousColumn: "choose one by its number: \(.columns, "url=1")"
    case .notURL: "for URLs without a scheme see \(.urlScheme); for relative ones \(.baseURL)"
    case .notSize, .unnamedDigest: "choose the columns to be read with \(.columns), such as url=NAME,md5=NAME"
    case .fieldCount: "quote fields that contain the separator"
    case .textAfterQuote: "double quotation marks inside a quoted field"
    case .unfinishedQuote: "check that the table is complete and that quotation marks come in pairs"
    case .fieldTooLong, .rowTooLong, .columnBeyondEnd, .emptyURL, .unusableTemplateValue, .listLength: nil
    }
  }

  /// Names of columns that a message lists.
  private static let listedCount = 12

  private static func list(_ names: [[UInt8]]) -> String {
    names.prefix(listedCount).map(Quotation.text).joined(separator: ", ")
      + (names.count > listedCount ? " and \(names.count - listedCount) more" : "")
  }
}
