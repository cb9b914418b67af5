/// Detects the format of a list from its beginning.
package enum ListDetector {
  /// `metalink` if the list is an XML document whose root element has that name; `json` or `jsonl` if it begins like JSON;
  /// `tsv` or `csv` if the first line names the columns of a table of files; `checksums` if the first line with content is a
  /// checksum line or PGP armour, or if there is a preamble before such a line, `deb822` if it is a field of an index of a Debian archive that has files, `pooch` if it is a name with a hash behind it, `bagit` if it is a URL with a length and
  /// the name of a payload file behind it; `aria2` if there is a TAB between URLs or an indented `key=value` line; else
  /// `urls`, whose parser reports what is wrong with any other list.
  ///
  /// - Parameter hasColumns: whether options name columns. A list of lines is a table then, whatever its header.
  package static func format(of beginning: some Collection<UInt8>, hasColumns: Bool = false) -> ListFormat {
    let bytes = ListBeginning.bytes(of: beginning)
    if let root = XMLBeginning.rootName(of: bytes) { return root.elementsEqual("metalink".utf8) ? .metalink : .urlList }
    if let format = JSONShape.format(of: bytes, hasColumns: hasColumns) { return format }
    if let format = TableShape.format(of: bytes, hasColumns: hasColumns) { return format }
    if Deb822Parser.begins(bytes) { return .deb822 }
    if ChecksumPreamble.lineCount(in: bytes) > 0 { return .checksums }
    var isFirst = true
    for line in bytes.split(separator: 0x0a) {
      let line = line.last == 0x0d ? line.dropLast() : line
      guard let first = line.trimmed.first, first != UInt8(ascii: "#") else { continue }
      if isFirst {
        if line.starts(with: PGPArmour.messageLine) || ChecksumLine.hasKnownDigest(line) || PublishedLine.isOne(line) {
          return .checksums
        }
        // A name in a registry may look like the digest of an unknown algorithm.
        if PoochParser.isOne(line) { return .pooch }
        if ChecksumLine.isOne(line) { return .checksums }
        if BagFetchParser.isOne(line) { return .bagit }
        isFirst = false
      } else if line[line.startIndex].isSpace, Aria2Option.isOne(line.trimmed) {
        return .aria2
      }
      if line.contains(0x09), Aria2ListParser.containsURL(line) { return .aria2 }
    }
    return .urlList
  }
}
