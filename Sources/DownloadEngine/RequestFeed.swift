package import DownloadCore

/// Produces the requests of a run one at a time, so that a list is never held in memory.
package protocol RequestSource: AnyObject {
  /// The next request; nil at the end.
  /// - Throws: a line that cannot be understood (only where the list was not checked before).
  func next() throws(DownloadError) -> DownloadRequest?
  /// The number of requests, if known.
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
