package import DownloadCore
internal import DownloadJSON
internal import DownloadListWriting
internal import DownloadMetalink

/// How the text of a list is read: its format, and what options say about it.
package struct ListReading: Sendable {
  package let format: ManifestFormat
  private let columns: ColumnRules
  private let metalink: MetalinkPreferences
  /// Whether lines of a URL list may be relative references.
  private let allowsReferences: Bool

  /// Detects the format of a list, unless `--input-format` gives it. A list of failed files in JSON Lines says itself how
  /// it is read, whatever the options say about the list that the first run has read.
  ///
  /// - Parameters:
  ///   - hasBase: whether names and references in tables and JSON lead anywhere.
  ///   - allowsReferences: whether lines of a URL list may be relative references.
  /// - Throws: a usage error for an unknown name in `--input-format`, and where the list cannot be read.
  init(
    of text: ListText, _ options: ListOptions, hasBase: Bool, allowsReferences: Bool
  ) throws(Failure) {
    metalink = options.metalink
    self.allowsReferences = allowsReferences
    if try text.beginning(byteCount: RequestLine.beginning.count).elementsEqual(RequestLine.beginning) {
      format = .jsonl
      columns = ColumnRules()
      return
    }
    var columns = options.columns
    columns.allowsReferences = hasBase
    self.columns = columns
    format = try Self.format(of: text, options)
  }

  private static func format(of text: ListText, _ options: ListOptions) throws(Failure) -> ManifestFormat {
    guard let name = options.inputFormat else {
      return ManifestDetector.format(
        of: try text.beginning(byteCount: ManifestDetector.maximumByteCount), hasColumns: hasColumns(options.columns))
    }
    guard let format = ManifestFormat(rawValue: name) else {
      throw Failure(
        .usage, "unknown list format \(name)",
        hint: "known formats: " + ManifestFormat.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return format
  }

  /// Whether options name columns, so that any list of lines is a table.
  package static func hasColumns(_ columns: ColumnRules) -> Bool {
    columns.choice != nil || columns.template != nil
  }

  /// - Parameters:
  ///   - name: of the list.
  ///   - keepsText: whether `text` of the parser is wanted.
  func parser(_ name: ListName, keepsText: Bool = false) -> any ManifestParser {
    switch format {
    case .urlList, .aria2, .checksums:
      LineListParser(
        format: format, defaultAlgorithm: name.algorithm, bareName: name.bareName,
        allowsReferences: allowsReferences, keepsText: keepsText)
    case .metalink: MetalinkParser(metalink)
    case .tsv: TableParser(columns, separator: 0x09)
    case .csv: TableParser(columns)
    case .json: JSONDocumentParser(columns)
    case .jsonl: JSONLinesParser(columns)
    case .pooch: PoochParser(columns)
    case .bagit: BagFetchListParser()
    }
  }
}
