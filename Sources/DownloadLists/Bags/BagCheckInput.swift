internal import DownloadCore
internal import DownloadWords

/// A bag that is checked: every file that its manifests list, payload first, with all of its digests.
final class BagCheckInput: RequestInput {
  /// The manifest that lists the last file.
  private(set) var name: String
  let base: BaseURL? = BaseURL.nowhere
  let bag: BagContents
  private var problems: ArraySlice<Failure>
  /// What is left of `fetch.txt`, which only must be valid.
  private var fetch: BagFetchReader?
  /// The next file, counted from the first one of the payload to the last one of the tag manifests.
  private var position = 0

  init(_ bag: BagContents) throws(Failure) {
    self.bag = bag
    problems = bag.problems[...]
    name = Diagnostic.escaped(Redaction.name(bag.path))
    if bag.hasFetch { fetch = try BagFetchReader(bag) }
  }

  func next() throws(Failure) -> ListEntry? { try nextWanted(nil) }

  func next(skipping isSkipped: (PlainEntry) -> Bool) throws(Failure) -> ListEntry? {
    try withoutActuallyEscaping(isSkipped) { (isSkipped) throws(Failure) in try nextWanted(isSkipped) }
  }

  private func nextWanted(_ isSkipped: ((PlainEntry) -> Bool)?) throws(Failure) -> ListEntry? {
    if let problem = problems.popFirst() { throw problem }
    while try fetch?.next() != nil {}
    fetch = nil
    while position < bag.payload.count + bag.tags.count {
      let isPayload = position < bag.payload.count
      let files = isPayload ? bag.payload : bag.tags
      let index = isPayload ? position : position - bag.payload.count
      position += 1
      var entry = ListEntry(lineNumber: 0)
      entry.name = try files.name(at: index)
      // Most are skipped, without a look at their digests.
      if let isSkipped, entry.isSkipped(with: files.algorithms, by: isSkipped) { continue }
      guard let place = try files.place(of: index) else { continue }
      name = bag.shown(place.manifest)
      entry.lineNumber = place.line
      entry.digests = try files.digests(at: index)
      return entry
    }
    return nil
  }

  func rewind() { position = 0 }
}
