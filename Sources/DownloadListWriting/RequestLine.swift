package import DownloadCore

/// The line of a request in a list of swiftget's own schema: all that its own list says of it, so that it can be asked for
/// again.
///
///     {"reason": "…", "url": "…", "out": "NAME", "size": 4, "checksum": {"sha256": "HEX"},
///      "source": {"list": "LIST", "line": 7}}
package enum RequestLine {
  /// The first bytes of each line, by which readers know that options for another list do not apply: ours, and those of
  /// version 0.1.
  package static let beginnings = ["{\"reason\":", "{\"x-error\":"].map { Array($0.utf8) }

  /// - Parameters:
  ///   - entry: of its list; nil for a URL of the command line. Only the names are taken from it, as options have not
  ///     changed these yet.
  ///   - isUntrusted: whether its URLs come from the network, from origins that the command line does not name.
  ///   - reason: why the request is here; without secrets.
  /// - Returns: nil where a list of JSON cannot hold the name.
  package static func text(
    _ request: FileRequest, of entry: ListEntry?, isUntrusted: Bool, reason: [UInt8]
  ) -> [UInt8]? {
    var entryObject = JSONObject(hasBlanks: true)
    entryObject.add("reason", reason)
    entryObject.add("url", oneOrMore: request.mirrors.map { JSONObject.quoted(URLText.withUserinfo($0)) })
    let (directory, name) = place(of: entry)
    if let name {
      guard isText(name) else { return nil }
      entryObject.add("out", name)
    }
    if let directory {
      guard isText(directory) else { return nil }
      entryObject.add("dir", directory)
    }
    if let length = request.expectedLength { entryObject.add("size", length) }
    if !request.digests.isEmpty { entryObject.add("checksum", JSONObject(request.digests)) }
    if !request.headers.isEmpty { entryObject.add("headers", headers(request.headers)) }
    if let pieces = request.pieces { entryObject.add("pieces", JSONObject(pieces)) }
    if isUntrusted { entryObject.add("untrusted", true) }
    if let source = request.source { entryObject.add("source", JSONObject(source, hasBlanks: true)) }
    return entryObject.line
  }

  /// In our lists only a directory may be absolute.
  private static func place(of entry: ListEntry?) -> (directory: [UInt8]?, name: [UInt8]?) {
    guard let entry else { return (nil, nil) }
    guard let path = entry.out, entry.outMayBeAbsolute, path.first == UInt8(ascii: "/"),
      let slash = path.lastIndex(of: UInt8(ascii: "/"))
    else { return (entry.directory, entry.name ?? entry.out) }
    return (Array(path[...slash]), Array(path[(slash + 1)...]))
  }

  /// Whether a name of our JSON lists can have these bytes: UTF-8 without control characters.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }

  /// Fields by their names; those of one name are an array.
  private static func headers(_ lines: [String]) -> JSONObject {
    var fields: [(name: String, values: [[UInt8]])] = []
    for line in lines {
      let name = line.prefix { $0 != ":" }
      let value = JSONObject.quoted(String(line[name.endIndex...].dropFirst().drop { $0 == " " }))
      if let known = fields.firstIndex(where: { $0.name == name }) {
        fields[known].values.append(value)
      } else {
        fields.append((String(name), [value]))
      }
    }
    var object = JSONObject(hasBlanks: true)
    for field in fields { object.add(field.name, oneOrMore: field.values) }
    return object
  }
}
