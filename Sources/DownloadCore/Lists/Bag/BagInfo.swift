/// A `Payload-Oxum` of `bag-info.txt`: how many bytes and files the payload has (RFC 8493 section 2.2.2).
package struct PayloadOxum: Hashable, Sendable {
  package var byteCount: Int64
  package var fileCount: Int64

  package init(byteCount: Int64, fileCount: Int64) {
    self.byteCount = byteCount
    self.fileCount = fileCount
  }

  /// Parses `BYTES.FILES`.
  init?(_ text: ArraySlice<UInt8>) {
    guard let dot = text.firstIndex(of: UInt8(ascii: ".")), let byteCount = Int64(digits: text[..<dot]),
      let fileCount = Int64(digits: text[(dot + 1)...])
    else { return nil }
    self.init(byteCount: byteCount, fileCount: fileCount)
  }

  /// `BYTES.FILES`.
  package var text: String { "\(byteCount).\(fileCount)" }
}

/// A line of `bag-info.txt` with a `Payload-Oxum`.
package struct PayloadOxumLine: Hashable, Sendable {
  /// Counted from 1.
  package let lineNumber: Int
  package let oxum: PayloadOxum
}

/// Finds `Payload-Oxum` in `bag-info.txt`. Other elements only need the right form.
///
///     element = label ":" value *( LF 1*( SP / HTAB ) value )
package struct BagInfoParser: LineReading {
  /// The value of an oxum whose further lines may follow.
  private struct Pending {
    let lineNumber: Int
    var value: [UInt8]
  }

  package var lines = LineSplitter()
  private var pending: Pending?
  private var hasElement = false

  package init() {}

  package mutating func next() throws(ListError) -> PayloadOxumLine? {
    while true {
      let line: ArraySlice<UInt8>?
      do { line = try lines.next() } catch { throw ListError(lineNumber: lines.lineNumber, error) }
      guard let line else {
        guard lines.isAtEnd else { return nil }
        return try finished()
      }
      let content = line.trimmed
      if content.isEmpty { continue }
      if hasElement, line[line.startIndex].isSpace {
        pending?.value += content
        continue
      }
      let ended = Result { () throws(ListError) in try finished() }
      try take(line)
      if let element = try ended.get() { return element }
    }
  }

  private mutating func take(_ line: ArraySlice<UInt8>) throws(ListError) {
    guard let tag = BagTag(line) else { throw ListError(lineNumber: lines.lineNumber, .bag(.notTagLine)) }
    hasElement = true
    if tag.label.equals(folded: "payload-oxum") {
      pending = Pending(lineNumber: lines.lineNumber, value: Array(tag.value))
    }
  }

  /// The oxum whose last line has come.
  private mutating func finished() throws(ListError) -> PayloadOxumLine? {
    guard let ended = pending.take() else { return nil }
    guard let oxum = PayloadOxum(ended.value[...]) else {
      throw ListError(lineNumber: ended.lineNumber, .bag(.malformedOxum))
    }
    return PayloadOxumLine(lineNumber: ended.lineNumber, oxum: oxum)
  }
}
