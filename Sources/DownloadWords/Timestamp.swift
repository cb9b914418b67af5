internal import Glibc

/// Points in time for logs.
package enum Timestamp {
  /// The time of day in milliseconds since 1970.
  package static func now() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }

  /// `2026-01-31T23:59:59.001Z`, UTC (RFC 3339).
  package static func text(milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1000)
    var utc = tm()
    gmtime_r(&seconds, &utc)
    let date = [padded(Int64(utc.tm_year) + 1900, 4), padded(Int64(utc.tm_mon) + 1, 2), padded(Int64(utc.tm_mday), 2)]
    let time = [utc.tm_hour, utc.tm_min, utc.tm_sec].map { padded(Int64($0), 2) }
    return date.joined(separator: "-") + "T" + time.joined(separator: ":") + "." + padded(milliseconds % 1000, 3) + "Z"
  }

  /// Reads what `text(milliseconds:)` writes; nil for anything else.
  package static func milliseconds(of text: String) -> Int64? {
    let parts = text.split { "-T:.Z".contains($0) }.map { Int64($0) }
    let numbers = parts.compactMap(\.self)
    guard parts.count == 7, numbers.count == 7 else { return nil }
    var utc = tm()
    utc.tm_year = Int32(clamping: numbers[0] - 1900)
    utc.tm_mon = Int32(clamping: numbers[1] - 1)
    utc.tm_mday = Int32(clamping: numbers[2])
    utc.tm_hour = Int32(clamping: numbers[3])
    utc.tm_min = Int32(clamping: numbers[4])
    utc.tm_sec = Int32(clamping: numbers[5])
    let milliseconds = Int64(timegm(&utc)) * 1000 + numbers[6]
    return self.text(milliseconds: milliseconds) == text ? milliseconds : nil
  }

  /// `2026-01-31T23:59:59+01:00` (RFC 3339).
  /// - Parameters:
  ///   - unixTime: seconds since 1970.
  ///   - offset: of local time from UTC, in seconds. Seconds beyond whole minutes are not shown.
  package static func text(unixTime: Int64, offset: Int) -> String {
    let utc = text(milliseconds: (unixTime + Int64(offset)) * 1000)
    let minutes = abs(offset) / 60
    let zone = padded(Int64(minutes / 60), 2) + ":" + padded(Int64(minutes % 60), 2)
    return utc.dropLast(".000Z".utf8.count) + (offset < 0 ? "-" : "+") + zone
  }

  /// How far the local time of this moment is from UTC, in seconds.
  package static func localOffset(unixTime: Int64) -> Int {
    var seconds = time_t(unixTime)
    var local = tm()
    tzset()
    return localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
  }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
