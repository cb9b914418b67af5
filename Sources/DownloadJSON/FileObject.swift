import DownloadCore

/// An entry of our own schema, `share/swiftget/manifest.schema.json`.
///
///     {"url": "…" or ["…", …], "out": "sub/name", "dir": "data", "size": 123,
///      "checksum": {"sha256": "HEX"} or "sha256:HEX", "headers": {"Name": "value" or ["value", …]},
///      "pieces": {"algorithm": "sha256", "length": 1048576, "hashes": ["HEX", …]}, "untrusted": true}
///
/// Those in `informative`, which our own lists have, and keys that begin with `x-` are passed over; other unknown ones are
/// errors.
enum FileObject {
  /// Why an entry is in the list of `--failed` and where it comes from, what a lock file says of the answer, and what an
  /// export of a session says of its tasks.
  private static let informative: Set = [
    "reason", "source", "final_url", "etag", "last_modified", "key", "info", "group", "priority",
  ]

  static func entry(
    _ object: JSONValue, lineNumber: Int, _ rules: ColumnRules
  ) throws(ListProblem) -> ListEntry {
    guard object.isObject else { throw .json(.wrongType(key: nil, expected: .object)) }
    var entry = ListEntry(lineNumber: lineNumber)
    var pieces: JSONValue?
    for (key, value) in object.members {
      switch String(decoding: key, as: UTF8.self) {
      case "url": try addURLs(value, rules, to: &entry)
      case "out": entry.out = try text(value, key)
      case "dir": entry.directory = try text(value, key)
      case "size": entry.size = try size(value, key)
      case "checksum": try addChecksum(value, key, to: &entry)
      case "headers": try addHeaders(value, key, to: &entry)
      case "pieces": pieces = value
      case "untrusted":
        guard let isUntrusted = value.boolean else { throw .json(.wrongType(key: key, expected: .boolean)) }
        entry.isUntrusted = isUntrusted
      case let name where informative.contains(name): break
      default: try refuseUnknown(key)
      }
    }
    if entry.urls.isEmpty { throw .json(.missingKey(Array("url".utf8))) }
    if let pieces { entry.pieces = try self.pieces(pieces, size: entry.size) }
    return entry
  }

  /// - Throws: unless the key begins with `x-`.
  static func refuseUnknown(_ key: [UInt8]) throws(ListProblem) {
    if !key.starts(with: "x-".utf8) { throw .json(.unknownKey(key)) }
  }

  /// A text with content.
  static func text(_ value: JSONValue, _ key: [UInt8]) throws(ListProblem) -> [UInt8] {
    guard let text = value.text else { throw .json(.wrongType(key: key, expected: .text)) }
    if text.isEmpty { throw .json(.emptyValue(key: key)) }
    return text
  }

  static func size(_ value: JSONValue, _ key: [UInt8]) throws(ListProblem) -> Int64 {
    guard let size = value.integer, size >= 0 else { throw .json(.notSize(key: key)) }
    return size
  }

  /// One URL or several, the preferred one first.
  static func addURLs(
    _ value: JSONValue, _ rules: ColumnRules, to entry: inout ListEntry
  ) throws(ListProblem) {
    let key = Array("url".utf8)
    if let text = value.text { return try entry.addURL(text[...], rules) }
    guard let elements = value.elements else { throw .json(.wrongType(key: key, expected: .texts)) }
    if elements.isEmpty { throw .json(.emptyValue(key: key)) }
    for element in elements {
      guard let text = element.text else { throw .json(.wrongType(key: key, expected: .texts)) }
      try entry.addURL(text[...], rules)
    }
  }

  private static func addChecksum(
    _ value: JSONValue, _ key: [UInt8], to entry: inout ListEntry
  ) throws(ListProblem) {
    if let text = value.text {
      if text.isEmpty { throw .json(.emptyValue(key: key)) }
      return try entry.addNamedDigest(text[...])
    }
    guard value.isObject else { throw .json(.wrongType(key: key, expected: .checksum)) }
    let members = value.members
    if members.isEmpty { throw .json(.emptyValue(key: key)) }
    for (name, value) in members {
      guard let algorithm = algorithm(name) else { throw .unknownAlgorithm(name) }
      try entry.addDigest(try text(value, name)[...], algorithm)
    }
  }

  private static func algorithm(_ name: [UInt8]) -> DigestAlgorithm? {
    DigestAlgorithm(name: String(decoding: name, as: UTF8.self))
  }

  private static func addHeaders(
    _ value: JSONValue, _ key: [UInt8], to entry: inout ListEntry
  ) throws(ListProblem) {
    guard value.isObject else { throw .json(.wrongType(key: key, expected: .object)) }
    for (name, value) in value.members {
      let values = value.elements.map(Array.init) ?? [value]
      if values.isEmpty { throw .json(.emptyValue(key: name)) }
      for value in values {
        guard let text = value.text else { throw .json(.wrongType(key: name, expected: .texts)) }
        guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter), text.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
          throw .json(.malformedHeader)
        }
        entry.headers.append(name + Array(": ".utf8) + text)
      }
    }
  }

  private static func pieces(_ value: JSONValue, size: Int64?) throws(ListProblem) -> PieceHashes {
    let key = Array("pieces".utf8)
    guard value.isObject else { throw .json(.wrongType(key: key, expected: .object)) }
    for (name, _) in value.members
    where !["algorithm", "length", "hashes"].contains(String(decoding: name, as: UTF8.self)) {
      try refuseUnknown(name)
    }
    func member(_ name: StaticString) throws(ListProblem) -> (key: [UInt8], value: JSONValue) {
      let key = name.withUTF8Buffer { Array($0) }
      guard let member = value[key[...]] else { throw .json(.missingKey(key)) }
      return (key, member)
    }
    let (algorithmKey, algorithmValue) = try member("algorithm")
    let name = try text(algorithmValue, algorithmKey)
    guard let algorithm = algorithm(name) else { throw .unknownAlgorithm(name) }
    let (lengthKey, lengthValue) = try member("length")
    let length = try self.size(lengthValue, lengthKey)
    if length == 0 { throw .json(.notSize(key: lengthKey)) }
    let (hashesKey, hashesValue) = try member("hashes")
    guard let elements = hashesValue.elements else { throw .json(.wrongType(key: hashesKey, expected: .array)) }
    var digests: [ContentDigest] = []
    for element in elements {
      guard let digest = ContentDigest(algorithm, hex: try text(element, hashesKey)) else {
        throw .malformedDigest(algorithm)
      }
      digests.append(digest)
    }
    guard let pieces = PieceHashes(length: length, digests: digests) else { throw .json(.emptyValue(key: hashesKey)) }
    if let size, !pieces.cover(size) { throw .json(.pieceCount(found: digests.count, size: size)) }
    return pieces
  }
}
