import DownloadCore

/// What is known of a `file` element so far.
struct MetalinkFile: Sendable {
  /// The largest networks have about 1,000 mirrors. More URLs than this would only take memory.
  static let maximumURLCount = 4096

  /// The line of the start tag.
  let lineNumber: Int
  private let name: [UInt8]
  private var size: Int64?
  private var digests: [ContentDigest] = []
  private var hasUnknownDigest = false
  /// Of several lists of pieces the one with the strongest algorithm.
  private var pieces: PieceHashes?
  /// There is a list without pieces, as only an empty file has it.
  private var hasEmptyPieces = false
  private var urls: [RankedURL] = []
  /// The media type of a description by which the file could be had, too, such as `torrent`.
  private var otherMediaType: [UInt8]?
  private var language = Selection.unnamed
  private var system = Selection.unnamed

  /// Whether the file is wanted by a property that it may name several times.
  private enum Selection { case unnamed, wanted, unwanted }

  private struct RankedURL {
    let text: [UInt8]
    let location: Int
    let priority: Int64
    let place: Int
  }

  /// - Parameter name: may have directories; not checked.
  init(name: [UInt8], lineNumber: Int) {
    self.name = name
    self.lineNumber = lineNumber
  }

  /// The document has a digest, or digests of pieces, by an algorithm that is not known.
  mutating func noteUnknownDigest() { hasUnknownDigest = true }

  /// - Throws: for what is no number from 0 to 2^63 - 1, and for a second, different size.
  mutating func setSize(_ text: ArraySlice<UInt8>) throws(ListProblem) {
    guard let size = Int64(digits: text) else { throw .metalink(.malformedSize(Array(text))) }
    if let known = self.size, known != size { throw .contradictorySizes(known, size) }
    self.size = size
  }

  mutating func add(_ digest: ContentDigest) throws(ListProblem) { try digests.add(digest) }

  mutating func add(_ list: MetalinkPieces) throws(ListProblem) {
    guard let found = try list.pieceHashes() else { return hasEmptyPieces = true }
    if found.algorithm.strength > pieces?.algorithm.strength ?? 0 { pieces = found }
  }

  mutating func note(otherMediaType type: [UInt8]) { otherMediaType = otherMediaType ?? type }

  mutating func note(languageIsWanted isWanted: Bool) { language = Self.noting(isWanted, language) }

  mutating func note(systemIsWanted isWanted: Bool) { system = Self.noting(isWanted, system) }

  private static func noting(_ isWanted: Bool, _ selection: Selection) -> Selection {
    isWanted || selection == .wanted ? .wanted : .unwanted
  }

  /// Adds a URL, or a relative reference.
  ///
  /// - Parameters:
  ///   - location: the place of the URL's location in the user's order.
  ///   - priority: 1 is used first.
  mutating func add(url text: ArraySlice<UInt8>, location: Int, priority: Int64) throws(ListProblem) {
    if text.contains(where: \.isControl) { throw .controlCharacter }
    guard urls.count < Self.maximumURLCount else { throw .metalink(.tooManyURLs) }
    let (url, claimed) = try URLFragment.split(text)
    for digest in claimed { try digests.add(digest) }
    urls.append(RankedURL(text: Array(url), location: location, priority: priority, place: urls.count))
  }

  /// The file as an entry; nil for one that is not wanted.
  ///
  /// - Throws: where nothing can be fetched, or the pieces contradict the size.
  func entry() throws(ListProblem) -> ListEntry? {
    if language == .unwanted || system == .unwanted { return nil }
    if urls.isEmpty {
      if let otherMediaType { throw .metalink(.onlyOtherMedia(otherMediaType)) }
      throw .metalink(.noUsableURL)
    }
    if let size, let pieces, !pieces.cover(size) { throw .metalink(.pieceCount(pieces.digests.count)) }
    if hasEmptyPieces, size ?? 0 > 0 { throw .metalink(.pieceCount(0)) }
    var entry = ListEntry(lineNumber: lineNumber)
    entry.out = name
    entry.urls = orderedURLs
    entry.digests = digests
    entry.hasUnknownDigest = hasUnknownDigest
    entry.size = size
    entry.pieces = pieces
    return entry
  }

  /// Without exact duplicates; of equal ones the first counts.
  private var orderedURLs: [[UInt8]] {
    if urls.count == 1 { return [urls[0].text] }
    var seen: Set<[UInt8]> = []
    return urls.sorted { ($0.location, $0.priority, $0.place) < ($1.location, $1.priority, $1.place) }
      .map(\.text).filter { seen.insert($0).inserted }
  }
}
