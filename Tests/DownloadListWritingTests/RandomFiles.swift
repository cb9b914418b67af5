import DownloadCore
import DownloadListWriting
import TestSupport

/// Names and digests drawn from a seed.
struct RandomFiles {
  var files: [HashedFile] = []

  /// - Parameters:
  ///   - isText: whether names are UTF-8.
  ///   - hasControls: whether names may have control characters.
  init(seed: UInt64, algorithms: [DigestAlgorithm], isText: Bool, hasControls: Bool, hasPieces: Bool = false) {
    var generator = SeededGenerator(seed: seed)
    let names = RandomNames(isText: isText, hasControls: hasControls)
    for _ in 0..<Int.random(in: 0...12, using: &generator) {
      guard let name = names.next(&generator), !files.contains(where: { $0.name == name }) else { continue }
      let digests = algorithms.map { Self.digest($0, &generator) }
      var file = HashedFile(name: name, length: Int64.random(in: 0...1 << 40, using: &generator), digests: digests)
      if hasPieces, Bool.random(using: &generator) {
        let count = Int.random(in: 1...5, using: &generator)
        file.length = Int64(count) << 20
        file.pieces = PieceHashes(
          length: 1 << 20, digests: (0..<count).map { _ in Self.digest(algorithms[0], &generator) })
      }
      files.append(file)
    }
  }

  private static func digest(_ algorithm: DigestAlgorithm, _ generator: inout SeededGenerator) -> ContentDigest {
    ContentDigest(algorithm, (0..<algorithm.byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) })!
  }
}

/// The whole text of a manifest.
func text(_ writer: some ManifestWriter, _ files: [HashedFile]) -> [UInt8] {
  var writer = writer
  var text = writer.beginning
  for file in files { writer.append(file, to: &text) }
  return text + writer.end
}

/// All entries that a parser finds, given the text in small parts.
func entries(_ text: [UInt8], _ parser: any ListParser) throws -> [ListEntry] {
  var parser = parser
  var entries: [ListEntry] = []
  for start in stride(from: 0, to: text.count, by: 100) {
    text[start..<min(start + 100, text.count)].withUnsafeBytes { parser.append($0) }
    while let entry = try parser.next() { entries.append(entry) }
  }
  parser.end()
  while let entry = try parser.next() { entries.append(entry) }
  return entries
}
