internal import DownloadCore
internal import DownloadScratch
internal import DownloadWords

/// The files of a lock file. A run with `--frozen` downloads nothing else.
///
/// Memory: about 10 bytes for each; the rest may wait in a file.
final class FrozenFiles {
  /// What the lock file has about a file.
  fileprivate struct File: Equatable {
    /// The hash of its first URL, seeded anew for each process.
    let url: Int
    let content: StatedContent
  }

  /// The lock file's name as messages show it.
  private let name: String
  private let stores: TemporaryStores
  /// The names of the files.
  private let names: DistinctStrings

  private static let hint: Phrase = "run once with \(.lock) instead of \(.frozen) to accept the change"

  /// Reads a lock file, or another list of swiftget's own JSON Lines with checksums.
  ///
  /// - Throws: usage errors for a file that is none; any other error where it cannot be read.
  init(
    path: [UInt8], notedIn inputs: DecidingInputs, _ stores: TemporaryStores = TemporaryStores()
  ) throws(Failure) {
    self.stores = stores
    names = DistinctStrings(stores.make())
    var options = ListOptions()
    options.inputFormat = ListFormat.jsonl.rawValue
    let input = try ListInput(.path(path), notedIn: inputs, base: nil, options, nil)
    var builder = RequestBuilder()
    name = input.name
    while let entry = try input.next() {
      let source = SourceLine(list: input.name, number: entry.lineNumber)
      try add(try builder.request(item: 0, entry: entry, base: nil, source: source), source)
    }
  }

  private func add(_ request: FileRequest, _ source: SourceLine) throws(Failure) {
    guard !request.digests.isEmpty else {
      throw Failure(
        .usage, words: "\(source.text): an entry without a checksum is not of a lock file",
        hint: "\(.frozen) needs the file that an earlier run has written with \(.lock)")
    }
    let file = File(url: request.mirrors[0].location.hashValue, content: request.stated)
    let (number, isNew) = names.insert(request.target.name, value: file.storedText(line: source.number))
    guard !isNew else { return try stores.requireSound() }
    let earlier = try self.file(number)
    if earlier.file == file { return }
    throw Failure(
      .usage,
      words:
        "\(name):\(earlier.line) and \(source.text) are different entries for \(Diagnostic.escaped(request.target.name))",
      hint: "write a new lock file with \(.lock)")
  }

  private func file(_ number: Int) throws(Failure) -> (file: File, line: Int) {
    let found = File.read(storedText: names.value(of: number))
    try stores.requireSound()
    return found
  }

  /// Adds the length and the digests of the lock file to a request.
  ///
  /// - Throws: a usage error where the lock file does not have the file, or another URL or other content for it.
  func freeze(_ request: inout FileRequest) throws(Failure) {
    let location = request.mirrors[0].location
    let place = request.shownPlace
    let shown = Diagnostic.escaped(request.target.name)
    let number = names.number(of: request.target.name)
    try stores.requireSound()
    guard let number else {
      throw Failure(.usage, words: "\(place): \(shown) is not in the lock file \(name)", hint: Self.hint)
    }
    let (file, line) = try file(number)
    guard file.url == location.hashValue else {
      throw Failure(
        .usage, words: "\(place): the lock file \(name) has \(shown) from another URL, in line \(line)", hint: Self.hint
      )
    }
    var stated = file.content
    do { try stated.merge(request.stated) } catch { throw Failure(error, of: "\(place) and \(name):\(line)") }
    request.stated = stated
  }
}

extension FrozenFiles.File {
  /// Two numbers, and the text of the content.
  fileprivate func storedText(line: Int) -> [UInt8] { url.bytes + line.bytes + content.storedText }

  /// Reads `storedText`. What a store gives that has failed is not used.
  fileprivate static func read(storedText text: ArraySlice<UInt8>) -> (file: FrozenFiles.File, line: Int) {
    guard text.count >= 2 * Int.byteCount else { return (FrozenFiles.File(url: 0, content: StatedContent()), 0) }
    let content = StatedContent(storedText: text.dropFirst(2 * Int.byteCount))
    return (
      FrozenFiles.File(url: Int(in: text, at: text.startIndex), content: content),
      Int(in: text, at: text.startIndex + Int.byteCount)
    )
  }
}
