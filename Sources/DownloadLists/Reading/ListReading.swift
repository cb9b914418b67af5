package import DownloadCore
internal import DownloadJSON
internal import DownloadListWriting
internal import DownloadMetalink

/// How the text of a list is read: its format, and what options say about it.
package struct ListReading: Sendable {
  package let format: ListFormat
  private let columns: ColumnRules
  private let metalink: MetalinkPreferences
  private let page: ListPage
  /// Whether lines of a URL list may be relative references.
  private let allowsReferences: Bool
  /// The lines of text before the first entry of a checksum list.
  private let preambleLineCount: Int

  /// Detects the format of a list, unless `--input-format` gives it. A list of failed files in JSON Lines says itself how
  /// it is read, whatever the options say about the list that the first run has read.
  ///
  /// - Parameters:
  ///   - hasBase: whether names and references in tables, JSON and Metalink lead anywhere.
  ///   - allowsReferences: whether lines of a URL list may be relative references.
  ///   - page: which one of a list in several it is.
  /// - Throws: a usage error for an unknown name in `--input-format`, and where the list cannot be read.
  init(
    of text: ListText, _ options: ListOptions, hasBase: Bool, allowsReferences: Bool, page: ListPage = .only
  ) throws(Failure) {
    self.page = page
    var metalink = options.metalink
    metalink.allowsReferences = hasBase
    metalink.takesFTP = options.columns.scheme != nil
    self.metalink = metalink
    self.allowsReferences = allowsReferences
    for beginning in RequestLine.beginnings
    where try text.beginning(byteCount: beginning.count).elementsEqual(beginning) {
      format = .jsonl
      columns = ColumnRules()
      preambleLineCount = 0
      return
    }
    var columns = options.columns
    columns.allowsReferences = hasBase
    self.columns = columns
    let beginning = try text.beginning(byteCount: ListBeginning.byteCount)
    format = try Self.format(of: beginning, options)
    preambleLineCount = format == .checksums ? ChecksumPreamble.lineCount(in: beginning) : 0
  }

  private static func format(of beginning: [UInt8], _ options: ListOptions) throws(Failure) -> ListFormat {
    guard let name = options.inputFormat else {
      return ListDetector.format(of: beginning, hasColumns: hasColumns(options.columns))
    }
    guard let format = ListFormat(rawValue: name) else {
      throw Failure(
        .usage, "unknown list format \(name)",
        hint: "known formats: " + ListFormat.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return format
  }

  /// Whether options name columns, so that any list of lines is a table.
  package static func hasColumns(_ columns: ColumnRules) -> Bool {
    columns.choice != nil || columns.template != nil
  }

  /// Whether a list of the format may be one of several pages.
  var hasPages: Bool { format == .json || format == .jsonl }

  /// - Parameters:
  ///   - name: of the list.
  ///   - keepsText: whether `text` of the parser is wanted.
  func parser(_ name: ListName, keepsText: Bool = false) -> any ListParser {
    switch format {
    case .urlList, .aria2, .checksums:
      LineListParser(
        format: format, defaultAlgorithm: name.algorithm, bareName: name.bareName,
        preambleLineCount: preambleLineCount, allowsReferences: allowsReferences, keepsText: keepsText)
    case .metalink: MetalinkParser(metalink)
    case .tsv: TableParser(columns, separator: 0x09)
    case .csv: TableParser(columns)
    case .fields: TableParser(columns, separator: RowSplitter.blanks)
    case .json: JSONDocumentParser(columns, page: page)
    case .jsonl: JSONLinesParser(columns)
    case .pooch: PoochParser(columns)
    case .deb822: Deb822Parser()
    case .bagit: BagFetchListParser()
    }
  }
}
