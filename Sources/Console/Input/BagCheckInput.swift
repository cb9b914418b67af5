import DownloadCore

/// A bag that is checked: every file that its manifests list, payload first, with all of its digests.
final class BagCheckInput: RequestInput {
  /// The manifest that lists the last file.
  private(set) var name: String
  let base: BaseURL? = BaseURL.nowhere
  let audit: BagAudit
  private let bag: BagContents
  private var problems: ArraySlice<DownloadError>
  /// What is left of `fetch.txt`, which only must be valid.
  private var fetch: BagFetchReader?
  /// The next file, counted from the first one of the payload to the last one of the tag manifests.
  private var position = 0

  init(_ bag: BagContents, _ invocation: Invocation) throws(DownloadError) {
    self.bag = bag
    audit = BagAudit(bag, invocation.filter)
    problems = bag.problems[...]
    name = Diagnostic.escaped(Redaction.name(bag.path))
    if bag.hasFetch { fetch = try BagFetchReader(bag) }
  }

  func next() throws(DownloadError) -> ManifestEntry? {
    if let problem = problems.popFirst() { throw problem }
    while try fetch?.next() != nil {}
    let isPayload = position < bag.payload.count
    let listing = isPayload ? bag.payload : bag.tags
    let index = isPayload ? position : position - bag.payload.count
    guard index < listing.count, let place = listing.place(of: index) else { return nil }
    position += 1
    name = bag.shown(place.manifest)
    var entry = ManifestEntry(lineNumber: place.line)
    entry.name = listing.name(at: index) { bag.directory.holds($0) }
    entry.digests = listing.digests(at: index)
    return entry
  }

  func rewind() { position = 0 }
}
