// Bytes as ASCII characters. Everything that reads header fields, lists, options or records uses these.

extension UInt8 {
  package var isDigit: Bool { self &- 0x30 < 10 }
  package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
  /// SP or HTAB.
  var isSpace: Bool { self == 0x20 || self == 0x09 }
  package var isControl: Bool { self < 0x20 || self == 0x7f }
  /// Changes ASCII letters only.
  var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
  /// RFC 9110 section 5.6.2: tchar.
  package var isTokenCharacter: Bool {
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
  /// Reads one or more decimal digits; nil for any other byte among them and for numbers above the maximum.
  package init?(digits: some Collection<UInt8>) {
    let value =
      digits.withContiguousStorageIfAvailable { Self.value($0) }
      ?? Array(digits).withUnsafeBufferPointer { Self.value($0) }
    guard let value else { return nil }
    self = value
  }

  private static func value(_ digits: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard !digits.isEmpty else { return nil }
    var value: Int64 = 0
    for digit in digits {
      guard digit.isDigit else { return nil }
      let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = scaled.addingReportingOverflow(Int64(digit &- 0x30))
      if overflow || carry { return nil }
      value = sum
    }
    return value
  }
}

extension [UInt8] {
  /// Appends decimal digits. Fast, because the attributes of every file have several numbers.
  ///
  /// - Parameters:
  ///   - number: a negative one has a sign, which does not count as a digit.
  ///   - digits: with zeros before them if there are fewer, 1 to 20.
  mutating func append(decimal number: Int64, digits: Int = 1) {
    if number < 0 { append(UInt8(ascii: "-")) }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
      var left = number.magnitude
      var start = text.count
      repeat {
        start -= 1
        text[start] = 0x30 + UInt8(truncatingIfNeeded: left % 10)
        left /= 10
      } while left > 0 || text.count - start < digits
      append(contentsOf: text[start...])
    }
  }
}

extension Collection<UInt8> {
  /// Whether it begins with `word` in either case; `word` is given in lower case.
  package func starts(withFolded word: StaticString) -> Bool {
    let wanted = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    return withContiguousStorageIfAvailable { Self.starts($0, withFolded: wanted) }
      ?? Array(prefix(wanted.count)).withUnsafeBufferPointer { Self.starts($0, withFolded: wanted) }
  }

  private static func starts(_ text: UnsafeBufferPointer<UInt8>, withFolded word: UnsafeBufferPointer<UInt8>) -> Bool {
    if text.count < word.count { return false }
    var index = 0
    while index < word.count, text[index].lowercased == word[index] { index += 1 }
    return index == word.count
  }

  func equals(folded word: StaticString) -> Bool {
    count == word.utf8CodeUnitCount && starts(withFolded: word)
  }
}

extension BidirectionalCollection<UInt8> {
  /// Without SP and HTAB at both ends.
  package var trimmed: SubSequence {
    guard let first = firstIndex(where: { !$0.isSpace }), let last = lastIndex(where: { !$0.isSpace }) else {
      return self[endIndex...]
    }
    return self[first...last]
  }

  /// The first 64 bytes as lower-case ASCII, for messages and comparisons; bytes that are not printable become `?`.
  var loweredPrintable: String {
    String(decoding: prefix(64).map { $0 < 0x20 || $0 > 0x7e ? UInt8(ascii: "?") : $0.lowercased }, as: UTF8.self)
  }
}
