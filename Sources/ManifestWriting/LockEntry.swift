package import DownloadCore

/// A line of a lock file: what a run got, in swiftget's own schema, so that the file is a list, too.
///
///     {"url": "…", "out": "NAME", "size": 4, "x-final-url": "…", "x-etag": "…", "x-last-modified": "…",
///      "checksum": {"sha256": "HEX"}}
package struct LockEntry: Hashable, Sendable {
  /// The digest of every entry.
  package static let algorithm = DigestAlgorithm.sha256

  /// All URLs of the file without credentials; the first one identifies the download. Not empty.
  package var urls: [String]
  /// Relative to the target directory; UTF-8.
  package var name: [UInt8]
  /// Bytes.
  package var length: Int64
  /// The URL that served the content, without its query, which may hold a signature; nil where it is not known or the
  /// first of `urls`.
  package var finalURL: String?
  /// The field value.
  package var entityTag: [UInt8]?
  /// The field value (RFC 9110 section 5.6.7).
  package var lastModified: String?

  package init(urls: [String], name: [UInt8], length: Int64) {
    self.urls = urls
    self.name = name
    self.length = length
  }

  /// The line up to the digest, which `end(_:)` completes.
  package var beginning: [UInt8] {
    var text = Array("{\"url\": ".utf8)
    if urls.count > 1 { text.append(UInt8(ascii: "[")) }
    for (index, url) in urls.enumerated() {
      if index > 0 { text += ", ".utf8 }
      JSONString.append(Array(url.utf8), to: &text)
    }
    if urls.count > 1 { text.append(UInt8(ascii: "]")) }
    text += ", \"out\": ".utf8
    JSONString.append(name, to: &text)
    text += ", \"size\": \(length)".utf8
    if let finalURL {
      text += ", \"x-final-url\": ".utf8
      JSONString.append(Array(finalURL.utf8), to: &text)
    }
    if let entityTag {
      text += ", \"x-etag\": ".utf8
      JSONString.append(entityTag, to: &text)
    }
    if let lastModified {
      text += ", \"x-last-modified\": ".utf8
      JSONString.append(Array(lastModified.utf8), to: &text)
    }
    return text
  }

  /// The rest of the line.
  package static func end(_ digest: ContentDigest) -> [UInt8] {
    Array(", \"checksum\": {\"\(digest.algorithm.rawValue)\": \"\(digest.hex)\"}}\n".utf8)
  }
}
