package import DownloadCore

/// Parses a JSON document: our own, a data package, or records that options describe. Its entries are parsed one by one,
/// so that a document of any length takes little memory.
///
///     undecided ──array──► own, dataPackage or records ──end──► done
///         ├──end of an object, with columns──► one record ──► done
///         └──invalid──► done
package struct JSONDocumentParser: ManifestParser {
  /// Longer entries, other values, and documents of one record are errors. Bytes.
  package static let maximumPartByteCount = DocumentSplitter.maximumPartByteCount

  private enum Form: Equatable, Sendable {
    case undecided, own, dataPackage
    /// The elements of the array of this key; nil where the document is the array.
    case records(below: [UInt8]?)
    case done
  }

  private static let files = Array("files".utf8)
  private static let resources = Array("resources".utf8)
  private static let version = Array("version".utf8)

  private let rules: ColumnRules
  private var reading: RecordReading?
  private var splitter: DocumentSplitter
  private var form = Form.undecided
  /// The first bytes, until they show whether a byte order mark stands there; nil after that.
  private var beginning: [UInt8]? = []
  /// What was found, and not yet handed out.
  private var found: [Result<DocumentSplitter.Part, DocumentSplitter.Fault>] = []
  private var nextFound = 0
  /// The whole text, as long as it may be one record.
  private var record: [UInt8]
  private var isUTF16 = false
  private var isAtEnd = false
  private var hasVersion = false
  /// The line of a member that says that the list goes on elsewhere.
  private var nextPageLine: Int?
  /// What is wrong with the first member that is wrong in a document of our own.
  private var memberError: ManifestError?

  package init(_ rules: ColumnRules) {
    self.rules = rules
    reading = RecordReading(rules)
    record = []
    splitter = DocumentSplitter(arrays: reading?.arrays ?? [Self.files, Self.resources], mayBeArray: true)
  }

  // MARK: The text

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = beginning else { return split(bytes) }
    let known = start + bytes.prefix(ByteOrderMark.maximumByteCount - start.count)
    beginning = known
    guard known.count == ByteOrderMark.maximumByteCount else { return }
    begin()
    split(UnsafeRawBufferPointer(rebasing: bytes[(known.count - start.count)...]))
  }

  package mutating func end() {
    if beginning != nil { begin() }
    isAtEnd = true
  }

  /// The first bytes are there, or all there will be.
  private mutating func begin() {
    let first = beginning ?? []
    beginning = nil
    isUTF16 = ByteOrderMark.isUTF16(first[...])
    Array(ByteOrderMark.removed(from: first[...])).withUnsafeBytes { split($0) }
  }

  private mutating func split(_ bytes: UnsafeRawBufferPointer) {
    guard form != .done, !isUTF16 else { return }
    var found = found
    self.found = []
    splitter.append(bytes) { found.append($0) }
    self.found = found
    if reading != nil, form == .undecided, record.count <= Self.maximumPartByteCount {
      record.append(contentsOf: bytes.prefix(Self.maximumPartByteCount + 1 - record.count))
    }
  }

  // MARK: Entries

  package mutating func next() throws(ManifestError) -> ManifestEntry? {
    do throws(ManifestError) {
      return try nextEntry()
    } catch {
      // After an error of syntax nobody knows where the next entry begins.
      if case .json(let problem) = error.problem, problem.endsDocument { finish() }
      throw error
    }
  }

  private mutating func finish() {
    form = .done
    found = []
    nextFound = 0
    record = []
  }

  private mutating func nextEntry() throws(ManifestError) -> ManifestEntry? {
    if isUTF16, form != .done {
      finish()
      throw ManifestError(lineNumber: 1, .utf16)
    }
    while nextFound < found.count {
      let part = found[nextFound]
      nextFound += 1
      switch part {
      case .failure(let fault): throw Self.error(fault)
      case .success(.array(let key, let line)):
        do throws(ListProblem) { try begin(array: key) } catch {
          finish()
          throw ManifestError(lineNumber: line, error)
        }
      case .success(.member(let key, let text)): try take(key, text)
      case .success(.element(let text)): if let entry = try entry(text) { return entry }
      }
    }
    found.removeAll(keepingCapacity: true)
    nextFound = 0
    guard isAtEnd, form != .done else { return nil }
    defer { finish() }
    if splitter.isBlank { return nil }
    if let fault = splitter.faultOfEnd { throw Self.error(fault) }
    return try lastEntry()
  }

  private static func error(_ fault: DocumentSplitter.Fault) -> ManifestError {
    switch fault.reason {
    case .syntax(let syntax): ManifestError(lineNumber: fault.line, .json(.syntax(syntax)))
    case .tooLong: ManifestError(lineNumber: fault.line, .json(.valueTooLong(limit: maximumPartByteCount)))
    }
  }

  /// - Throws: where the document has no such array, or is of another form already.
  private mutating func begin(array key: [UInt8]?) throws(ListProblem) {
    if let reading {
      guard form == .undecided else { throw .json(.noRecords) }
      if let key { try reading.requirePaths(below: key) }
      record = []
      form = .records(below: key)
      return
    }
    guard let key else { throw .json(.unknownDocument) }
    guard form == .undecided else { throw .json(.unknownKey(Self.resources)) }
    form = key == Self.files ? .own : .dataPackage
  }

  private mutating func entry(_ text: DocumentSplitter.Text) throws(ManifestError) -> ManifestEntry? {
    let object = try parsed(text)
    do throws(ListProblem) {
      switch form {
      case .own: return try FileObject.entry(object, lineNumber: text.line, rules)
      case .dataPackage: return try DataPackage.entry(object, lineNumber: text.line, rules)
      case .records(let key):
        if key != nil, !object.isObject { throw .json(.noRecords) }
        return try reading?.entry(object, lineNumber: text.line, below: key)
      case .undecided, .done: return nil
      }
    } catch {
      throw ManifestError(lineNumber: text.line, error)
    }
  }

  private func parsed(_ text: DocumentSplitter.Text) throws(ManifestError) -> JSONValue {
    switch JSONValue.parse(value: text.bytes) {
    case .success(let value): return value
    case .failure(let error): throw ManifestError(lineNumber: text.line + error.line - 1, .json(error.problem))
    }
  }

  /// A member that is none of the arrays.
  private mutating func take(_ key: [UInt8], _ text: DocumentSplitter.Text) throws(ManifestError) {
    let value = try parsed(text)
    if NextPage.isNamed(by: key, value) { nextPageLine = nextPageLine ?? text.line }
    guard reading == nil else { return }
    do throws(ListProblem) {
      switch key {
      case Self.files, Self.resources: throw .json(.wrongType(key: key, expected: .array))
      case Self.version:
        hasVersion = true
        if value.integer != 1 { throw .json(.unknownVersion) }
      default: try FileObject.refuseUnknown(key)
      }
    } catch {
      memberError = memberError ?? ManifestError(lineNumber: text.line, error)
    }
  }

  // MARK: The end

  /// The document is whole.
  private mutating func lastEntry() throws(ManifestError) -> ManifestEntry? {
    if let nextPageLine, form != .undecided { throw ManifestError(lineNumber: nextPageLine, .json(.nextPage)) }
    switch form {
    case .dataPackage, .done: return nil
    case .records:
      do throws(ListProblem) { try reading?.requireKnownPaths() } catch { throw ManifestError(lineNumber: 1, error) }
      return nil
    case .own:
      if let memberError { throw memberError }
      if !hasVersion { throw ManifestError(lineNumber: 1, .json(.missingKey(Self.version))) }
      return nil
    case .undecided:
      if reading != nil {
        guard record.count <= Self.maximumPartByteCount else {
          throw ManifestError(lineNumber: 1, .json(.valueTooLong(limit: Self.maximumPartByteCount)))
        }
        let value = try parsed(DocumentSplitter.Text(bytes: record, line: 1))
        do throws(ListProblem) {
          let entry = try reading?.entry(value, lineNumber: 1, below: nil)
          try reading?.requireKnownPaths()
          return entry
        } catch {
          throw ManifestError(lineNumber: 1, error)
        }
      }
      if let memberError, case .json(.wrongType) = memberError.problem { throw memberError }
      guard hasVersion else { throw ManifestError(lineNumber: 1, .json(.unknownDocument)) }
      throw memberError ?? ManifestError(lineNumber: 1, .json(.missingKey(Self.files)))
    }
  }
}

extension JSONProblem {
  /// Whether what follows in a document cannot be understood.
  fileprivate var endsDocument: Bool {
    switch self {
    case .syntax, .valueTooLong, .noRecords: true
    default: false
    }
  }
}

extension UInt8 {
  /// Whether the byte may stand between the parts of a JSON text.
  var isJSONBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0a || self == 0x0d }
}
