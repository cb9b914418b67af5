/// A line of a checksum file of a distribution that is no checksum line.
///
///     gentoo  = kind 1*SP name 1*SP size 1*( 1*SP algorithm 1*SP HEX )
///     size    = "SIZE" SP "(" name ")" SP "=" SP number [ SP "bytes" ]
///
/// The first is of a `Manifest` of Gentoo, of whose kinds only `DIST` is a file that is downloaded; the other is of the
/// `distinfo` of the BSDs, whose sizes stand beside the checksums of the same names. Both may have a `TIMESTAMP`.
enum PublishedLine: Equatable {
  case entry(ListEntry)
  /// Without a file that is downloaded.
  case passed

  private static let kinds: Set<String> = [
    "DIST", "AUX", "EBUILD", "MISC", "DATA", "MANIFEST", "OPTIONAL", "IGNORE", "TIMESTAMP",
  ]

  static func isOne(_ line: ArraySlice<UInt8>) -> Bool {
    kind(line) != nil && (try? PublishedLine(line, lineNumber: 1)) != nil || size(line) != nil
  }

  /// Nil for another line.
  init?(_ line: ArraySlice<UInt8>, lineNumber: Int) throws(ListProblem) {
    if let kind = Self.kind(line) {
      guard kind == "DIST" else {
        self = .passed
        return
      }
      let words = line.split(whereSeparator: \.isSpace)
      guard words.count >= 5, words.count % 2 == 1 else { throw .notChecksumLine(Array(line)) }
      var entry = ListEntry(lineNumber: lineNumber)
      entry.name = Array(words[1])
      try entry.setSize(words[2])
      for index in stride(from: 3, to: words.count, by: 2) {
        guard let algorithm = DigestAlgorithm(name: words[index].loweredPrintable) else { continue }
        guard let digest = ContentDigest(algorithm, hex: words[index + 1]) else { throw .malformedDigest(algorithm) }
        try entry.digests.add(digest)
      }
      if entry.digests.isEmpty { throw .unknownAlgorithm(Array(words[3])) }
      self = .entry(entry)
    } else if let (name, size) = Self.size(line) {
      var entry = ListEntry(lineNumber: lineNumber)
      if name.isEmpty { throw .missingName }
      entry.name = Array(name)
      entry.size = size
      self = .entry(entry)
    } else {
      return nil
    }
  }

  private static func kind(_ line: ArraySlice<UInt8>) -> String? {
    guard let first = line.first, first >= UInt8(ascii: "A"), first <= UInt8(ascii: "Z"),
      let blank = line.prefix(10).firstIndex(of: UInt8(ascii: " "))
    else { return nil }
    let word = String(decoding: line[..<blank], as: UTF8.self)
    return kinds.contains(word) ? word : nil
  }

  private static func size(_ line: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, size: Int64)? {
    guard line.prefix(6).loweredPrintable == "size (", let equals = line.lastIndex(of: UInt8(ascii: "=")) else {
      return nil
    }
    let before = line[..<equals].trimmed
    guard before.last == UInt8(ascii: ")"), before.count > 6 else { return nil }
    var number = line[(equals + 1)...].trimmed
    if number.suffix(6).elementsEqual(" bytes".utf8) { number = number.dropLast(6) }
    return Int64(digits: number).map { (before.dropFirst(6).dropLast(), $0) }
  }
}
