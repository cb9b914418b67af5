/// Splits a table into rows and fields while its bytes arrive (RFC 4180), and holds one row at a time.
///
///     row    = field *( separator field ) [ CR ] LF
///     field  = DQUOTE *( any byte but DQUOTE / 2DQUOTE ) DQUOTE / text
///
/// With blanks as separators, any number of them separates two fields, and fields with blanks stand in single or double
/// quotation marks, of which none may be inside:
///
///     row    = *blank field *( 1*blank field ) *blank [ CR ] LF
///     field  = DQUOTE *( any byte but DQUOTE ) DQUOTE / "'" *( any byte but "'" ) "'" / text
///
/// A quotation mark inside an unquoted field stands for itself. Empty lines are passed over, and before the first row those
/// that begin with `##`. All rows have as many fields as the first one. After a row of another form, parsing goes on at the line below its first line, so that a
/// stray quotation mark hides no more than its own line.
package struct RowSplitter: Sendable {
  /// Longer fields and rows are errors. Bytes, with quotation marks.
  package static let maximumFieldByteCount = 64 << 10
  package static let maximumRowByteCount = 1 << 20

  /// As a separator: any number of blanks.
  package static let blanks = UInt8(ascii: " ")
  /// The separator of rows of one field, which occurs in no text.
  private static let none: UInt8 = 0x01

  /// Offsets in `bytes`, without the quotation marks around the field.
  private struct Field {
    var start: Int
    var end: Int
    var hasDoubledQuotes: Bool
  }

  private enum Scan {
    case incomplete
    /// The offset behind the row, and the number of its lines.
    case row(end: Int, lineCount: Int)
    /// A line of blanks, and the offset behind it.
    case blank(end: Int)
    case refused(ListProblem)
  }

  /// What was appended and is not split yet.
  private var bytes: [UInt8] = []
  /// The offset of the next row.
  private var start = 0
  private var fields: [Field] = []
  /// Nil until the first row is there, unless it is given.
  private var separator: UInt8?
  /// The number of fields of the first row.
  private var fieldCount: Int?
  private var isAtEnd = false
  /// Whether the start of the list was examined for a byte order mark.
  private var hasBegun = false
  /// The rest of a line is skipped.
  private var isSkipping = false
  private var nextLine = 1
  /// The first line of the row that `next` returned or refused last, counted from 1.
  private(set) var lineNumber = 1

  /// - Parameter separator: `blanks`, or a byte; nil takes a TAB if the first row has one, else a comma or a semicolon,
  ///   whichever is there more often. In a first row without any, rows are fields.
  package init(separator: UInt8? = nil) { self.separator = separator }

  package mutating func append(_ part: UnsafeRawBufferPointer) {
    bytes.removeSubrange(..<start)
    start = 0
    bytes.append(contentsOf: part)
  }

  package mutating func end() { isAtEnd = true }

  /// Drops everything that was appended.
  mutating func discard() { start = bytes.endIndex }

  // MARK: The last row

  var count: Int { fields.count }

  var usesTabs: Bool { separator == 0x09 }

  /// Whether all fields are empty, as in rows that spreadsheets add at the end.
  var isBlank: Bool { fields.allSatisfy { $0.start == $0.end } }

  /// A field of the row, without quotation marks. Valid until the next call of `next` or `append`.
  func field(_ index: Int) -> ArraySlice<UInt8> {
    let field = fields[index]
    let raw = bytes[field.start..<field.end]
    guard field.hasDoubledQuotes else { return raw }
    var text: [UInt8] = []
    text.reserveCapacity(raw.count)
    var isSecond = false
    for byte in raw {
      isSecond = byte == UInt8(ascii: "\"") && !isSecond
      if !isSecond || byte != UInt8(ascii: "\"") { text.append(byte) }
    }
    return text[...]
  }

  /// Calls the closure with a function that returns a field without quotation marks around it, or nil for one that has
  /// quotation marks inside. Its bytes are valid during the call.
  func withPlainFields<Value>(_ body: (_ field: (Int) -> UnsafeRawBufferPointer?) -> Value) -> Value {
    bytes.withUnsafeBytes { bytes in
      body { index in
        let field = fields[index]
        return field.hasDoubledQuotes ? nil : UnsafeRawBufferPointer(rebasing: bytes[field.start..<field.end])
      }
    }
  }

  // MARK: Rows

  /// Whether there is a row.
  ///
  /// - Returns: false if more bytes are needed, and at the end of the list.
  /// - Throws: for a row of another form; the next call goes on at the line below its first line.
  package mutating func next() throws(ListProblem) -> Bool {
    guard begin() else { return false }
    while true {
      if isSkipping {
        guard skipLine() else { return false }
      }
      guard skipEmptyLines(), start < bytes.endIndex else { return false }
      if fieldCount == nil, bytes[start] == UInt8(ascii: "#") {
        guard start + 1 < bytes.endIndex || isAtEnd else { return false }
        if bytes[start...].prefix(2).elementsEqual("##".utf8) {
          isSkipping = true
          continue
        }
      }
      if separator == nil {
        separator = detectedSeparator()
        if separator == nil { return false }
      }
      switch separator == Self.blanks ? scanWords() : scan(separator ?? UInt8(ascii: ",")) {
      case .incomplete: return false
      case .refused(let problem): throw refused(problem)
      case .blank(let end):
        start = end
        nextLine += 1
      case .row(let end, let lineCount):
        if let fieldCount, fields.count != fieldCount {
          throw refused(.table(.fieldCount(found: fields.count, expected: fieldCount)))
        }
        fieldCount = fields.count
        lineNumber = nextLine
        nextLine += lineCount
        start = end
        return true
      }
    }
  }

  private mutating func refused(_ problem: ListProblem) -> ListProblem {
    lineNumber = nextLine
    isSkipping = true
    return problem
  }

  /// Removes a byte order mark. False while too few bytes are there.
  private mutating func begin() -> Bool {
    if hasBegun { return true }
    guard isAtEnd || bytes.count >= ByteOrderMark.maximumByteCount else { return false }
    hasBegun = true
    start = ByteOrderMark.removed(from: bytes[...]).startIndex
    return true
  }

  /// Skips to the next line. False while its end is not there.
  private mutating func skipLine() -> Bool {
    guard let feed = bytes[start...].firstIndex(of: 0x0a) else {
      start = bytes.endIndex
      return false
    }
    start = feed + 1
    nextLine += 1
    isSkipping = false
    return true
  }

  /// False while it is not known whether a carriage return ends an empty line.
  private mutating func skipEmptyLines() -> Bool {
    while start < bytes.endIndex {
      if bytes[start] == 0x0d {
        guard start + 1 < bytes.endIndex else {
          if isAtEnd { start += 1 }
          return isAtEnd
        }
        guard bytes[start + 1] == 0x0a else { return true }
        start += 1
      } else if bytes[start] != 0x0a {
        return true
      }
      start += 1
      nextLine += 1
    }
    return true
  }

  /// The separator of the first row; nil while its end is not there.
  private func detectedSeparator() -> UInt8? {
    var counts: (tabs: Int, commas: Int, semicolons: Int) = (0, 0, 0)
    var isQuoted = false
    let limit = start + Self.maximumRowByteCount
    var isComplete = isAtEnd || bytes.endIndex > limit
    scan: for byte in bytes[start..<min(bytes.endIndex, limit)] {
      switch byte {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case _ where isQuoted: break
      case 0x0a:
        isComplete = true
        break scan
      case 0x09: counts.tabs += 1
      case UInt8(ascii: ","): counts.commas += 1
      case UInt8(ascii: ";"): counts.semicolons += 1
      default: break
      }
    }
    guard isComplete else { return nil }
    if counts.tabs > 0 { return 0x09 }
    if counts.commas + counts.semicolons == 0 { return Self.none }
    return counts.semicolons > counts.commas ? UInt8(ascii: ";") : UInt8(ascii: ",")
  }

  /// Finds the fields of the row at `start`.
  private mutating func scan(_ separator: UInt8) -> Scan {
    fields.removeAll(keepingCapacity: true)
    let isAtEnd = isAtEnd
    let start = start
    return bytes.withUnsafeBufferPointer { bytes in
      let count = bytes.count
      var offset = start
      var lineCount = 1
      var hasNUL = false
      while true {
        let fieldStart = offset
        // What of the row and its field is exceeded first.
        let rowLimit = start + Self.maximumRowByteCount
        let fieldLimit = fieldStart + Self.maximumFieldByteCount
        let limit = min(rowLimit, fieldLimit)
        let tooLong = Scan.refused(.table(fieldLimit <= rowLimit ? .fieldTooLong : .rowTooLong))
        var field = Field(start: offset, end: offset, hasDoubledQuotes: false)
        if offset < count, bytes[offset] == UInt8(ascii: "\"") {
          offset += 1
          field.start = offset
          while true {
            while offset < count, bytes[offset] != UInt8(ascii: "\"") {
              if bytes[offset] == 0x0a { lineCount += 1 }
              if bytes[offset] == 0 { hasNUL = true }
              offset += 1
            }
            if offset > limit { return tooLong }
            if offset + 1 < count, bytes[offset + 1] == UInt8(ascii: "\"") {
              field.hasDoubledQuotes = true
              offset += 2
              continue
            }
            break
          }
          guard offset < count else { return isAtEnd ? .refused(.table(.unfinishedQuote)) : .incomplete }
          if offset + 1 == count, !isAtEnd { return .incomplete }
          field.end = offset
          offset += 1
          if offset < count, bytes[offset] == 0x0d {
            if offset + 1 == count, !isAtEnd { return .incomplete }
            if offset + 1 == count || bytes[offset + 1] == 0x0a { offset += 1 }
          }
          if offset < count, bytes[offset] != separator, bytes[offset] != 0x0a {
            return .refused(.table(.textAfterQuote))
          }
        } else {
          let text = Self.text(bytes, from: offset, separator)
          offset = text.end
          if text.hasNUL { hasNUL = true }
          if offset > limit { return tooLong }
          if offset == count, !isAtEnd { return .incomplete }
          field.end = offset
          if offset > fieldStart, bytes[offset - 1] == 0x0d, offset == count || bytes[offset] == 0x0a {
            field.end = offset - 1
          }
        }
        fields.append(field)
        if offset < count, bytes[offset] == separator {
          offset += 1
          continue
        }
        if hasNUL { return .refused(.nulByte) }
        return .row(end: min(offset + 1, count), lineCount: lineCount)
      }
    }
  }

  /// Finds the fields of the row at `start`, with blanks between them.
  private mutating func scanWords() -> Scan {
    fields.removeAll(keepingCapacity: true)
    let (start, isAtEnd) = (start, isAtEnd)
    return bytes.withUnsafeBufferPointer { bytes in
      let feed = bytes[start...].firstIndex(of: 0x0a)
      let limit = start + Self.maximumRowByteCount
      guard (feed ?? bytes.count) <= limit else { return .refused(.table(.rowTooLong)) }
      guard feed != nil || isAtEnd else { return .incomplete }
      var end = feed ?? bytes.count
      let next = min(end + 1, bytes.count)
      if end > start, bytes[end - 1] == 0x0d { end -= 1 }
      var offset = start
      while true {
        while offset < end, bytes[offset].isSpace { offset += 1 }
        guard offset < end else { break }
        var field = Field(start: offset, end: offset, hasDoubledQuotes: false)
        let quote = bytes[offset]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
          guard let close = bytes[(offset + 1)..<end].firstIndex(of: quote) else {
            return .refused(.table(.unfinishedQuote))
          }
          field.start = offset + 1
          field.end = close
          offset = close + 1
          if offset < end, !bytes[offset].isSpace { return .refused(.table(.textAfterQuote)) }
        } else {
          while offset < end, !bytes[offset].isSpace { offset += 1 }
          field.end = offset
        }
        if field.end - field.start > Self.maximumFieldByteCount { return .refused(.table(.fieldTooLong)) }
        if bytes[field.start..<field.end].contains(0) { return .refused(.nulByte) }
        fields.append(field)
      }
      return fields.isEmpty ? .blank(end: next) : .row(end: next, lineCount: 1)
    }
  }

  /// The end of an unquoted field. A loop of its own, because it runs for nearly every byte of a table.
  private static func text(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ separator: UInt8
  ) -> (end: Int, hasNUL: Bool) {
    var hasNUL = false
    var offset = start
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == separator || byte == 0x0a { break }
      if byte == 0 { hasNUL = true }
      offset &+= 1
    }
    return (offset, hasNUL)
  }
}
