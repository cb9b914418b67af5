package import DownloadCore

/// Where requests come from, one after the other; a list is never held as a whole.
package protocol RequestSource: AnyObject {
  /// The next wanted file; nil at the end.
  /// - Throws: a line that cannot be understood (only where the list was not checked before).
  func next() throws(DownloadError) -> DownloadRequest?
  /// How many there are, where that is known.
  var itemCount: Int? { get }
}

/// The requests of a run that have not begun yet. Nothing comes after the end or after an error.
struct RequestFeed {
  private let source: any RequestSource
  private(set) var isExhausted = false

  init(_ source: any RequestSource) { self.source = source }

  var itemCount: Int? { source.itemCount }

  mutating func next() throws(DownloadError) -> DownloadRequest? {
    guard !isExhausted else { return nil }
    isExhausted = true
    let request = try source.next()
    isExhausted = request == nil
    return request
  }
}
