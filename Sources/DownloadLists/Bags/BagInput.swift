internal import DownloadCore
internal import DownloadWords

/// A bag whose missing payload files are downloaded: the lines of its `fetch.txt`, with the digests that its manifests
/// have for them.
///
/// Neither the manifests nor `fetch.txt` are held in memory.
final class BagInput: RequestInput {
  let name: String
  let base: BaseURL? = nil
  let bag: BagContents
  private let filter: NameFilter
  private var problems: ArraySlice<Failure>
  /// Whether what is missing can be told: with an invalid line, a URL may be missing, too.
  private var isSound: Bool
  private var fetch: BagFetchReader?
  /// The payload file that is looked for next if `fetch.txt` has no URL for it.
  private var nextFile = 0

  /// - Throws: an integrity error where the bag's own files do not match its tag manifests.
  init(_ bag: BagContents, _ filter: NameFilter) throws(Failure) {
    self.bag = bag
    self.filter = filter
    problems = bag.problems[...]
    isSound = bag.problems.isEmpty
    if isSound { try bag.requireIntactTags() }
    if bag.hasFetch { fetch = try BagFetchReader(bag) }
    name = fetch?.name ?? Diagnostic.escaped(Redaction.name(bag.path))
  }

  func next() throws(Failure) -> ListEntry? { try nextWanted(nil) }

  func next(skipping isSkipped: (PlainEntry) -> Bool) throws(Failure) -> ListEntry? {
    try withoutActuallyEscaping(isSkipped) { (isSkipped) throws(Failure) in try nextWanted(isSkipped) }
  }

  private func nextWanted(_ isSkipped: ((PlainEntry) -> Bool)?) throws(Failure) -> ListEntry? {
    if let problem = problems.popFirst() { throw problem }
    do throws(Failure) {
      while let (line, file) = try fetch?.next() {
        var entry = ListEntry(line, out: try bag.payload.name(at: file))
        // Most are skipped, without a look at their digests. Those of the URL may contradict them.
        if let isSkipped, line.digests.isEmpty,
          entry.isSkipped(with: bag.payload.algorithms, by: isSkipped)
        {
          continue
        }
        try add(bag.payload.digests(at: file), to: &entry)
        return entry
      }
    } catch {
      isSound = false
      throw error
    }
    if isSound { try findMissing() }
    return nil
  }

  private func add(_ digests: [ContentDigest], to entry: inout ListEntry) throws(Failure) {
    for digest in digests {
      do { try entry.digests.add(digest) } catch { throw Failure(error, of: "\(name):\(entry.lineNumber)") }
    }
  }

  /// Looks for the payload files without a URL. Each is looked for once, before the start.
  private func findMissing() throws(Failure) {
    while nextFile < bag.payload.count {
      let file = nextFile
      nextFile += 1
      if fetch?.hasURL(for: file) ?? false { continue }
      let name = try bag.payload.name(at: file)
      guard filter.isEmpty || filter.wants(name), !bag.hasFile(name) else { continue }
      guard let place = try bag.payload.place(of: file) else { continue }
      throw bag.error(.missingWithoutURL(name), in: place.manifest, line: place.line)
    }
  }

  func rewind() { fetch?.rewind() }
}
