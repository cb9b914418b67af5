/// The forms of a list, under their `--input-format` names.
package enum ManifestFormat: String, Hashable, Sendable, CaseIterable {
  /// One file a line; `urls` and `aria2` are one grammar (see `URLListParser`) and differ in name only.
  case urlList = "urls"
  /// TAB-separated mirrors, with indented `key=value` lines below them.
  case aria2
  /// GNU and BSD checksum lines, in a PGP clear-signed message or not.
  case checksums
}

/// Tells the form of a list from its beginning.
package enum ManifestDetector {
  /// So much of the beginning is looked at, bytes.
  package static let maximumByteCount = 64 << 10

  /// Checksums where the first line with content is one, or PGP's armour; aria2 where there is a TAB between URLs or
  /// an indented `key=value` line; else a URL list, whose parser says what is wrong if it is none of the three.
  package static func format(of beginning: some Collection<UInt8>) -> ManifestFormat {
    var isFirst = true
    var bytes = Array(beginning.prefix(maximumByteCount))[...]
    if bytes.starts(with: ManifestReader.byteOrderMark) { bytes = bytes.dropFirst(3) }
    for line in bytes.split(separator: 0x0a) {
      let line = line.last == 0x0d ? line.dropLast() : line
      guard let first = line.trimmed.first, first != UInt8(ascii: "#") else { continue }
      if isFirst {
        if line.starts(with: PGPArmour.messageLine) || ChecksumLine.isOne(line) { return .checksums }
        isFirst = false
      } else if line[line.startIndex].isSpace, Aria2Option.isOne(line.trimmed) {
        return .aria2
      }
      if line.contains(0x09), URLListParser.holdsURL(line) { return .aria2 }
    }
    return .urlList
  }
}
