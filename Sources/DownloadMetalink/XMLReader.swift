import CSwiftGetExpat
import DownloadCore
import Glibc

/// Drives expat: gives it the bytes, and its events to a `MetalinkDocument`.
///
/// Entities other than XML's own five are refused with the document type declaration that would declare them, so text
/// cannot grow. Nothing is ever loaded. One thread at a time may use a reader.
final class XMLReader: @unchecked Sendable {
  /// Expat is given no more at once. Bytes.
  private static let partByteCount = 64 << 10
  /// From as many bytes expat tells the encoding; from one alone it may conclude another (`initScan` of lib/xmltok.c).
  private static let leastFirstByteCount = 2
  /// Expat holds a tag or comment until its end, and looks for that end anew with each part. Bytes.
  private static let maximumMarkupByteCount = 1 << 20

  /// ready ──finding──► stopped ──► ready …──► closed
  private enum State {
    /// Expat takes bytes.
    case ready
    /// It has more events in what it was given.
    case stopped
    /// The document was read to its end, or as far as it can be.
    case closed
  }

  private(set) var document: MetalinkDocument
  private let expat: XML_Parser
  private var state = State.ready
  /// What expat has not been given, from `start` on.
  private var bytes: [UInt8] = []
  private var start = 0
  /// Whether `bytes` are the last ones.
  private var isLastPart = false
  /// Whether expat was told so.
  private var isEnded = false
  private var finding: MetalinkDocument.Finding?
  private var givenByteCount: Int64 = 0
  /// The bytes of all whole tags, texts and comments.
  private var readByteCount: Int64 = 0

  init(_ document: MetalinkDocument) {
    self.document = document
    guard let expat = XML_ParserCreateNS(nil, XML_Char(bitPattern: MetalinkName.separator)) else {
      fatalError("no memory for an XML parser")
    }
    self.expat = expat
    XML_SetUserData(expat, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      expat,
      { reader, name, attributes in
        guard let reader = XMLReader.of(reader), let name else { return }
        reader.started(name, attributes)
      },
      { reader, _ in XMLReader.of(reader)?.ended() })
    XML_SetCharacterDataHandler(expat) { reader, text, count in
      XMLReader.of(reader)?.document.took(UnsafeRawBufferPointer(start: text, count: Int(count)))
    }
    XML_SetStartDoctypeDeclHandler(expat) { reader, _, system, publicName, hasSubset in
      // Behind a name of an external subset, entities that are not declared would silently be left out of the text.
      if hasSubset != 0 || system != nil || publicName != nil {
        XMLReader.of(reader)?.refuse(.metalink(.documentTypeDeclaration))
      }
    }
  }

  deinit { XML_ParserFree(expat) }

  private static func of(_ pointer: UnsafeMutableRawPointer?) -> XMLReader? {
    pointer.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
  }

  // MARK: Input

  func append(_ part: UnsafeRawBufferPointer) {
    guard state != .closed else { return }
    bytes.removeSubrange(..<start)
    start = 0
    bytes.append(contentsOf: part)
  }

  func end() { isLastPart = true }

  /// - Returns: nil if more bytes are needed, and at the end of the document.
  func next() -> MetalinkDocument.Finding? {
    while true {
      if let found = finding {
        finding = nil
        return found
      }
      switch state {
      case .closed: return nil
      case .stopped: proceed(XML_ResumeParser(expat))
      case .ready:
        if start < bytes.count, givenByteCount > 0 || bytes.count >= Self.leastFirstByteCount || isLastPart {
          parsePart()
        } else if isLastPart {
          isEnded = true
          proceed(XML_Parse(expat, nil, 0, 1))
        } else {
          return nil
        }
      }
    }
  }

  private func parsePart() {
    let count = min(Self.partByteCount, bytes.count - start)
    givenByteCount += Int64(count)
    let status = bytes.withUnsafeBytes { bytes in
      XML_Parse(expat, bytes.baseAddress?.assumingMemoryBound(to: XML_Char.self).advanced(by: start), Int32(count), 0)
    }
    start += count
    proceed(status)
  }

  /// Expat has returned.
  private func proceed(_ status: XML_Status) {
    switch status {
    case XML_STATUS_SUSPENDED: state = .stopped
    case XML_STATUS_OK:
      state = isEnded ? .closed : .ready
      readByteCount = max(readByteCount, Int64(XML_GetCurrentByteIndex(expat)))
      if givenByteCount - readByteCount > Self.maximumMarkupByteCount { close(.metalink(.markupTooLong)) }
    default:
      // Where the document was refused, the finding says why.
      if finding == nil { close(Self.problem(XML_GetErrorCode(expat))) }
    }
    if case .unreadable? = finding {
      state = .closed
      bytes = []
      start = 0
    }
  }

  private func close(_ problem: ListProblem) {
    finding = .unreadable(ListError(lineNumber: lineNumber, problem))
  }

  private static func problem(_ code: XML_Error) -> ListProblem {
    switch code {
    case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_UNCLOSED_CDATA_SECTION, XML_ERROR_PARTIAL_CHAR:
      .metalink(.unfinishedDocument)
    case XML_ERROR_UNKNOWN_ENCODING: .metalink(.unknownEncoding)
    default: .metalink(.malformedXML(XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)"))
    }
  }

  // MARK: Events

  private var lineNumber: Int { Int(clamping: XML_GetCurrentLineNumber(expat)) }

  private func started(
    _ name: UnsafePointer<XML_Char>, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
  ) {
    take(
      document.started(
        MetalinkName(expanded: Self.bytes(of: name)), Self.attributes(attributes), line: lineNumber))
  }

  private func ended() { take(document.ended(line: lineNumber)) }

  private func refuse(_ problem: ListProblem) {
    take(.unreadable(ListError(lineNumber: lineNumber, problem)))
  }

  /// Expat calls the handler of the end of an empty element even after it was stopped at the start. The document then
  /// has nothing to say, so a finding is never lost.
  private func take(_ found: MetalinkDocument.Finding?) {
    guard let found else { return }
    assert(finding == nil, "two findings at once")
    finding = found
    if case .unreadable = found { XML_StopParser(expat, 0) } else { XML_StopParser(expat, 1) }
  }

  /// - Parameter list: names and values in turn, and a null pointer.
  private static func attributes(
    _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
  ) -> MetalinkAttributes {
    var attributes: MetalinkAttributes = [:]
    guard var pair = list else { return attributes }
    while let name = pair[0], let value = pair[1] {
      if let attribute = MetalinkAttribute(bytes(of: name)) { attributes.append(attribute, Array(bytes(of: value))) }
      pair += 2
    }
    return attributes
  }

  private static func bytes(of text: UnsafePointer<XML_Char>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: text, count: strlen(text))
  }
}
