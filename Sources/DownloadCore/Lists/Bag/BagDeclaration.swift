/// `bagit.txt`, which declares a directory to be a bag (RFC 8493 section 2.1.1).
///
///     BagIt-Version: 1.0
///     Tag-File-Character-Encoding: UTF-8
///
/// The RFC allows exactly these lines. Bags of earlier drafts may have blanks before the colon, the lines in another
/// order, and further ones.
package struct BagDeclaration: Hashable, Sendable {
  /// Versions whose rules are known, in their order.
  package enum Version: String, Hashable, Sendable, CaseIterable {
    case v0_93 = "0.93"
    case v0_94 = "0.94"
    case v0_95 = "0.95"
    case v0_96 = "0.96"
    case v0_97 = "0.97"
    case v1_0 = "1.0"

    /// Whether every payload manifest must list every payload file, each exactly once.
    package var requiresWholeManifests: Bool { self == .v1_0 }

    /// The file with the description of the bag.
    package var infoName: [UInt8] {
      switch self {
      case .v0_93, .v0_94, .v0_95: Array("package-info.txt".utf8)
      case .v0_96, .v0_97, .v1_0: Array("bag-info.txt".utf8)
      }
    }
  }

  package let version: Version

  /// A longer file is no declaration. Bytes.
  package static let maximumByteCount = 4096

  /// - Parameter bytes: the whole file.
  /// - Throws: what is wrong, with the number of the line.
  package init(_ bytes: some Collection<UInt8>) throws(ListError) {
    let bytes = Array(bytes)[...]
    if bytes.starts(with: ByteOrderMark.utf8) { throw Self.error(.byteOrderMark, 1) }
    guard bytes.count <= Self.maximumByteCount else { throw Self.error(.malformedDeclaration, 1) }
    var lines = Self.lines(of: bytes)
    while lines.last?.trimmed.isEmpty ?? false { lines.removeLast() }
    var version: Version?
    var hasEncoding = false
    for (index, line) in lines.enumerated() {
      guard let tag = BagTag(line) else { throw Self.error(.malformedDeclaration, index + 1) }
      if tag.label.elementsEqual("BagIt-Version".utf8), version == nil {
        guard let known = Version(rawValue: String(decoding: tag.value, as: UTF8.self)) else {
          throw Self.error(.unknownVersion(Array(tag.value)), index + 1)
        }
        version = known
      } else if tag.label.elementsEqual("Tag-File-Character-Encoding".utf8), !hasEncoding {
        guard tag.value.equals(folded: "utf-8") else {
          throw Self.error(.unsupportedEncoding(Array(tag.value)), index + 1)
        }
        hasEncoding = true
      }
    }
    guard let version, hasEncoding else { throw Self.error(.malformedDeclaration, max(1, lines.count)) }
    if version == .v1_0 { try Self.requireForm(lines) }
    self.version = version
  }

  /// What the RFC demands and earlier drafts did not.
  private static func requireForm(_ lines: [ArraySlice<UInt8>]) throws(ListError) {
    for (index, label) in ["BagIt-Version: ", "Tag-File-Character-Encoding: "].enumerated() {
      guard index < lines.count, lines[index].starts(with: label.utf8) else {
        throw error(.malformedDeclaration, min(index, lines.count - 1) + 1)
      }
    }
    if lines.count > 2 { throw error(.malformedDeclaration, 3) }
  }

  /// Lines end with LF, CR or both (section 2).
  private static func lines(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = text.startIndex
    var index = start
    while index < text.endIndex {
      if text[index] == 0x0a || text[index] == 0x0d {
        lines.append(text[start..<index])
        if text[index] == 0x0d, index + 1 < text.endIndex, text[index + 1] == 0x0a { index += 1 }
        start = index + 1
      }
      index += 1
    }
    return lines + [text[start...]]
  }

  private static func error(_ problem: BagProblem, _ line: Int) -> ListError {
    ListError(lineNumber: line, .bag(problem))
  }
}

/// A line `LABEL: VALUE` of `bagit.txt` or `bag-info.txt`.
struct BagTag {
  /// Without blanks at both ends, not empty.
  let label: ArraySlice<UInt8>
  /// Without blanks at both ends.
  let value: ArraySlice<UInt8>

  /// Nil for a line of another form.
  init?(_ line: ArraySlice<UInt8>) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    label = line[..<colon].trimmed
    value = line[(colon + 1)...].trimmed
    if label.isEmpty { return nil }
  }
}
