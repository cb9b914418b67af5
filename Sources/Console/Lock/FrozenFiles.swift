import DownloadCore

/// The files of a lock file. A run with `--frozen` downloads nothing else.
struct FrozenFiles {
  private struct File {
    /// The first URL.
    let location: Location
    let content: StatedContent
  }

  /// The lock file's name as messages show it.
  private let name: String
  private var files: [[UInt8]: File] = [:]

  /// Reads a lock file, or another list of swiftget's own JSON Lines with checksums.
  ///
  /// - Throws: usage errors for a file that is none; any other error where it cannot be read.
  init(path: [UInt8], notedIn inputs: DecidingInputs) throws(DownloadError) {
    var invocation = Invocation()
    invocation.inputFormat = ManifestFormat.jsonl.rawValue
    let input = try ListInput(.path(path), notedIn: inputs, base: nil, invocation, nil)
    var builder = RequestBuilder(invocation)
    name = input.name
    while let entry = try input.next() {
      let source = SourceLine(list: input.name, number: entry.lineNumber)
      let request = try builder.request(item: 0, entry: entry, base: nil, source: source)
      guard !request.digests.isEmpty else {
        throw DownloadError(
          .usage, "\(source.text): an entry without a checksum is not of a lock file",
          hint: "--frozen needs the file that an earlier run has written with --lock")
      }
      files[request.target.name] = File(location: request.mirrors[0].location, content: request.stated)
    }
  }

  /// Adds the length and the digests of the lock file to a request.
  ///
  /// - Throws: a usage error where the lock file does not have the file, or another URL or other content for it.
  func freeze(_ request: inout DownloadRequest) throws(DownloadError) {
    let location = request.mirrors[0].location
    let place = request.source?.text ?? location.redacted
    let shown = Diagnostic.escaped(request.target.name)
    let hint = "run once with --lock instead of --frozen to accept the change"
    guard let file = files[request.target.name] else {
      throw DownloadError(.usage, "\(place): \(shown) is not in the lock file \(name)", hint: hint)
    }
    guard file.location == location else {
      throw DownloadError(
        .usage, "\(place): the lock file \(name) has \(shown) from another URL, \(file.location.redacted)", hint: hint)
    }
    var stated = file.content
    do { try stated.merge(request.stated) } catch { throw DownloadError(error, of: "\(place) and \(name)") }
    request.stated = stated
  }
}
