package import DownloadCore

/// The line of a request in a list of swiftget's own schema: all that its own list says of it, so that it can be asked for
/// again.
///
///     {"url": "…", "out": "NAME", "size": 4, "checksum": {"sha256": "HEX"}, "x-source": "LIST:7", "x-error": "…"}
package struct RequestLine {
  private let object: JSONObjectText

  /// - Parameters:
  ///   - entry: of its list; nil for a URL of the command line. Only the names are taken from it, as options have not
  ///     changed these yet.
  ///   - isUntrusted: whether its URLs come from the network, from origins that the command line does not name.
  /// - Returns: nil where a list of JSON cannot hold the name.
  package init?(_ request: DownloadRequest, of entry: ManifestEntry?, isUntrusted: Bool) {
    var line = JSONObjectText()
    line.add("url", JSONText.oneOrMore(request.mirrors.map { JSONText.quoted(URLText.withUserinfo($0)) }))
    if let name = entry?.name ?? entry?.out {
      guard Self.isText(name) else { return nil }
      line.add("out", JSONText.quoted(name))
    }
    if let directory = entry?.directory {
      guard Self.isText(directory) else { return nil }
      line.add("dir", JSONText.quoted(directory))
    }
    if let length = request.expectedLength { line.add("size", length) }
    if !request.digests.isEmpty { line.add("checksum", JSONText.checksum(request.digests)) }
    if !request.headers.isEmpty { line.add("headers", Self.headers(request.headers)) }
    if let pieces = request.pieces {
      var object = JSONObjectText()
      object.add("algorithm", JSONText.quoted(pieces.algorithm.rawValue))
      object.add("length", pieces.length)
      object.add("hashes", JSONText.array(pieces.digests.map { JSONText.quoted($0.hex) }))
      line.add("pieces", object.text)
    }
    if isUntrusted { line.add("untrusted", Array("true".utf8)) }
    if let source = request.source { line.add("x-source", JSONText.quoted(source.text)) }
    object = line
  }

  /// The whole line.
  ///
  /// - Parameter reason: why the request is here; without secrets.
  package func line(reason: [UInt8]) -> [UInt8] {
    var line = object
    line.add("x-error", JSONText.quoted(reason))
    return line.text + [UInt8(ascii: "\n")]
  }

  /// Whether a name of our JSON lists can have these bytes: UTF-8 without control characters.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }

  /// Fields by their names; those of one name are an array.
  private static func headers(_ lines: [String]) -> [UInt8] {
    var fields: [(name: [UInt8], values: [[UInt8]])] = []
    for line in lines {
      let parts = line.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      let name = Array(parts[0])
      let value = JSONText.quoted(Array(parts.count > 1 ? parts[1].drop { $0 == UInt8(ascii: " ") } : ""[...].utf8))
      if let known = fields.firstIndex(where: { $0.name == name }) {
        fields[known].values.append(value)
      } else {
        fields.append((name, [value]))
      }
    }
    var object = JSONObjectText()
    for field in fields { object.add(field.name, JSONText.oneOrMore(field.values)) }
    return object.text
  }
}
