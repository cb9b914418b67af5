/// Makes a `ResponseHead` from the lines of libcurl's header callback, one line per call.
///
///     statusLine ──► fields ──empty line──► ended ──status line──► fields
///         ▲            │
///         └────────────┘ empty line of an interim (1xx) answer
///
/// One parser per transfer. Interim answers are skipped and trailers ignored. The limits apply to all lines up to the
/// complete head, and start over at the next status line. A line of an unused field costs about 20 ns and no
/// allocation.
package struct ResponseHeadParser: Sendable {
  package enum Result: Equatable, Sendable {
    case more
    indirect case complete(ResponseHead)
    /// The head exceeds the limits: end the transfer.
    case tooLarge
    /// Not HTTP, or dangerous to interpret: end the transfer.
    case malformed
  }

  package static let maximumLineCount = 300
  package static let maximumByteCount = 256 << 10
  package static let maximumLineByteCount = 64 << 10

  private enum State: Sendable { case statusLine, fields, ended }

  private var state = State.statusLine
  private var lineCount = 0
  private var byteCount = 0
  private var fields = ResponseFields()
  /// The last line if it has a used field, for the next line may continue it; empty otherwise.
  private var pending: [UInt8] = []
  /// Its field and the length of the field's name.
  private var pendingField: (ResponseFields.Field, Int)?

  package init() {}

  /// Takes one line with its line end.
  package mutating func line(_ bytes: UnsafeRawBufferPointer) -> Result {
    let line = UnsafeRawBufferPointer(rebasing: bytes[..<Self.endOfText(bytes)])
    let isStatusLine = line.count > 5 && line[4] == UInt8(ascii: "/") && line.starts(withFolded: "http/")
    if state == .ended, isStatusLine { self = ResponseHeadParser() }
    lineCount += 1
    byteCount += bytes.count
    guard lineCount <= Self.maximumLineCount, byteCount <= Self.maximumByteCount,
      bytes.count <= Self.maximumLineByteCount
    else { return .tooLarge }
    switch state {
    case .ended: return .more
    case .statusLine:
      guard let head = Self.statusLine(line) else { return .malformed }
      fields = ResponseFields(head)
      state = .fields
      return .more
    case .fields:
      if line.isEmpty {
        takePending()
        return end()
      }
      // libcurl frames the body by the first status line; a second one must not change its meaning.
      if isStatusLine { return .malformed }
      if line[0].isSpace { return unfold(line) ? .more : .malformed }
      takePending()
      guard let field = ResponseFields.field(of: line) else { return .more }
      if Self.isDangerous(line) { return .malformed }
      pendingField = field
      pending.append(contentsOf: line)
      return .more
    }
  }

  private mutating func takePending() {
    guard let (field, nameLength) = pendingField else { return }
    pending.withUnsafeBytes { fields.take($0, field, nameLength: nameLength) }
    pendingField = nil
    pending.removeAll(keepingCapacity: true)
  }

  /// Appends the continuation of a folded line (obs-fold, RFC 9112 section 5.2) with a blank.
  ///
  /// libcurl unfolds no line that it hands out in parts, so a folded Transfer-Encoding frames the body for us only.
  private mutating func unfold(_ line: UnsafeRawBufferPointer) -> Bool {
    if pendingField == nil { return true }
    let isFraming = pending.withUnsafeBytes { $0.starts(withFolded: "transfer-encoding:") }
    if isFraming || Self.isDangerous(line) { return false }
    pending.append(UInt8(ascii: " "))
    pending.append(contentsOf: line.trimmed)
    return true
  }

  /// CR, LF and NUL within a line (RFC 9110 section 5.5).
  private static func isDangerous(_ line: UnsafeRawBufferPointer) -> Bool {
    line.contains { $0 == 0 || $0 == 0x0a || $0 == 0x0d }
  }

  private mutating func end() -> Result {
    if fields.head.status < 200 {
      state = .statusLine
      return .more
    }
    state = .ended
    return .complete(fields.finish())
  }

  /// The line's length without CRLF or LF.
  private static func endOfText(_ bytes: UnsafeRawBufferPointer) -> Int {
    var end = bytes.count
    if end > 0, bytes[end - 1] == 0x0a { end -= 1 }
    if end > 0, bytes[end - 1] == 0x0d { end -= 1 }
    return end
  }

  /// status-line = HTTP-version SP status-code SP [ reason-phrase ]. libcurl writes `HTTP/2 200 ` for HTTP/2.
  private static func statusLine(_ line: UnsafeRawBufferPointer) -> ResponseHead? {
    var cursor = ByteCursor(line)
    guard cursor.skip(folding: "http/"), let major = cursor.number(digits: 1...1) else { return nil }
    let minor = cursor.skip(UInt8(ascii: ".")) ? cursor.number(digits: 1...1) : 0
    let version: HTTPVersion
    switch (major, minor) {
    case (1, 0): version = .http10
    case (1, .some): version = .http11
    case (2, .some): version = .http2
    case (3, .some): version = .http3
    default: return nil
    }
    guard cursor.skipSpaces() > 0, let status = cursor.number(digits: 3...3), status >= 100,
      cursor.isAtEnd || cursor.skipSpaces() > 0
    else { return nil }
    return ResponseHead(status: status, version: version)
  }
}
