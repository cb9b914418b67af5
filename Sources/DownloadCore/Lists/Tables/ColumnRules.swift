/// What the options say about the columns of tables and the values of JSON records.
package struct ColumnRules: Hashable, Sendable {
  /// Nil where the names in the header decide.
  package var choice: ColumnChoice?
  /// Makes the URL; no column holds it then.
  package var template: URLTemplate?
  /// Columns whose values name the file, for `--output-template`. Each row needs all of them.
  package var variables: [ColumnChoice.Column] = []
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
    for column in variables { if case .name = column { return false } }
    for part in template?.parts ?? [] { if case .column(.name, _) = part { return false } }
    return choice?.hasNumbersOnly ?? (template != nil)
  }
}

extension ListEntry {
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
  ///
  /// - Throws: for what is no size, and for another one than before.
  package mutating func setSize(_ text: ArraySlice<UInt8>) throws(ListProblem) {
    let text = text.trimmed
    if text.isEmpty { return }
    guard let size = Int64(digits: text) else { throw .table(.notSize(Array(text))) }
    if let known = self.size, known != size { throw .contradictorySizes(known, size) }
    self.size = size
  }

  /// Adds a digest of this algorithm: hexadecimal digits, base64 or a multihash, or with the algorithm's name as in
  /// `md5:HEX` and `sha256-BASE64`. An empty text adds none, and a URL only says that there is a digest elsewhere.
  package mutating func addDigest(_ text: ArraySlice<UInt8>, _ algorithm: DigestAlgorithm) throws(ListProblem) {
    let text = text.trimmed
    if text.isEmpty { return }
    if let digest = ContentDigest(algorithm, value: text) ?? ContentDigest(stated: text),
      digest.algorithm == algorithm
    {
      try digests.add(digest)
    } else if URLScheme.begins(text) {
      hasUnknownDigest = true
    } else {
      throw .malformedDigest(algorithm)
    }
  }

  /// Adds a digest whose algorithm has this name. Without a digest, the name means nothing.
  ///
  /// - Throws: for an algorithm that swiftget does not compute.
  package mutating func addDigest(
    _ text: ArraySlice<UInt8>, named name: ArraySlice<UInt8>
  ) throws(ListProblem) {
    if text.trimmed.isEmpty { return }
    guard let algorithm = DigestAlgorithm(name: name.trimmed.loweredPrintable) else {
      throw .unknownAlgorithm(Array(name.trimmed))
    }
    try addDigest(text, algorithm)
  }

  /// Adds digests that name their algorithms, as `StatedDigests` reads them. An empty text adds none.
  ///
  /// - Throws: where all of them are of unknown algorithms, too.
  package mutating func addNamedDigest(_ text: ArraySlice<UInt8>) throws(ListProblem) {
    let text = text.trimmed
    if text.isEmpty { return }
    let stated = try StatedDigests(text)
    if stated.digests.isEmpty, let name = stated.unknown.first { throw .unknownAlgorithm(Array(name.utf8)) }
    for digest in stated.digests { try digests.add(digest) }
  }
}
