/// A time stamp of a file as in stat(2): seconds since 1970, UTC, and nanoseconds below 1,000,000,000.
package struct FileTime: Hashable, Sendable {
  package let seconds: Int64
  package let nanoseconds: Int32

  package init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// Appends `1700000000.000000000`, always with nine decimals.
  package func append(to text: inout [UInt8]) {
    text.append(decimal: seconds)
    text.append(UInt8(ascii: "."))
    text.append(decimal: Int64(nanoseconds), digits: 9)
  }

  /// Nil unless the text has exactly that form.
  package init?(_ text: ArraySlice<UInt8>) {
    guard let point = text.firstIndex(of: UInt8(ascii: ".")), text.endIndex - point == 10,
      let fraction = Int64(digits: text[(point + 1)...])
    else { return nil }
    let isNegative = text.first == UInt8(ascii: "-")
    guard let seconds = Int64(digits: isNegative ? text[..<point].dropFirst() : text[..<point]) else { return nil }
    self.init(seconds: isNegative ? -seconds : seconds, nanoseconds: Int32(truncatingIfNeeded: fraction))
  }
}
