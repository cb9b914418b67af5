package import DownloadCore

/// Parses a JSON document: our own, a data package, or records that options describe.
///
///     reading ──end──► files ──► files
///        └──invalid──► done
///
/// The document is held while its entries are read; JSON Lines has no such limit.
package struct JSONDocumentParser: ManifestParser {
  /// Longer documents are an error. Bytes.
  package static let maximumByteCount = 16 << 20

  private enum State: Sendable {
    case reading([UInt8])
    case files(Files)
    case done
  }

  /// The files of a document, and the next one.
  private struct Files: Sendable {
    var form: Form
    /// Nil where the document itself is the one record.
    var elements: JSONValue.Elements?
    var document: JSONValue
    /// The lines of the elements.
    var lines: [Int]
    var index = 0
  }

  private enum Form: Sendable {
    case own, dataPackage
    case records(RecordReading, below: [UInt8]?)
  }

  private let rules: ColumnRules
  private var state = State.reading([])
  private var isAtEnd = false

  package init(_ rules: ColumnRules) { self.rules = rules }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard case .reading(var text) = state else { return }
    state = .done
    // One byte more than allowed shows that it is too long.
    text.append(contentsOf: bytes.prefix(Self.maximumByteCount + 1 - text.count))
    state = .reading(text)
  }

  package mutating func end() { isAtEnd = true }

  package mutating func next() throws(ManifestError) -> ManifestEntry? {
    while true {
      switch state {
      case .done: return nil
      case .reading(let text):
        if text.count > Self.maximumByteCount {
          state = .done
          throw ManifestError(lineNumber: 1, .json(.documentTooLong(limit: Self.maximumByteCount)))
        }
        guard isAtEnd else { return nil }
        state = .done
        if let files = try files(text) { state = .files(files) }
      case .files(var files):
        let count = files.elements?.count ?? 1
        guard files.index < count else {
          state = .done
          return nil
        }
        let index = files.index
        files.index += 1
        state = .files(files)
        let line = index < files.lines.count ? files.lines[index] : 1
        do throws(ListProblem) {
          if let entry = try entry(files, index, lineNumber: line) { return entry }
        } catch {
          throw ManifestError(lineNumber: line, error)
        }
      }
    }
  }

  private func entry(_ files: Files, _ index: Int, lineNumber: Int) throws(ListProblem) -> ManifestEntry? {
    let object = files.elements?[index] ?? files.document
    switch files.form {
    case .own: return try FileObject.entry(object, lineNumber: lineNumber, rules)
    case .dataPackage: return try DataPackage.entry(object, lineNumber: lineNumber, rules)
    case .records(let reading, let key): return try reading.entry(object, lineNumber: lineNumber, below: key)
    }
  }

  /// Nil for an empty text.
  private func files(_ bytes: [UInt8]) throws(ManifestError) -> Files? {
    let text = JSONText.withoutMark(bytes[...])
    if let mark = JSONText.utf16Problem(bytes[...]) { throw ManifestError(lineNumber: 1, mark) }
    if text.allSatisfy(JSONText.isBlank) { return nil }
    let document: JSONValue
    switch JSONValue.parse(text) {
    case .success(let value): document = value
    case .failure(let error): throw ManifestError(lineNumber: error.line, .json(error.problem))
    }
    do throws(ListProblem) {
      let (form, elements, key) = try content(document)
      let lines = elements == nil ? [1] : ElementLines.lines(of: key, in: text)
      return Files(form: form, elements: elements, document: document, lines: lines)
    } catch {
      throw ManifestError(lineNumber: 1, error)
    }
  }

  private func content(
    _ document: JSONValue
  ) throws(ListProblem) -> (form: Form, elements: JSONValue.Elements?, key: [UInt8]?) {
    if let reading = RecordReading(rules) {
      let (elements, key) = try reading.records(in: document)
      return (.records(reading, below: key), elements, key)
    }
    let resources = Array("resources".utf8)
    if document["files"] == nil, let value = document[resources[...]] {
      guard let elements = value.elements else { throw .json(.wrongType(key: resources, expected: .array)) }
      return (.dataPackage, elements, resources)
    }
    let files = Array("files".utf8)
    guard document.isObject, document["files"] != nil || document["version"] != nil else {
      throw .json(.unknownDocument)
    }
    for (key, value) in document.members {
      switch String(decoding: key, as: UTF8.self) {
      case "files": guard value.elements != nil else { throw .json(.wrongType(key: key, expected: .array)) }
      case "version": guard value.integer == 1 else { throw .json(.unknownVersion) }
      default: try FileObject.refuseUnknown(key)
      }
    }
    if document["version"] == nil { throw .json(.missingKey(Array("version".utf8))) }
    guard let elements = document[files[...]]?.elements else { throw .json(.missingKey(files)) }
    return (.own, elements, files)
  }
}

/// The text of a JSON list before it is parsed.
enum JSONText {
  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d }

  static func withoutMark(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text.starts(with: [0xef, 0xbb, 0xbf]) ? text.dropFirst(3) : text
  }

  static func utf16Problem(_ text: ArraySlice<UInt8>) -> ListProblem? {
    text.starts(with: [0xff, 0xfe]) || text.starts(with: [0xfe, 0xff]) ? .utf16 : nil
  }
}
