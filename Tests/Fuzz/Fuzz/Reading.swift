import DownloadCore

/// What a parser made of a text: its elements and errors, in their order.
struct Reading<Element: Equatable>: Equatable {
  enum Part: Equatable {
    case element(Element)
    case error(ListError)
  }

  private(set) var parts: [Part] = []

  var elements: [Element] { parts.compactMap { if case .element(let element) = $0 { element } else { nil } } }

  /// - Parameter isWhole: gives the text at once, instead of in its parts.
  init<Parser: IncrementalParser>(_ input: FuzzInput, isWhole: Bool, _ parser: Parser) where Element == Parser.Element {
    var parser = parser
    func take(_ part: UnsafeRawBufferPointer) {
      parser.append(part)
      takeAll(of: &parser)
    }
    if isWhole { input.text.withUnsafeBytes(take) } else { input.forEachPart(take) }
    parser.end()
    takeAll(of: &parser)
  }

  private mutating func takeAll<Parser: IncrementalParser>(of parser: inout Parser) where Element == Parser.Element {
    while true {
      do throws(ListError) {
        guard let element = try parser.next() else { return }
        parts.append(.element(element))
      } catch {
        parts.append(.error(error))
      }
    }
  }

  /// Every error is at a line of the text.
  func requireErrors(_ text: [UInt8]) {
    // CR alone ends a line of XML and of some tables, too.
    let lineCount = text.count { $0 == 0x0a || $0 == 0x0d } + 1
    for case .error(let error) in parts {
      require((1...lineCount).contains(error.lineNumber), "an error in line \(error.lineNumber)")
    }
  }
}

/// No name that is accepted leads out of the directory of `-d`, or has control characters unless all of them may stand.
func requireInside(_ name: [UInt8]) {
  for controls in [ControlCharacters.none, .all] {
    guard let components = try? TargetName.checked(name, controls: controls) else { continue }
    require(!components.isEmpty, "a name without components")
    for component in components {
      require(![[], [0x2e], [0x2e, 0x2e]].contains(component), "a component \(component)")
      require(!component.contains(0x2f) && !component.contains(0), "a component \(component)")
      require(component.count <= TargetName.maximumByteCount, "a component of \(component.count) bytes")
      require(controls == .all || !component.contains { $0 < 0x20 || $0 == 0x7f }, "a component \(component)")
    }
  }
}

extension ListEntry {
  /// Names are unchecked, see `requireInside`.
  ///
  /// - Parameter hasCleanURLs: whether the parser itself refuses control characters in URLs.
  func requireValid(allowsReferences: Bool, hasCleanURLs: Bool) {
    require(urls.isEmpty != (name == nil), "URLs and a name, or neither")
    require(name?.isEmpty != true && out?.isEmpty != true, "an empty name")
    require(Set(digests.map(\.algorithm)).count == digests.count, "two digests of an algorithm")
    require(digests.allSatisfy { $0.bytes.count == $0.algorithm.byteCount }, "a digest of another length")
    require(size ?? 0 >= 0, "a size of \(size ?? 0)")
    if let size, let pieces { require(pieces.cover(size), "pieces for another size") }
    for url in urls {
      require(!url.isEmpty, "an empty URL")
      require(!hasCleanURLs || !url.contains { $0 < 0x20 || $0 == 0x7f }, "a URL with control characters")
      require(allowsReferences || url.contains("://".utf8), "a URL without scheme")
      // What a file is named after its URL.
      requireInside(TargetName.fromURLPath(String(decoding: url, as: UTF8.self)))
    }
    require(!headers.contains { $0.contains { $0 < 0x20 || $0 == 0x7f } }, "a header with control characters")
    [name, out, directory].compactMap(\.self).forEach(requireInside)
  }
}
