import DownloadCore

/// What a parser made of a text: its elements and errors, in their order.
struct Reading<Element: Equatable>: Equatable {
  enum Part: Equatable {
    case element(Element)
    case error(ManifestError)
  }

  private(set) var parts: [Part] = []

  var elements: [Element] { parts.compactMap { if case .element(let element) = $0 { element } else { nil } } }

  private mutating func take(_ next: () throws(ManifestError) -> Element?) {
    while true {
      do throws(ManifestError) {
        guard let element = try next() else { return }
        parts.append(.element(element))
      } catch {
        parts.append(.error(error))
      }
    }
  }

  static func whole(_ text: [UInt8], _ parser: some ManifestParser) -> Self where Element == ManifestEntry {
    var parser = parser
    var reading = Self()
    text.withUnsafeBytes { parser.append($0) }
    reading.take { () throws(ManifestError) in try parser.next() }
    parser.end()
    reading.take { () throws(ManifestError) in try parser.next() }
    return reading
  }

  static func inParts(_ input: FuzzInput, _ parser: some ManifestParser) -> Self where Element == ManifestEntry {
    var parser = parser
    var reading = Self()
    input.forEachPart { part in
      parser.append(part)
      reading.take { () throws(ManifestError) in try parser.next() }
    }
    parser.end()
    reading.take { () throws(ManifestError) in try parser.next() }
    return reading
  }

  static func whole<Parser: BagFileParser>(_ text: [UInt8], _ parser: Parser) -> Self where Element == Parser.Element {
    var parser = parser
    var reading = Self()
    text.withUnsafeBytes { parser.append($0) }
    reading.take { () throws(ManifestError) in try parser.next() }
    parser.end()
    reading.take { () throws(ManifestError) in try parser.next() }
    return reading
  }

  static func inParts<Parser: BagFileParser>(_ input: FuzzInput, _ parser: Parser) -> Self
  where Element == Parser.Element {
    var parser = parser
    var reading = Self()
    input.forEachPart { part in
      parser.append(part)
      reading.take { () throws(ManifestError) in try parser.next() }
    }
    parser.end()
    reading.take { () throws(ManifestError) in try parser.next() }
    return reading
  }

  /// Every error is at a line of the text. There is at most one for each line, and two for the whole.
  func requireErrors(_ text: [UInt8]) {
    // CR alone ends a line of XML and of some tables, too.
    let lineCount = text.count { $0 == 0x0a || $0 == 0x0d } + 1
    for case .error(let error) in parts {
      require((1...lineCount).contains(error.lineNumber), "an error in line \(error.lineNumber)")
    }
  }
}

/// No name that is accepted leads out of the directory of `-d`.
func requireInside(_ name: [UInt8]?) {
  guard let name, let components = try? TargetName.checked(name, controls: .all) else { return }
  require(!components.isEmpty, "a name without components")
  for component in components {
    require(!component.isEmpty && component != [0x2e] && component != [0x2e, 0x2e], "a component \(component)")
    require(!component.contains(0x2f) && !component.contains(0), "a component \(component)")
    require(component.count <= TargetName.maximumByteCount, "a component of \(component.count) bytes")
  }
}

extension ManifestEntry {
  /// - Parameter rules: what URLs may be.
  func requireValid(_ text: [UInt8], allowsReferences: Bool, namesHaveControls: Bool) {
    require(urls.isEmpty != (name == nil), "URLs and a name, or neither")
    require(name?.isEmpty != true && out?.isEmpty != true, "an empty name")
    require(Set(digests.map(\.algorithm)).count == digests.count, "two digests of an algorithm")
    require(digests.allSatisfy { $0.bytes.count == $0.algorithm.byteCount }, "a digest of another length")
    require(size ?? 0 >= 0, "a size of \(size ?? 0)")
    if let size, let pieces { require(pieces.cover(size), "pieces for another size") }
    for url in urls {
      require(!url.isEmpty && !url.contains { $0 < 0x20 || $0 == 0x7f }, "a URL with control characters")
      require(allowsReferences || url.contains("://".utf8), "a URL without scheme")
    }
    require(!headers.contains { $0.contains { $0 < 0x20 || $0 == 0x7f } }, "a header with control characters")
    let names = [name, out, directory].compactMap { $0 }
    require(namesHaveControls || !names.contains { $0.contains { $0 < 0x20 || $0 == 0x7f } }, "a name with controls")
    names.forEach(requireInside)
    if let first = urls.first {
      // What a file is named after its URL.
      for path in first.split(separator: UInt8(ascii: "?")).prefix(1) {
        requireInside(TargetName.fromURLPath(String(decoding: path, as: UTF8.self)))
      }
    }
  }
}
