/// An entry as it stands in its list, for another list of the same format.
package struct EntryText: Hashable, Sendable {
  /// Without a line feed at the end.
  package var bytes: [UInt8]
  package var frame: ListFrame

  package init(_ bytes: some Sequence<UInt8>, _ frame: ListFrame) {
    self.bytes = Array(bytes)
    self.frame = frame
  }
}

/// What stands around the entries of a list, so that a list of some of them is one of the same format.
package enum ListFrame: Hashable, Sendable {
  /// Nothing. Lines that begin with `#` are comments.
  case lines
  /// The names of a table's columns, as they stand in its first row; nil for a table without them. A last column `error`
  /// is neither in the header nor in the rows.
  case table(header: [UInt8]?, separator: UInt8)
  /// Nothing; entries are JSON objects, each on a line.
  case jsonLines
  /// The text before and behind the entries of a JSON document, which have commas between them.
  case json(opening: [UInt8], closing: [UInt8])
  /// The root element. Entries are written anew.
  case metalink
}
