import DownloadCore

/// A bag whose missing payload files are downloaded: the lines of its `fetch.txt`, with the digests that its manifests
/// have for them.
///
/// The manifests are held in memory, `fetch.txt` is not.
final class BagInput: RequestInput {
  let name: String
  let base: BaseURL? = nil
  private let bag: BagContents
  private let filter: NameFilter
  private var problems: ArraySlice<DownloadError>
  /// Whether what is missing can be told: with an invalid line, a URL may be missing, too.
  private var isSound: Bool
  private var fetch: BagFileReader<BagFetchParser>?
  /// The line of `fetch.txt` that has a URL for a payload file; 0 where none has.
  private var fetchLines: [UInt32]
  /// The payload file that is looked for next if `fetch.txt` has no URL for it.
  private var nextFile = 0

  init(_ bag: BagContents, _ invocation: Invocation) throws(DownloadError) {
    self.bag = bag
    filter = invocation.filter
    problems = bag.problems[...]
    isSound = bag.problems.isEmpty
    if bag.hasFetch { fetch = try BagFileReader(bag.path(of: BagContents.fetch), BagFetchParser()) }
    name = fetch?.name ?? Diagnostic.escaped(Redaction.name(bag.path))
    fetchLines = Array(repeating: 0, count: bag.payload.count)
  }

  func next() throws(DownloadError) -> ManifestEntry? {
    if let problem = problems.popFirst() { throw problem }
    do throws(DownloadError) {
      if let line = try fetch?.next() { return try entry(line) }
    } catch {
      isSound = false
      throw error
    }
    if isSound { try findMissing() }
    return nil
  }

  private func entry(_ line: BagFetchLine) throws(DownloadError) -> ManifestEntry {
    guard let index = bag.payload.index(of: line.path) else {
      throw bag.error(.notInManifest(line.path.key), in: BagContents.fetch, line: line.lineNumber)
    }
    let known = Int(fetchLines[index])
    guard known == 0 || known == line.lineNumber else {
      throw bag.error(.repeatedURL(line.path.key, line: known), in: BagContents.fetch, line: line.lineNumber)
    }
    fetchLines[index] = UInt32(clamping: line.lineNumber)
    var entry = ManifestEntry(line, out: bag.payloadName(at: index))
    for digest in bag.payload.digests(at: index) {
      do { try entry.digests.add(digest) } catch { throw DownloadError(error, of: "\(name):\(line.lineNumber)") }
    }
    return entry
  }

  /// Looks for the payload files without a URL. Each is looked for once, before the start.
  private func findMissing() throws(DownloadError) {
    while nextFile < fetchLines.count {
      let index = nextFile
      nextFile += 1
      if fetchLines[index] > 0 { continue }
      let file = bag.payloadName(at: index)
      guard filter.isEmpty || filter.wants(file), !bag.directory.holds(file) else { continue }
      guard let place = bag.payload.place(of: index) else { continue }
      throw bag.error(.missingWithoutURL(file), in: place.manifest, line: place.line)
    }
  }

  func rewind() { fetch?.rewind() }
}
