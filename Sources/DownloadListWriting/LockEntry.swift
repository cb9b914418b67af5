package import DownloadCore

/// A line of a lock file: what a run got, in swiftget's own schema, so that the file is a list, too.
///
///     {"url": "…", "out": "NAME", "size": 4, "final_url": "…", "etag": "…", "last_modified": "…",
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
    var line = JSONObject(hasBlanks: true)
    line.add("url", oneOrMore: urls.map(JSONObject.quoted))
    line.add("out", name)
    line.add("size", length)
    if let finalURL { line.add("final_url", finalURL) }
    if let entityTag { line.add("etag", entityTag) }
    if let lastModified { line.add("last_modified", lastModified) }
    return line.open
  }

  /// The rest of the line.
  package static func end(_ digest: ContentDigest) -> [UInt8] {
    Array(", \"checksum\": ".utf8) + JSONObject([digest]).text + Array("}\n".utf8)
  }
}
