/// Reads bytes from front to back. A method that does not find what it looks for leaves the position unchanged.
struct ByteCursor {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

  var isAtEnd: Bool { position == bytes.count }

  /// The next byte; nil at the end.
  var peeked: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func skip(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  /// Skips `word`, given in lower case, in either case.
  mutating func skip(folding word: StaticString) -> Bool {
    guard bytes.count - position >= word.utf8CodeUnitCount, bytes[position...].starts(withFolded: word) else {
      return false
    }
    position += word.utf8CodeUnitCount
    return true
  }

  /// OWS = *( SP / HTAB ). Returns their number.
  @discardableResult
  mutating func skipSpaces() -> Int {
    let start = position
    position = end(while: { $0.isSpace })
    return position - start
  }

  @discardableResult
  mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    position = end(while: isWanted)
    return bytes[start..<position]
  }

  /// 1*DIGIT; nil where there is no digit or the value exceeds `Int64.max`.
  mutating func number() -> Int64? {
    let end = end(while: { $0.isDigit })
    guard let value = Int64(digits: bytes[position..<end]) else { return nil }
    position = end
    return value
  }

  /// A number whose count of digits is in `counts`, at most 18; nil where there are fewer or more digits.
  mutating func number(digits counts: ClosedRange<Int>) -> Int? {
    let end = end(while: { $0.isDigit })
    guard counts.contains(end - position) else { return nil }
    var value = 0
    while position < end {
      value = value * 10 + Int(bytes[position] &- 0x30)
      position += 1
    }
    return value
  }

  private func end(while isWanted: (UInt8) -> Bool) -> Int {
    var end = position
    while end < bytes.count, isWanted(bytes[end]) { end += 1 }
    return end
  }
}
