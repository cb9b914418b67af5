import DownloadCore
import JSONLists
import Metalink

/// How the text of a list is read: its format, and what options say about it.
struct ListReading: Sendable {
  let format: ManifestFormat
  private let columns: ColumnRules
  private let metalink: MetalinkPreferences
  /// Whether lines of a URL list may be relative references.
  private let allowsReferences: Bool

  init(_ format: ManifestFormat, _ invocation: Invocation, columns: ColumnRules, allowsReferences: Bool) {
    self.format = format
    self.columns = columns
    metalink = invocation.metalink
    self.allowsReferences = allowsReferences
  }

  /// The format of a list that begins with these bytes.
  ///
  /// - Throws: a usage error for an unknown name in `--input-format`.
  static func format(
    of beginning: () throws(DownloadError) -> [UInt8], _ invocation: Invocation
  ) throws(DownloadError) -> ManifestFormat {
    guard let name = invocation.inputFormat else {
      return ManifestDetector.format(of: try beginning(), hasColumns: hasColumns(invocation))
    }
    guard let format = ManifestFormat(rawValue: name) else {
      throw DownloadError(
        .usage, "unknown list format \(name)",
        hint: "known formats: " + ManifestFormat.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return format
  }

  /// Whether options name columns, so that any list of lines is a table.
  static func hasColumns(_ invocation: Invocation) -> Bool {
    invocation.columns.choice != nil || invocation.columns.template != nil
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

  /// The entries of a whole text; nil where something in it is invalid.
  func entries(of text: [UInt8], _ name: ListName) -> [ManifestEntry]? {
    var parser = parser(name)
    var entries: [ManifestEntry] = []
    func read() throws(ManifestError) { while let entry = try parser.next() { entries.append(entry) } }
    do throws(ManifestError) {
      text.withUnsafeBytes { parser.append($0) }
      try read()
      parser.end()
      try read()
    } catch { return nil }
    return entries
  }
}
