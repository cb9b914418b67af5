import DownloadCore

/// Where a Metalink document comes from.
package struct MetalinkOrigin: Sendable, Equatable {
  /// The URL at which the document may be found again, as written; nil where it is not told.
  package var url: [UInt8]?
  /// Whether the document changes there, as opposed to being the same forever.
  package var isDynamic = false

  package init(url: [UInt8]? = nil, isDynamic: Bool = false) {
    self.url = url
    self.isDynamic = isDynamic
  }
}

/// Makes entries of the elements and texts of a document. It knows nothing of XML's syntax.
///
///     before root ──metalink──► open ──file──► in file ──/file──► open ──/metalink──► after root
///                                                 └──anything invalid──► passed over until /file ──► open
///
/// Metalink 4 is RFC 5854, Metalink 3 the specification "Metalink 3.0, second edition". Elements that are not known, of
/// other namespaces, or in a place where they mean nothing, are passed over with everything in them. Of a document one
/// file is held at a time.
struct MetalinkDocument: Sendable {
  /// Metalink needs 6 levels. The rest is for extensions, whose elements are counted but not held.
  static let maximumDepth = 32
  /// Bytes of a text or an attribute that is read: URLs and names are shorter by far. Other text may have any length.
  static let maximumTextByteCount = 64 << 10

  enum Finding: Equatable, Sendable {
    case entry(ListEntry)
    /// The file is invalid; the following ones are not affected.
    case invalid(ListError)
    /// Nothing more can be read.
    case unreadable(ListError)
  }

  private enum Version { case three, four }

  /// An open element that is read.
  private enum Place {
    case metalink, files, file, verification, pieces, resources
    case text(Content)
  }

  /// What the text of an element is.
  private enum Content {
    case size, language, system, origin
    case hash(DigestAlgorithm)
    case pieceHash(number: Int?)
    case url(location: Int, priority: Int64)
  }

  private let preferences: MetalinkPreferences
  private(set) var origin = MetalinkOrigin()
  /// Of the root element; nil before it.
  private var root: (version: Version, namespace: MetalinkName.Namespace)?
  /// The outermost one first.
  private var open: [Place] = []
  /// The number of open elements below these.
  private var passedOverCount = 0
  private var file: MetalinkFile?
  private var pieces: MetalinkPieces?
  private var text: [UInt8] = []
  /// The line of the start tag whose text is collected.
  private var textLineNumber = 0

  init(_ preferences: MetalinkPreferences) { self.preferences = preferences }

  /// Whether the next element will be passed over, whatever its name and attributes.
  var isPassingOver: Bool { passedOverCount > 0 }

  // MARK: Events

  mutating func started(
    _ name: MetalinkName, _ attributes: @autoclosure () -> MetalinkAttributes, line: Int
  ) -> Finding? {
    if open.count + passedOverCount >= Self.maximumDepth {
      return .unreadable(ListError(lineNumber: line, .metalink(.nestedTooDeeply)))
    }
    if isPassingOver {
      passedOverCount += 1
      return nil
    }
    guard let root, let parent = open.last else { return startedRoot(name, attributes(), line) }
    if case .text(let content) = parent { return startedInText(content, line) }
    guard name.namespace == root.namespace, let element = name.element else {
      passedOverCount = 1
      return nil
    }
    do throws(ListProblem) {
      let attributes = attributes()
      if attributes.longest > Self.maximumTextByteCount { throw .metalink(.textTooLong) }
      if let place = try place(of: element, in: parent, root.version, attributes, line) {
        open.append(place)
        text.removeAll(keepingCapacity: true)
        textLineNumber = line
      } else {
        passedOverCount = 1
      }
      return nil
    } catch {
      return refused(error, line, unopenedCount: 1)
    }
  }

  mutating func took(_ part: UnsafeRawBufferPointer) {
    guard !isPassingOver, case .text? = open.last else { return }
    // One byte too many is enough to see that the text is too long.
    text.append(contentsOf: part.prefix(Self.maximumTextByteCount + 1 - text.count))
  }

  mutating func ended(line: Int) -> Finding? {
    if isPassingOver {
      passedOverCount -= 1
      return nil
    }
    guard let place = open.popLast() else { return nil }
    do throws(ListProblem) {
      switch place {
      case .metalink, .files, .verification, .resources: return nil
      case .text(let content):
        try take(content)
        return nil
      case .pieces:
        if let pieces { try file?.add(pieces) }
        pieces = nil
        return nil
      case .file:
        guard let ended = file else { return nil }
        file = nil
        do throws(ListProblem) {
          return try ended.entry().map { .entry($0) }
        } catch {
          return .invalid(ListError(lineNumber: ended.lineNumber, error))
        }
      }
    } catch {
      return refused(error, textLineNumber, unopenedCount: 0)
    }
  }

  // MARK: Starts

  private mutating func startedRoot(_ name: MetalinkName, _ attributes: MetalinkAttributes, _ line: Int) -> Finding? {
    let version: Version
    switch name.namespace {
    case .version3: version = .three
    case .version4: version = .four
    // Only Metalink 3 has the attribute.
    case .none: version = attributes[.version] == nil ? .four : .three
    case .other: return .unreadable(ListError(lineNumber: line, .metalink(.notMetalink)))
    }
    guard name.element == .metalink else {
      return .unreadable(ListError(lineNumber: line, .metalink(.notMetalink)))
    }
    root = (version, name.namespace)
    open.append(.metalink)
    if version == .three {
      origin.url = attributes[.origin].map { Array($0.prefix(Self.maximumTextByteCount)) }
      origin.isDynamic = attributes.token(.type) == Array("dynamic".utf8)
    }
    return nil
  }

  /// A URL or number in which something else stands could be read in several ways.
  private mutating func startedInText(_ content: Content, _ line: Int) -> Finding? {
    if case .origin = content {
      passedOverCount = 1
      return nil
    }
    return refused(.metalink(.elementInText), line, unopenedCount: 1)
  }

  /// - Returns: nil for an element that is passed over.
  private mutating func place(
    of element: MetalinkElement, in parent: Place, _ version: Version, _ attributes: MetalinkAttributes, _ line: Int
  ) throws(ListProblem) -> Place? {
    switch (parent, element, version) {
    case (.metalink, .files, .three): return .files
    case (.files, .file, .three), (.metalink, .file, .four):
      guard let name = attributes[.name], !name.isEmpty else { throw .metalink(.missingAttribute("name", of: "file")) }
      file = MetalinkFile(name: name, lineNumber: line)
      return .file
    case (.metalink, .origin, .four):
      origin.isDynamic = attributes.token(.dynamic) == Array("true".utf8)
      return .text(.origin)
    case (.file, .verification, .three): return .verification
    case (.file, .resources, .three): return .resources
    case (.file, .size, _): return .text(.size)
    case (.file, .language, _): return .text(.language)
    case (.file, .os, _): return .text(.system)
    case (.file, .hash, .four), (.verification, .hash, .three):
      if let algorithm = try Self.algorithm(of: "hash", attributes) { return .text(.hash(algorithm)) }
      file?.noteUnknownDigest()
      return nil
    case (.file, .pieces, .four), (.verification, .pieces, .three):
      guard let length = attributes.token(.length) else { throw .metalink(.missingAttribute("length", of: "pieces")) }
      guard let algorithm = try Self.algorithm(of: "pieces", attributes) else {
        file?.noteUnknownDigest()
        return nil
      }
      guard let length = Int64(digits: length), length > 0 else { throw .metalink(.malformedPieceLength(length)) }
      pieces = MetalinkPieces(algorithm: algorithm, length: length)
      return .pieces
    case (.pieces, .hash, _):
      guard version == .three, let text = attributes.token(.piece) else { return .text(.pieceHash(number: nil)) }
      guard let number = Int64(digits: text) else { throw .metalink(.pieceNumbers) }
      return .text(.pieceHash(number: Int(number)))
    case (.file, .metaurl, .four):
      file?.note(otherMediaType: attributes[.mediatype] ?? Array("metaurl".utf8))
      return nil
    case (.resources, .url, .three):
      guard attributes.token(.type) != Array("bittorrent".utf8) else {
        file?.note(otherMediaType: Array("bittorrent".utf8))
        return nil
      }
      return url(attributes, priority: Self.number(attributes.token(.preference)).map { 100 - min($0, 100) })
    case (.file, .url, .four): return url(attributes, priority: Self.number(attributes.token(.priority)))
    default: return nil
    }
  }

  /// - Parameter priority: nil, which comes last, where the document gives none that is a number.
  private func url(_ attributes: MetalinkAttributes, priority: Int64?) -> Place {
    .text(.url(location: preferences.rank(location: attributes.token(.location)), priority: priority ?? .max))
  }

  /// Nil for an algorithm that is not known.
  private static func algorithm(
    of element: String, _ attributes: MetalinkAttributes
  ) throws(ListProblem) -> DigestAlgorithm? {
    guard let type = attributes.token(.type) else { throw .metalink(.missingAttribute("type", of: element)) }
    return DigestAlgorithm(name: String(decoding: type, as: UTF8.self))
  }

  private static func number(_ text: [UInt8]?) -> Int64? { text.flatMap { Int64(digits: $0) } }

  // MARK: Ends

  /// The text of an element is complete.
  private mutating func take(_ content: Content) throws(ListProblem) {
    if text.count > Self.maximumTextByteCount {
      if case .origin = content { return }
      throw .metalink(.textTooLong)
    }
    let text = text.trimmedAsXML
    switch content {
    case .size: try file?.setSize(text)
    case .language: file?.note(languageIsWanted: preferences.accepts(language: text))
    case .system: file?.note(systemIsWanted: preferences.accepts(system: text))
    case .origin: origin.url = Array(text)
    case .hash(let algorithm):
      guard let digest = ContentDigest(algorithm, hex: text) else { throw .malformedDigest(algorithm) }
      try file?.add(digest)
    case .pieceHash(let number): try pieces?.add(text, number: number)
    case .url(let location, let priority):
      guard preferences.accepts(url: text) else { return }
      try file?.add(url: text, location: location, priority: priority)
    }
  }

  /// Gives up the file and passes over the rest of it.
  ///
  /// - Parameter unopenedCount: elements that are open in the document and not in `open`.
  private mutating func refused(_ problem: ListProblem, _ line: Int, unopenedCount: Int) -> Finding {
    file = nil
    pieces = nil
    if let index = open.lastIndex(where: { if case .file = $0 { true } else { false } }) {
      passedOverCount = open.count - index
      open.removeSubrange(index...)
    }
    passedOverCount += unopenedCount
    return .invalid(ListError(lineNumber: line, problem))
  }
}

extension [UInt8] {
  /// Without XML's white space at both ends.
  var trimmedAsXML: ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) && byte != 0x0b && byte != 0x0c }
    guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
      return []
    }
    return self[first...last]
  }
}
