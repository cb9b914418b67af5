internal import DownloadCore
internal import DownloadTransport
internal import Glibc

/// Parses the values of options. Each function returns nil where the whole text is not such a value.
package enum OptionValues {
  /// Bytes: `4096`, `1.5M`, `16KiB`. k, M, G and T are powers of 1024, in either case.
  static func size(_ text: [UInt8]) -> Int64? {
    let (number, suffix) = split(text)
    let power: Int
    switch suffix.lowercased() {
    case "", "b": power = 0
    case "k", "kib": power = 1
    case "m", "mib": power = 2
    case "g", "gib": power = 3
    case "t", "tib": power = 4
    default: return nil
    }
    // More than any file has, and small enough that later arithmetic does not overflow.
    return scaled(number, by: Int64(1) << Int64(10 * power)).flatMap { $0 > .max / 1000 ? nil : $0 }
  }

  /// Bytes per second: a size, optionally followed by `/s`.
  package static func rate(_ text: [UInt8]) -> Int64? {
    text.suffix(2).elementsEqual("/s".utf8) ? size(text.dropLast(2).map { $0 }) : size(text)
  }

  /// Seconds (`1.5`, `10s`), minutes (`2m`) or hours (`1h`).
  package static func duration(_ text: [UInt8]) -> Duration? {
    let (number, suffix) = split(text)
    let unit: Int64
    switch suffix {
    case "", "s": unit = 1
    case "m": unit = 60
    case "h": unit = 3600
    default: return nil
    }
    return scaled(number, by: unit * 1000).map { .milliseconds($0) }
  }

  /// `3/s`, `30/m`, `1/10s`; `3` is per second.
  ///
  /// - Returns: requests per second, from one in an hour to 1000 in a second.
  package static func requestRate(_ text: [UInt8]) -> Double? {
    let parts = text.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let count = Int64(digits: parts[0]), count <= 1_000_000 else { return nil }
    let unit = parts.count > 1 ? Array(parts[1]) : Array("s".utf8)
    guard !unit.isEmpty, let time = duration(unit[0].isDigit ? unit : [UInt8(ascii: "1")] + unit), time > .zero else {
      return nil
    }
    let rate = Double(count) / time.inSeconds
    return (1.0 / 3600...1000).contains(rate) ? rate : nil
  }

  /// `Name: value` (RFC 9112 section 5): a token, a colon, no control character but HTAB; UTF-8.
  package static func headerLine(_ text: [UInt8]) -> String? {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > 0,
      text[..<colon].allSatisfy(\.isTokenCharacter),
      text.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == UInt8(ascii: "\t") })
    else { return nil }
    return String(validating: text, as: UTF8.self)
  }

  /// `HOST:PORT:ADDRESS[,ADDRESS]…`, IPv6 addresses with or without brackets.
  static func resolveEntry(_ text: [UInt8]) -> String? {
    let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, !parts[2].isEmpty, let port = Int64(digits: parts[1]),
      (1...65535).contains(port), text.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
      parts[2].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).allSatisfy(isAddress)
    else { return nil }
    return String(validating: text, as: UTF8.self)
  }

  /// An IPv4 or IPv6 address, the latter with or without brackets.
  private static func isAddress(_ text: ArraySlice<UInt8>) -> Bool {
    var text = text
    if text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") { text = text.dropFirst().dropLast() }
    return NetworkInterface.isAddress(String(decoding: text, as: UTF8.self))
  }

  /// Splits a leading number from the unit that follows.
  private static func split(_ text: [UInt8]) -> (number: ArraySlice<UInt8>, suffix: String) {
    let end = text.firstIndex { !$0.isDigit && $0 != UInt8(ascii: ".") } ?? text.endIndex
    return (text[..<end], String(decoding: text[end...], as: UTF8.self))
  }

  /// A decimal number times `unit`, rounded down. A number above zero gives at least 1, because 0 means no limit.
  private static func scaled(_ number: ArraySlice<UInt8>, by unit: Int64) -> Int64? {
    let parts = number.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let first = parts.first, parts.count <= 2 else { return nil }
    // `.5` is a number, as for curl and sleep.
    let isFraction = parts.count == 2 && first.isEmpty
    guard let whole = isFraction ? 0 : Int64(digits: first) else { return nil }
    // In units of 10^-18.
    var fraction: Int64 = 0
    if parts.count == 2 {
      let zeros = repeatElement(UInt8(ascii: "0"), count: max(0, 18 - parts[1].count))
      guard !parts[1].isEmpty, parts[1].count <= 18, let digits = Int64(digits: parts[1] + zeros) else { return nil }
      fraction = digits
    }
    let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
    let (part, _) = Int64(1_000_000_000_000_000_000).dividingFullWidth(fraction.multipliedFullWidth(by: unit))
    let (sum, carry) = product.addingReportingOverflow(part)
    guard !overflow, !carry else { return nil }
    return sum == 0 && (whole > 0 || fraction > 0) ? 1 : sum
  }
}
