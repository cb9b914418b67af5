internal import DownloadCore

/// Writes lists of swiftget's own schema (share/swiftget/manifest.schema.json).
package struct JSONListWriter: ManifestWriter {
  private let base: FileURLs
  /// JSON Lines instead of a document.
  private let isLines: Bool
  private var isFirst = true

  package init(base: FileURLs, isLines: Bool) {
    self.base = base
    self.isLines = isLines
  }

  package var beginning: [UInt8] { isLines ? [] : Array("{\"version\": 1, \"files\": [".utf8) }
  package var end: [UInt8] { isLines ? [] : Array("\n]}\n".utf8) }

  package mutating func append(_ file: HashedFile, to text: inout [UInt8]) {
    if !isLines { text += (isFirst ? "\n" : ",\n").utf8 }
    isFirst = false
    var entry = JSONObject(hasBlanks: true)
    entry.add("url", base.url(of: file.name))
    entry.add("out", file.name)
    entry.add("size", file.length)
    entry.add("checksum", JSONObject(file.digests))
    text += entry.text
    if isLines { text.append(UInt8(ascii: "\n")) }
  }
}
