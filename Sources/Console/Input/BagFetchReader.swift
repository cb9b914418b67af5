import DownloadCore

/// The lines of a bag's `fetch.txt`, each with the payload file that it has a URL for.
struct BagFetchReader {
  /// The file's name as messages show it.
  var name: String { reader.name }
  private let bag: BagContents
  private var reader: BagFileReader<BagFetchParser>
  /// The line that has a URL for a payload file; 0 where none has.
  private var lines: [UInt32]

  init(_ bag: BagContents) throws(DownloadError) {
    self.bag = bag
    reader = try BagFileReader(bag.path(of: BagContents.fetch), BagFetchParser())
    lines = Array(repeating: 0, count: bag.payload.count)
  }

  /// The next line and the number of its file in the bag's payload; nil at the end.
  ///
  /// - Throws: a usage error for an invalid line, after which the following call goes on.
  mutating func next() throws(DownloadError) -> (line: BagFetchLine, file: Int)? {
    guard let line = try reader.next() else { return nil }
    guard let file = bag.payload.index(of: line.path) else {
      throw bag.error(.notInManifest(line.path.key), in: BagContents.fetch, line: line.lineNumber)
    }
    let known = Int(lines[file])
    guard known == 0 || known == line.lineNumber else {
      throw bag.error(.repeatedURL(line.path.key, line: known), in: BagContents.fetch, line: line.lineNumber)
    }
    lines[file] = UInt32(clamping: line.lineNumber)
    return (line, file)
  }

  /// Whether a line that was read has a URL for the file.
  func hasURL(for file: Int) -> Bool { lines[file] > 0 }

  /// Starts over at the first line.
  mutating func rewind() { reader.rewind() }
}
