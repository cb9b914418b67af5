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
  mutating func skipSpaces() -> Int { take(while: { $0.isSpace }).count }

  @discardableResult
  mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, isWanted(bytes[position]) { position += 1 }
    return bytes[start..<position]
  }

  /// 1*DIGIT; nil where there is no digit or the value exceeds `Int64.max`.
  mutating func number() -> Int64? {
    let start = position
    guard let value = Int64(digits: take(while: { $0.isDigit })) else {
      position = start
      return nil
    }
    return value
  }

  /// A number whose count of digits is in `counts`; nil where there are fewer or more digits.
  mutating func number(digits counts: ClosedRange<Int>) -> Int? {
    let start = position
    let found = take(while: { $0.isDigit })
    guard counts.contains(found.count), let value = Int64(digits: found) else {
      position = start
      return nil
    }
    return Int(value)
  }
}
