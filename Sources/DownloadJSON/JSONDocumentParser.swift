package import DownloadCore

/// Parses a JSON document: our own, a data package, or records that options describe. Its entries are parsed one by one,
/// so that a document of any length takes little memory.
///
///     undecided ──array, or object of records──► own, dataPackage or records ──end──► done
///         ├──the same, with paths to what is around the records──► whole ──end──► done
///         ├──end of an object, with columns──► whole ──► done
///         └──invalid──► done
package struct JSONDocumentParser: ListParser {
  /// Longer entries, other values, and documents of one record are errors. Bytes.
  package static let maximumPartByteCount = DocumentSplitter.maximumPartByteCount

  private enum Form: Equatable, Sendable {
    case undecided, own, dataPackage
    /// The values of the array or object where so many steps of the records' path lead.
    case records(stepCount: Int)
    /// The document is held until its end.
    case whole
    case done
  }

  private static let files = Array("files".utf8)
  private static let resources = Array("resources".utf8)
  private static let version = Array("version".utf8)

  private let rules: ColumnRules
  private let page: ListPage
  private var reading: RecordReading?
  private var splitter: DocumentSplitter
  private var form = Form.undecided
  /// The first bytes, until they show whether a byte order mark stands there; nil after that.
  private var beginning: [UInt8]? = []
  /// What was found, and not yet handed out.
  private var found: [Result<DocumentSplitter.Part, DocumentSplitter.Fault>] = []
  private var nextFound = 0
  /// The whole text, as long as it may be needed.
  private var record: [UInt8]
  /// What was read of a part or of the whole, the next one last.
  private var pending: RecordReading.Found = []
  private var isAtEnd = false
  private var hasVersion = false
  /// The line of a member that says that the list goes on elsewhere.
  private var nextPageLine: Int?
  /// What is wrong with the first member that is wrong in a document of our own.
  private var memberError: ListError?

  package init(_ rules: ColumnRules, page: ListPage = .only) {
    self.rules = rules
    self.page = page
    reading = RecordReading(rules)
    record = []
    splitter =
      reading.map { DocumentSplitter(records: $0.records) }
      ?? DocumentSplitter(arrays: [Self.files, Self.resources], mayBeArray: true)
  }

  package var passedCount: Int { reading?.passedCount ?? 0 }

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
    Array(ByteOrderMark.removed(from: first[...])).withUnsafeBytes { split($0) }
  }

  private mutating func split(_ bytes: UnsafeRawBufferPointer) {
    guard form != .done else { return }
    var found = found
    self.found = []
    splitter.append(bytes) { found.append($0) }
    self.found = found
    if reading != nil, form == .undecided || form == .whole, record.count <= Self.maximumPartByteCount {
      record.append(contentsOf: bytes.prefix(Self.maximumPartByteCount + 1 - record.count))
    }
  }

  // MARK: Entries

  package mutating func next() throws(ListError) -> ListEntry? {
    do throws(ListError) {
      return try nextEntry()
    } catch {
      // After an error of syntax nobody knows where the next entry begins.
      if case .json(let problem) = error.problem, problem.endsDocument { finish() }
      throw error
    }
  }

  private mutating func finish() {
    form = .done
    pending = []
    found = []
    nextFound = 0
    record = []
  }

  private mutating func nextEntry() throws(ListError) -> ListEntry? {
    if let next = pending.popLast() { return try next.get() }
    while nextFound < found.count {
      let part = found[nextFound]
      nextFound += 1
      switch part {
      case .failure(let fault): throw Self.error(fault)
      case .success(.array(let key, let stepCount, let line)):
        do throws(ListProblem) { try begin(array: key, stepCount) } catch {
          finish()
          throw ListError(lineNumber: line, error)
        }
      case .success(.object(let stepCount, let line)):
        do throws(ListProblem) { try begin(records: stepCount, isObject: true) } catch {
          finish()
          throw ListError(lineNumber: line, error)
        }
      case .success(.member(let key, let text)): try take(key, text)
      case .success(.element(let text, let key)): if let entry = try entry(text, key) { return entry }
      }
    }
    found.removeAll(keepingCapacity: true)
    nextFound = 0
    guard isAtEnd, form != .done else { return nil }
    defer { form = .done }
    if splitter.isBlank { return nil }
    if let fault = splitter.faultOfEnd { throw Self.error(fault) }
    pending = try lastEntries()
    return try pending.popLast()?.get()
  }

  private static func error(_ fault: DocumentSplitter.Fault) -> ListError {
    switch fault.reason {
    case .syntax(let syntax): ListError(lineNumber: fault.line, .json(.syntax(syntax)))
    case .tooLong: ListError(lineNumber: fault.line, .json(.valueTooLong(limit: maximumPartByteCount)))
    }
  }

  /// - Throws: where the records are elsewhere already.
  private mutating func begin(records stepCount: Int, isObject: Bool) throws(ListProblem) {
    guard let reading, form != .whole else { return }
    guard form == .undecided else { throw .json(.noRecords) }
    guard reading.areBelow(stepCount) else {
      form = .whole
      return
    }
    record = []
    form = .records(stepCount: isObject || reading.records.isAll(at: stepCount) ? stepCount + 1 : stepCount)
  }

  /// - Throws: where the document has no such array, or is of another form already.
  private mutating func begin(array key: [UInt8]?, _ stepCount: Int) throws(ListProblem) {
    if reading != nil { return try begin(records: stepCount, isObject: false) }
    guard let key else { throw .json(.unknownDocument) }
    guard form == .undecided else { throw .json(.unknownKey(Self.resources)) }
    form = key == Self.files ? .own : .dataPackage
  }

  private mutating func entry(_ text: DocumentSplitter.PartText, _ key: [UInt8]?) throws(ListError)
    -> ListEntry?
  {
    if form == .whole { return nil }
    let object = try parsed(text)
    do throws(ListProblem) {
      switch form {
      case .own: return try FileObject.entry(object, lineNumber: text.line, rules)
      case .dataPackage: return try DataPackage.entry(object, lineNumber: text.line, rules)
      case .records(let stepCount):
        if stepCount > 0, key == nil, !object.isObject, reading?.records.isName(at: stepCount) == true {
          throw .json(.noRecords)
        }
        reading?.read(object, at: stepCount, key: key, isElement: true, lineNumber: text.line, into: &pending)
        if pending.count > 1 { pending.reverse() }
        guard let next = pending.popLast() else { return nil }
        do { return try next.get() } catch { throw error.problem }
      case .undecided, .whole, .done: return nil
      }
    } catch {
      throw ListError(lineNumber: text.line, error)
    }
  }

  private func parsed(_ text: DocumentSplitter.PartText) throws(ListError) -> JSONValue {
    switch JSONValue.parse(value: text.bytes) {
    case .success(let value): return value
    case .failure(let error): throw ListError(lineNumber: text.line + error.line - 1, .json(error.problem))
    }
  }

  /// A member that is none of the arrays.
  private mutating func take(_ key: [UInt8], _ text: DocumentSplitter.PartText) throws(ListError) {
    let value = try parsed(text)
    if page == .only, NextPage.reference(in: key, value) != nil { nextPageLine = nextPageLine ?? text.line }
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
      memberError = memberError ?? ListError(lineNumber: text.line, error)
    }
  }

  // MARK: The end

  /// The document is complete.
  ///
  /// - Returns: what is only known now, the next one last.
  private mutating func lastEntries() throws(ListError) -> RecordReading.Found {
    defer { record = [] }
    if let nextPageLine, form != .undecided { throw ListError(lineNumber: nextPageLine, .json(.nextPage)) }
    switch form {
    case .dataPackage, .done: return []
    case .records:
      do throws(ListProblem) { try requireKnownPaths() } catch { throw ListError(lineNumber: 1, error) }
      return []
    case .own:
      if let memberError { throw memberError }
      if !hasVersion { throw ListError(lineNumber: 1, .json(.missingKey(Self.version))) }
      return []
    case .undecided, .whole:
      if reading != nil { return try wholeEntries() }
      if let memberError, case .json(.wrongType) = memberError.problem { throw memberError }
      guard hasVersion else { throw ListError(lineNumber: 1, .json(.unknownDocument)) }
      throw memberError ?? ListError(lineNumber: 1, .json(.missingKey(Self.files)))
    }
  }

  private func requireKnownPaths() throws(ListProblem) {
    if page != .further { try reading?.requireKnownPaths() }
  }

  /// The records of the document that is held.
  private mutating func wholeEntries() throws(ListError) -> RecordReading.Found {
    guard record.count <= Self.maximumPartByteCount else {
      throw ListError(lineNumber: 1, .json(.valueTooLong(limit: Self.maximumPartByteCount)))
    }
    let value = try parsed(DocumentSplitter.PartText(bytes: record, line: 1))
    var found: RecordReading.Found = []
    reading?.read(value, at: 0, isElement: false, lineNumber: 1, into: &found)
    do throws(ListProblem) { try requireKnownPaths() } catch {
      found.append(.failure(ListError(lineNumber: 1, error)))
    }
    return found.reversed()
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
