package import DownloadCore

/// An entry for a list of failed files.
package struct FailedEntry {
  /// As it stands in its list.
  package var text: [UInt8]
  package var entry: ManifestEntry
  /// The name of the file. Printable UTF-8, as the reason.
  package var name: [UInt8]
  package var reason: [UInt8]

  package init(text: [UInt8], _ entry: ManifestEntry, name: [UInt8], reason: [UInt8]) {
    self.text = text
    self.entry = entry
    self.name = name
    self.reason = reason
  }

  /// The words that stand beside the entry where its format has comments.
  var words: [UInt8] { name + Array(": ".utf8) + reason }
}

/// Writes some entries of a list as one of the same format, with the reason beside each.
///
/// The entries are those of the list. That a reader finds them again is for the caller to see, because an option or the
/// name of the list may change what a text means.
package protocol FailedListWriter {
  /// What stands before the first entry.
  var beginning: [UInt8] { get }
  /// What stands behind the last entry.
  var end: [UInt8] { get }

  /// - Parameter isFirst: whether no entry stands before it.
  /// - Returns: nil where the format cannot hold it.
  func text(of entry: FailedEntry, isFirst: Bool) -> [UInt8]?

  /// Words that are no entry. Empty where the format has no comments.
  ///
  /// - Parameter words: printable UTF-8.
  func remark(_ words: [UInt8]) -> [UInt8]
}

extension FailedListWriter {
  package var beginning: [UInt8] { [] }
  package var end: [UInt8] { [] }
  package func remark(_ words: [UInt8]) -> [UInt8] { [] }
}
