package import DownloadCore

/// The writer of each format.
package enum FailedListWriters {
  package static func writer(_ frame: ListFrame) -> any FailedListWriter {
    switch frame {
    case .lines: FailedLines()
    case .table(let header, let separator): FailedRows(header: header, separator: separator)
    case .jsonLines: FailedObjects(opening: nil, closing: [])
    case .json(let opening, let closing): FailedObjects(opening: opening, closing: closing)
    case .metalink: FailedMetalink()
    }
  }
}
