package import DownloadCore
package import DownloadMetalink
package import DownloadSignatures

/// What `-i` names: a list, or a bag. It is read twice: once before the start, and once more while the run lasts.
package protocol RequestInput: AnyObject {
  /// The name of the list that has the line of the entry that `next` returned last, as messages show it.
  var name: String { get }
  /// Nil for a bag.
  var format: ListFormat? { get }
  /// Where names and relative references lead; nil if nothing tells it.
  var base: BaseURL? { get }

  /// What it may say that only the user may.
  var trust: ListTrust { get }
  /// The origins that the command line names for it. A redirect of a list names none.
  var namedOrigins: [Origin] { get }
  /// The signature that vouches for it; nil where it needs none.
  var signature: ListSignature? { get }

  /// What a Metalink that was read to its end says of itself; nil for another list.
  var origin: MetalinkOrigin? { get }

  /// The next entry; nil at the end.
  ///
  /// - Throws: a usage error for an invalid entry, after which the following call goes on; any other error where something
  ///   cannot be read or has changed since it was first read.
  func next() throws(Failure) -> ListEntry?

  /// The next entry that is not skipped; see `ListParser`.
  ///
  /// - Throws: as `next`.
  func next(skipping isSkipped: (PlainEntry) -> Bool) throws(Failure) -> ListEntry?

  /// The number of entries so far that are no files, because options or the format say so.
  var passedCount: Int { get }

  /// Starts over at the first entry.
  func rewind()
}

extension RequestInput {
  var format: ListFormat? { nil }
  var trust: ListTrust { .own }
  var passedCount: Int { 0 }
  package var isFetched: Bool { trust == .fetched }
  var namedOrigins: [Origin] { base.map { [$0.location.origin] } ?? [] }
  var signature: ListSignature? { nil }
  var origin: MetalinkOrigin? { nil }

  package func next(skipping isSkipped: (PlainEntry) -> Bool) throws(Failure) -> ListEntry? { try next() }
}
