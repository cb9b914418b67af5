internal import DownloadCore

/// A Metalink 4 document with the files that failed, each below a comment. Its mirrors are in the order in which they were
/// to be used.
struct FailedMetalink: FailedListWriter {
  private static let document = MetalinkWriter(base: FileURLs(base: nil))

  var beginning: [UInt8] { Self.document.beginning }
  var end: [UInt8] { Self.document.end }

  func text(of failed: FailedEntry, isFirst: Bool) -> [UInt8]? {
    let entry = failed.entry
    guard let name = entry.out, XMLText.refusal(of: name) == nil else { return nil }
    var text = remark(failed.words)
    text += "  <file name=\"".utf8
    XMLText.append(name, to: &text)
    text += "\">\n".utf8
    if let size = entry.size { text += "    <size>\(size)</size>\n".utf8 }
    for digest in entry.digests {
      text += "    <hash type=\"\(Self.name(of: digest.algorithm))\">\(digest.hex)</hash>\n".utf8
    }
    if let pieces = entry.pieces {
      text += "    <pieces length=\"\(pieces.length)\" type=\"\(Self.name(of: pieces.algorithm))\">\n".utf8
      for digest in pieces.digests { text += "      <hash>\(digest.hex)</hash>\n".utf8 }
      text += "    </pieces>\n".utf8
    }
    for (index, url) in entry.urls.enumerated() {
      guard XMLText.refusal(of: url) == nil else { return nil }
      text += "    <url priority=\"\(index + 1)\">".utf8
      XMLText.append(url, to: &text)
      text += "</url>\n".utf8
    }
    return text + "  </file>\n".utf8
  }

  /// Two hyphens end a comment (XML 1.0, section 2.5).
  func remark(_ words: [UInt8]) -> [UInt8] {
    var text = Array("  <!-- ".utf8)
    for scalar in String(decoding: words, as: UTF8.self).unicodeScalars {
      if scalar == "-", text.last == UInt8(ascii: "-") { text.append(0x20) }
      // They are no characters of XML.
      text += Array(String(scalar.value == 0xfffe || scalar.value == 0xffff ? "?" : scalar).utf8)
    }
    return text + " -->\n".utf8
  }

  /// Algorithms without a registered name have ours, which other programs pass over.
  private static func name(of algorithm: DigestAlgorithm) -> String {
    MetalinkWriter.name(of: algorithm) ?? algorithm.rawValue
  }
}
