import DownloadCore

/// What `-i` names: a list, or a bag. It is read twice: once before the start, and once more while the run lasts.
protocol RequestInput: AnyObject {
  /// The name of the list that has the line of the entry that `next` returned last, as messages show it.
  var name: String { get }
  /// Where names and relative references lead; nil if nothing tells it.
  var base: BaseURL? { get }

  /// The next entry; nil at the end.
  ///
  /// - Throws: a usage error for an invalid entry, after which the following call goes on; any other error where something
  ///   cannot be read or has changed since it was first read.
  func next() throws(DownloadError) -> ManifestEntry?

  /// Starts over at the first entry.
  func rewind()
}
