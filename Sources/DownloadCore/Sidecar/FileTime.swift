/// A time stamp of a file as in stat(2): seconds since 1970, UTC, and nanoseconds below 1,000,000,000.
package struct FileTime: Hashable, Sendable {
  package let seconds: Int64
  package let nanoseconds: Int32

  package init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// `1700000000.000000000`, always with nine decimals.
  var bytes: [UInt8] {
    let fraction = String(nanoseconds).utf8
    let zeros = repeatElement(UInt8(ascii: "0"), count: max(0, 9 - fraction.count))
    return Array(String(seconds).utf8) + [UInt8(ascii: ".")] + zeros + fraction
  }

  /// Nil unless the text has exactly the form of `bytes`.
  init?(_ text: ArraySlice<UInt8>) {
    guard let point = text.firstIndex(of: UInt8(ascii: ".")), text.endIndex - point == 10,
      let fraction = Int64(digits: text[(point + 1)...])
    else { return nil }
    let isNegative = text.first == UInt8(ascii: "-")
    guard let seconds = Int64(digits: isNegative ? text[..<point].dropFirst() : text[..<point]) else { return nil }
    self.init(seconds: isNegative ? -seconds : seconds, nanoseconds: Int32(truncatingIfNeeded: fraction))
  }
}
