/// Formats numbers for people, in about eight characters.
package enum Humanized {
  /// `512 B`, `1.2 MiB`, `361 GiB`: at most three digits, rounded down, so that nothing looks complete too early.
  package static func size(_ byteCount: Int64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    var unit = 0
    var scale: Int64 = 1
    let value = max(0, byteCount)
    while unit < units.count - 1, value / scale >= 1000 {
      scale = scale.multipliedReportingOverflow(by: 1024).partialValue
      unit += 1
    }
    let whole = value / scale
    if unit == 0 || whole >= 10 { return "\(whole) \(units[unit])" }
    let tenths = Int64(Double(value % scale) / Double(scale) * 10)
    return "\(whole).\(min(9, tenths)) \(units[unit])"
  }

  /// `1 file`, `12 files`.
  ///
  /// - Parameter noun: in the singular, with a plural that has an s more.
  package static func count(_ count: some BinaryInteger, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }

  /// `361 MiB/s`
  package static func rate(_ bytesPerSecond: Double) -> String { size(integer(bytesPerSecond)) + "/s" }

  /// `0.4 s`, `12 s`, `3m04s`, `2h05m`, `4d06h`.
  package static func duration(_ duration: Duration) -> String {
    let milliseconds = max(0, duration.wholeMilliseconds)
    let seconds = milliseconds / 1000
    switch seconds {
    case ..<10: return "\(seconds).\(milliseconds % 1000 / 100) s"
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(seconds / 60)m\(twoDigits(seconds % 60))s"
    case ..<86400: return "\(seconds / 3600)h\(twoDigits(seconds % 3600 / 60))m"
    default: return "\(seconds / 86400)d\(twoDigits(seconds % 86400 / 3600))h"
    }
  }

  /// Whole seconds, rounded up: `0:09`, `12:30`, `3h05m`; `-` from 100 days on.
  package static func timeLeft(_ left: Duration) -> String {
    let seconds = max(0, (left.wholeMilliseconds + 999) / 1000)
    if seconds < 3600 { return "\(seconds / 60):\(twoDigits(seconds % 60))" }
    return seconds < 86400 * 100 ? duration(.seconds(seconds)) : "-"
  }

  /// `45%`; 100 only when complete. Nil where the total is unknown or 0.
  package static func percent(_ part: Int64, of whole: Int64?) -> String? {
    guard let whole, whole > 0 else { return nil }
    return "\(hundredths(part, of: whole))%"
  }

  /// 0 to 100, rounded down.
  package static func hundredths(_ part: Int64, of whole: Int64) -> Int {
    guard whole > 0, part > 0 else { return 0 }
    if part >= whole { return 100 }
    return min(99, Int(Double(part) / Double(whole) * 100))
  }

  /// Saturates; NaN gives 0.
  package static func integer(_ value: Double) -> Int64 {
    guard value == value else { return 0 }
    return Int64(max(-9e18, min(9e18, value)))
  }

  private static func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
