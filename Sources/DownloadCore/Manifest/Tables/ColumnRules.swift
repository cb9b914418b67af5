/// What the options say about the columns of tables and the values of JSON records.
package struct ColumnRules: Hashable, Sendable {
  /// Nil where the names in the header decide.
  package var choice: ColumnChoice?
  /// Makes the URL; no column holds it then.
  package var template: URLTemplate?
  /// Stands before URLs without a scheme: `https` or `http`. Nil adds one only where the format says so.
  package var scheme: String?
  /// Whether URLs may be relative references (RFC 3986 section 4.2).
  package var allowsReferences: Bool

  package init(
    choice: ColumnChoice? = nil, template: URLTemplate? = nil, scheme: String? = nil, allowsReferences: Bool = false
  ) {
    self.choice = choice
    self.template = template
    self.scheme = scheme
    self.allowsReferences = allowsReferences
  }

  /// Whether fields may be parts of URLs.
  var addsToURLs: Bool { scheme != nil || allowsReferences }

  /// Whether all columns are numbers, so that a table needs no header.
  var hasNumbersOnly: Bool {
    for part in template?.parts ?? [] { if case .column(.name, _) = part { return false } }
    return choice?.hasNumbersOnly ?? (template != nil)
  }
}

extension ManifestEntry {
  /// Adds a URL of a table or a JSON list, and the digests in its fragment.
  ///
  /// - Throws: for an empty URL, one without a scheme where none is added, and control characters.
  package mutating func addURL(_ text: ArraySlice<UInt8>, _ rules: ColumnRules) throws(ListProblem) {
    let text = text.trimmed
    if text.isEmpty { throw .table(.emptyURL) }
    if text.contains(where: { $0.isControl }) { throw .controlCharacter }
    if !URLScheme.begins(text) {
      if let scheme = rules.scheme { return addName(text, scheme: scheme) }
      guard rules.allowsReferences else { throw .table(.notURL(Array(text))) }
    }
    let (url, digests) = try URLFragment.split(text)
    if url.isEmpty { throw .table(.emptyURL) }
    urls.append(Array(url))
    for digest in digests { try self.digests.add(digest) }
  }

  /// Adds `scheme://name`. The name of a host and a path as FTP servers know it have neither query nor fragment: `#`,
  /// `?` and blanks are escaped, as in `7069_2#1.bam` of ENA's reports. Valid escapes stay.
  mutating func addName(_ name: ArraySlice<UInt8>, scheme: String) {
    var url = Array(scheme.utf8) + Array("://".utf8)
    url.reserveCapacity(url.count + name.count + 8)
    for (index, byte) in zip(name.indices, name) {
      let escapes: Bool
      switch byte {
      case UInt8(ascii: "#"), UInt8(ascii: "?"), UInt8(ascii: " "): escapes = true
      case UInt8(ascii: "%"):
        let digits = name[(index + 1)...].prefix(2)
        escapes = digits.count < 2 || !digits.allSatisfy { Hexadecimal.value(of: $0) != nil }
      default: escapes = false
      }
      if escapes { PercentEncoding.appendEscape(byte, to: &url) } else { url.append(byte) }
    }
    urls.append(url)
  }

  /// Sets the size; an empty text leaves it.
  package mutating func setSize(_ text: ArraySlice<UInt8>) throws(ListProblem) {
    let text = text.trimmed
    if text.isEmpty { return }
    guard let size = Int64(digits: text) else { throw .table(.notSize(Array(text))) }
    self.size = size
  }

  /// Adds a digest of this algorithm: hexadecimal digits or base64, or with the algorithm's name as in `md5:HEX` and
  /// `sha256-BASE64`. An empty text adds none.
  package mutating func addDigest(_ text: ArraySlice<UInt8>, _ algorithm: DigestAlgorithm) throws(ListProblem) {
    let text = text.trimmed
    if text.isEmpty { return }
    guard let digest = ContentDigest(algorithm, value: text) ?? ContentDigest(stated: text),
      digest.algorithm == algorithm
    else { throw .malformedDigest(algorithm) }
    try digests.add(digest)
  }

  /// Adds a digest that names its algorithm, as `StatedDigest` reads it. An empty text adds none.
  package mutating func addNamedDigest(_ text: ArraySlice<UInt8>) throws(ListProblem) {
    let text = text.trimmed
    if text.isEmpty { return }
    switch StatedDigest(text) {
    case .digest(let digest): try digests.add(digest)
    case .malformed(let algorithm): throw .malformedDigest(algorithm)
    case .unknown(let name): throw .unknownAlgorithm(Array(name.utf8))
    case nil:
      guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { throw .table(.unnamedDigest) }
      throw .unknownAlgorithm(Array(text[..<colon]))
    }
  }
}
