/// A line of a payload or tag manifest.
package struct BagManifestLine: Hashable, Sendable {
  /// Counted from 1.
  package var lineNumber: Int
  package var path: BagPath
  /// Nil where the algorithm of the manifest is not known.
  package var digest: ContentDigest?
}

/// Parses `manifest-ALGORITHM.txt` and `tagmanifest-ALGORITHM.txt` (RFC 8493 sections 2.1.3 and 2.2.1).
///
///     line = HEX 1*( SP / HTAB ) [ "*" ] name
///
/// The asterisk of md5sum(1) is no part of the name. Empty lines and lines that begin with `#` are passed over, as other
/// programs do.
package struct BagManifestParser: LineParser {
  package typealias Element = BagManifestLine

  private let algorithm: DigestAlgorithm?
  private let area: BagPath.Area
  package var lines = LineSplitter()

  package init(_ name: BagManifestName) {
    algorithm = name.algorithm
    area = name.area
  }

  package func parsed(_ line: ArraySlice<UInt8>) throws(ListProblem) -> BagManifestLine {
    let hex = line.prefix { !$0.isSpace }
    var name = line[hex.endIndex...].drop(while: \.isSpace)
    if name.first == UInt8(ascii: "*") { name = name.dropFirst() }
    guard !name.isEmpty, hex.allSatisfy({ Hexadecimal.value(of: $0) != nil }) else { throw .bag(.notManifestLine) }
    var digest: ContentDigest?
    if let algorithm {
      digest = ContentDigest(algorithm, hex: hex)
      if digest == nil { throw .malformedDigest(algorithm) }
    }
    return BagManifestLine(lineNumber: lines.lineNumber, path: try BagPath(name, in: area), digest: digest)
  }
}

/// The name of a manifest file, which tells what it lists and by which algorithm.
package struct BagManifestName: Hashable, Sendable {
  package let name: [UInt8]
  package let area: BagPath.Area
  /// As in the name, in lower case.
  package let algorithmName: String
  /// Nil for an algorithm that swiftget cannot compute.
  package let algorithm: DigestAlgorithm?

  /// Nil for a file that is no manifest. Upper and lower case are the same for the algorithm only.
  package init?(_ name: [UInt8]) {
    let suffix = Array(".txt".utf8)
    guard let (area, prefix) = Self.prefixes.first(where: { name.starts(with: $0.prefix) }),
      name.count > prefix.count + suffix.count, name.suffix(suffix.count).elementsEqual(suffix)
    else { return nil }
    self.name = name
    self.area = area
    algorithmName = name[prefix.count..<(name.count - suffix.count)].loweredPrintable
    algorithm = Self.algorithm(algorithmName)
  }

  private static let prefixes: [(area: BagPath.Area, prefix: [UInt8])] = [
    (.payload, Array("manifest-".utf8)), (.tags, Array("tagmanifest-".utf8)),
  ]

  /// Section 2.4 takes punctuation out of the names of algorithms.
  private static func algorithm(_ name: String) -> DigestAlgorithm? {
    DigestAlgorithm(name: name)
      ?? DigestAlgorithm.allCases.first { $0.rawValue.filter { $0 != "-" } == name }
  }
}
