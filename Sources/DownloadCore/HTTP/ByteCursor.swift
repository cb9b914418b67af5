/// Reads bytes front to back for the small parsers; what it does not find leaves it where it was.
struct ByteCursor {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

  var isAtEnd: Bool { position == bytes.count }

  /// The byte that would be read next.
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

  /// OWS = *( SP / HTAB ); returns how many there were.
  @discardableResult
  mutating func skipSpaces() -> Int { take(while: { $0.isSpace }).count }

  mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, isWanted(bytes[position]) { position += 1 }
    return bytes[start..<position]
  }

  /// 1*DIGIT; nil where there is no digit or the value passes `Int64.max`.
  mutating func number() -> Int64? {
    let start = position
    guard let value = Int64(digits: take(while: { $0.isDigit })) else {
      position = start
      return nil
    }
    return value
  }

  /// Exactly so many digits as `counts` allows, and no further digit behind them.
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

extension UInt8 {
  var isDigit: Bool { self &- 0x30 < 10 }
  var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
  /// SP or HTAB.
  var isSpace: Bool { self == 0x20 || self == 0x09 }
  var isControl: Bool { self < 0x20 || self == 0x7f }
  /// ASCII only; any other byte is itself.
  var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
  /// RFC 9110 section 5.6.2: tchar.
  var isTokenCharacter: Bool {
    if isLetter || isDigit { return true }
    switch self {
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      return true
    default: return false
    }
  }
}

extension Int64 {
  /// From decimal digits alone; nil for none, for anything else among them, and past the maximum.
  init?(digits: some Collection<UInt8>) {
    guard !digits.isEmpty else { return nil }
    var value: Int64 = 0
    for digit in digits {
      guard digit.isDigit else { return nil }
      let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = scaled.addingReportingOverflow(Int64(digit &- 0x30))
      if overflow || carry { return nil }
      value = sum
    }
    self = value
  }
}

extension Collection<UInt8> {
  /// Whether it begins with `word`, which is given in lower case, in either case.
  func starts(withFolded word: StaticString) -> Bool {
    let wanted = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    var index = startIndex
    for byte in wanted {
      guard index != endIndex, self[index].lowercased == byte else { return false }
      formIndex(after: &index)
    }
    return true
  }

  func equals(folded word: StaticString) -> Bool {
    count == word.utf8CodeUnitCount && starts(withFolded: word)
  }
}

extension BidirectionalCollection<UInt8> {
  /// Without SP and HTAB at both ends.
  var trimmed: SubSequence {
    guard let first = firstIndex(where: { !$0.isSpace }), let last = lastIndex(where: { !$0.isSpace }) else {
      return self[endIndex...]
    }
    return self[first...last]
  }

  /// Lower-cased ASCII for people and comparisons: other bytes become `?`, and 64 of them are enough.
  var loweredPrintable: String {
    String(decoding: prefix(64).map { $0 < 0x20 || $0 > 0x7e ? UInt8(ascii: "?") : $0.lowercased }, as: UTF8.self)
  }
}

extension ArraySlice<UInt8> {
  /// What lies between the separators, empty parts left out.
  ///
  /// `split` retains and releases for every byte, which was half of the time that a URL list of 100,000 lines took.
  func parts(separatedBy separator: UInt8) -> ByteParts { ByteParts(rest: self, separator: separator) }
}

/// Made one after the other, without an array of them.
struct ByteParts: Sequence, IteratorProtocol {
  fileprivate var rest: ArraySlice<UInt8>
  fileprivate let separator: UInt8

  mutating func next() -> ArraySlice<UInt8>? {
    var start = rest.startIndex
    while start < rest.endIndex, rest[start] == separator { start += 1 }
    guard start < rest.endIndex else { return nil }
    var end = start
    while end < rest.endIndex, rest[end] != separator { end += 1 }
    defer { rest = rest[end...] }
    return rest[start..<end]
  }
}
