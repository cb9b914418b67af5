internal import DownloadCore

/// Writes a Metalink 4 document (RFC 5854).
package struct MetalinkWriter: ManifestWriter {
  private let base: FileURLs

  package init(base: FileURLs) { self.base = base }

  package var beginning: [UInt8] {
    Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <metalink xmlns="urn:ietf:params:xml:ns:metalink">

      """.utf8)
  }

  package var end: [UInt8] { Array("</metalink>\n".utf8) }

  package func append(_ file: HashedFile, to text: inout [UInt8]) {
    text += "  <file name=\"".utf8
    XMLText.append(file.name, to: &text)
    text += "\">\n    <size>\(file.length)</size>\n".utf8
    for digest in file.digests {
      guard let type = Self.name(of: digest.algorithm) else { continue }
      text += "    <hash type=\"\(type)\">\(digest.hex)</hash>\n".utf8
    }
    if let pieces = file.pieces, let type = Self.name(of: pieces.algorithm) {
      text += "    <pieces length=\"\(pieces.length)\" type=\"\(type)\">\n".utf8
      for digest in pieces.digests { text += "      <hash>\(digest.hex)</hash>\n".utf8 }
      text += "    </pieces>\n".utf8
    }
    text += "    <url>".utf8
    XMLText.append(base.url(of: file.name), to: &text)
    text += "</url>\n  </file>\n".utf8
  }

  /// The name in IANA's registry of hash functions, which RFC 5854 section 4.2.4 requires; nil where it has none.
  static func name(of algorithm: DigestAlgorithm) -> String? {
    switch algorithm {
    case .md5: "md5"
    case .sha1: "sha-1"
    case .sha224: "sha-224"
    case .sha256: "sha-256"
    case .sha384: "sha-384"
    case .sha512: "sha-512"
    case .sha3_224, .sha3_256, .sha3_384, .sha3_512, .blake2b, .blake2s: nil
    }
  }
}
