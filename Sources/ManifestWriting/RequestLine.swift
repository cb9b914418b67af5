package import DownloadCore

/// The line of a request in a list of swiftget's own schema: all that its own list says of it, so that it can be asked for
/// again.
///
///     {"url": "…", "out": "NAME", "size": 4, "checksum": {"sha256": "HEX"}, "x-source": "LIST:7", "x-error": "…"}
package struct RequestLine {
  private let text: [UInt8]

  /// - Parameters:
  ///   - entry: of its list; nil for a URL of the command line. Only the names are taken from it, as options have not
  ///     changed these yet.
  ///   - isUntrusted: whether its URLs come from the network, from origins that the command line does not name.
  /// - Returns: nil where a list of JSON cannot hold the name.
  package init?(_ request: DownloadRequest, of entry: ManifestEntry?, isUntrusted: Bool) {
    var line = Line()
    line.add("url", Self.oneOrMore(request.mirrors.map(Self.url)))
    if let name = entry?.name ?? entry?.out {
      guard Self.isText(name) else { return nil }
      line.add("out", Self.quoted(name))
    }
    if let directory = entry?.directory {
      guard Self.isText(directory) else { return nil }
      line.add("dir", Self.quoted(directory))
    }
    if let length = request.expectedLength { line.add("size", Array(String(length).utf8)) }
    if !request.digests.isEmpty {
      let digests = request.digests.map { (Array($0.algorithm.rawValue.utf8), Self.quoted($0.hex)) }
      line.add("checksum", Self.object(digests))
    }
    if !request.headers.isEmpty { line.add("headers", Self.headers(request.headers)) }
    if let pieces = request.pieces {
      line.add(
        "pieces",
        Self.object([
          (Array("algorithm".utf8), Self.quoted(pieces.algorithm.rawValue)),
          (Array("length".utf8), Array(String(pieces.length).utf8)),
          (Array("hashes".utf8), Self.array(pieces.digests.map { Self.quoted($0.hex) })),
        ]))
    }
    if isUntrusted { line.add("untrusted", Array("true".utf8)) }
    if let source = request.source { line.add("x-source", Self.quoted(source.text)) }
    text = line.text
  }

  /// The whole line.
  ///
  /// - Parameter reason: why the request is here; without secrets.
  package func line(reason: [UInt8]) -> [UInt8] {
    text + Array(", \"x-error\": ".utf8) + Self.quoted(reason) + Array("}\n".utf8)
  }

  /// Members of an object, without its end.
  private struct Line {
    var text: [UInt8] = []

    mutating func add(_ key: StaticString, _ value: [UInt8]) {
      text += (text.isEmpty ? "{" : ", ").utf8
      text += RequestLine.quoted(key.withUTF8Buffer { Array($0) })
      text += ": ".utf8
      text += value
    }
  }

  /// Whether a name of our JSON lists can have these bytes: UTF-8 without control characters.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }

  /// With its credentials.
  private static func url(_ mirror: MirrorURL) -> [UInt8] {
    let url = Array(mirror.location.text.utf8)
    guard let userinfo = mirror.userinfo else { return quoted(url) }
    let start = mirror.location.scheme.rawValue.utf8.count + "://".utf8.count
    var text = Array(url[..<start])
    let parts = userinfo.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ":")) }
      PercentEncoding.append(userinfo: part, to: &text)
    }
    return quoted(text + [UInt8(ascii: "@")] + url[start...])
  }

  /// Fields by their names; those of one name are an array.
  private static func headers(_ lines: [String]) -> [UInt8] {
    var fields: [(name: [UInt8], values: [[UInt8]])] = []
    for line in lines {
      let parts = line.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      let name = Array(parts[0])
      let value = quoted(Array(parts.count > 1 ? parts[1].drop { $0 == UInt8(ascii: " ") } : ""[...].utf8))
      if let known = fields.firstIndex(where: { $0.name == name }) {
        fields[known].values.append(value)
      } else {
        fields.append((name, [value]))
      }
    }
    return object(fields.map { ($0.name, oneOrMore($0.values)) })
  }

  // MARK: Values of JSON

  private static func quoted(_ text: [UInt8]) -> [UInt8] {
    var quoted: [UInt8] = []
    JSONString.append(text, to: &quoted)
    return quoted
  }

  private static func quoted(_ text: String) -> [UInt8] { quoted(Array(text.utf8)) }

  private static func oneOrMore(_ values: [[UInt8]]) -> [UInt8] { values.count == 1 ? values[0] : array(values) }

  private static func array(_ values: [[UInt8]]) -> [UInt8] {
    [UInt8(ascii: "[")] + values.joined(separator: Array(", ".utf8)) + [UInt8(ascii: "]")]
  }

  private static func object(_ members: [(key: [UInt8], value: [UInt8])]) -> [UInt8] {
    let texts = members.map { quoted($0.key) + Array(": ".utf8) + $0.value }
    return [UInt8(ascii: "{")] + texts.joined(separator: Array(", ".utf8)) + [UInt8(ascii: "}")]
  }
}
