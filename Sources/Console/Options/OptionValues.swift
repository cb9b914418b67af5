import DownloadCore

/// Reads the values of options; nil wherever the text is not exactly such a value.
enum OptionValues {
  /// Decimal digits only, without a sign.
  static func count(_ text: [UInt8]) -> Int64? {
    guard !text.isEmpty else { return nil }
    var value: Int64 = 0
    for byte in text {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = scaled.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      guard !overflow, !carry else { return nil }
      value = sum
    }
    return value
  }

  /// Bytes: `4096`, `1.5M`, `16KiB`; k, M, G and T are powers of 1024, in either case.
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
    // Far beyond what any file has, and room for whoever computes with it.
    return scaled(number, by: Int64(1) << Int64(10 * power)).flatMap { $0 > .max / 1000 ? nil : $0 }
  }

  /// Bytes a second: a size, `/s` may follow.
  static func rate(_ text: [UInt8]) -> Int64? {
    text.suffix(2).elementsEqual("/s".utf8) ? size(text.dropLast(2).map { $0 }) : size(text)
  }

  /// Seconds, `1.5` or `10s`, or with `m` or `h` minutes or hours.
  static func duration(_ text: [UInt8]) -> Duration? {
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

  /// `Name: value` as it goes to a server (RFC 9112 section 5): a token, a colon, no line break; UTF-8.
  static func headerLine(_ text: [UInt8]) -> String? {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > 0,
      text[..<colon].allSatisfy(isTokenCharacter),
      text.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == UInt8(ascii: "\t") })
    else { return nil }
    return String(validating: text, as: UTF8.self)
  }

  /// `HOST:PORT:ADDRESS[,ADDRESS]…`, addresses of IPv6 in brackets or not.
  static func resolveEntry(_ text: [UInt8]) -> String? {
    let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, !parts[2].isEmpty, let port = count(Array(parts[1])),
      (1...65535).contains(port), text.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
    else { return nil }
    return String(validating: text, as: UTF8.self)
  }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// The number in front and the letters behind it.
  private static func split(_ text: [UInt8]) -> (number: ArraySlice<UInt8>, suffix: String) {
    let end =
      text.firstIndex { ($0 < UInt8(ascii: "0") || $0 > UInt8(ascii: "9")) && $0 != UInt8(ascii: ".") } ?? text.endIndex
    return (text[..<end], String(decoding: text[end...], as: UTF8.self))
  }

  /// A decimal number times `unit`, rounded down, but what is more than zero is one at least: zero means no limit.
  private static func scaled(_ number: ArraySlice<UInt8>, by unit: Int64) -> Int64? {
    let parts = number.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let first = parts.first, let whole = count(Array(first)), parts.count <= 2 else { return nil }
    // In units of 10^-18.
    var fraction: Int64 = 0
    if parts.count == 2 {
      let zeros = repeatElement(UInt8(ascii: "0"), count: max(0, 18 - parts[1].count))
      guard !parts[1].isEmpty, parts[1].count <= 18, let digits = count(Array(parts[1] + zeros)) else { return nil }
      fraction = digits
    }
    let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
    let (part, _) = Int64(1_000_000_000_000_000_000).dividingFullWidth(fraction.multipliedFullWidth(by: unit))
    let (sum, carry) = product.addingReportingOverflow(part)
    guard !overflow, !carry else { return nil }
    return sum == 0 && (whole > 0 || fraction > 0) ? 1 : sum
  }
}
