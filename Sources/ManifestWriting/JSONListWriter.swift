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
    text += "{\"url\": ".utf8
    Self.append(quoted: base.url(of: file.name), to: &text)
    text += ", \"out\": ".utf8
    Self.append(quoted: file.name, to: &text)
    text += ", \"size\": \(file.length), \"checksum\": {".utf8
    for (index, digest) in file.digests.enumerated() {
      text += "\(index > 0 ? ", " : "")\"\(digest.algorithm.rawValue)\": \"\(digest.hex)\"".utf8
    }
    text += "}}".utf8
    if isLines { text.append(UInt8(ascii: "\n")) }
  }

  /// RFC 8259 section 7.
  private static func append(quoted bytes: [UInt8], to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 0..<0x20, 0x7f:
        text += "\\u00".utf8
        Hexadecimal.append(byte, to: &text)
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}
