/// Dates in header fields (RFC 9110 section 5.6.7), as seconds since 1970-01-01T00:00:00Z.
///
///     IMF-fixdate  = Sun, 06 Nov 1994 08:49:37 GMT
///     rfc850-date  = Sunday, 06-Nov-94 08:49:37 GMT
///     asctime-date = Sun Nov  6 08:49:37 1994
package enum HTTPDate {
  private static let dayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  private static let monthNames = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Nil unless it has one of the three forms and the day exists. Instead of `GMT` an offset may stand, as in dates of
  /// mails (RFC 5322 section 3.3).
  ///
  /// The weekday is not checked against the date. A leap second counts as the first second of the next minute. Years of
  /// two digits are between 1970 and 2069.
  package static func parse(_ bytes: some Collection<UInt8>) -> Int64? {
    var cursor = ByteCursor(bytes)
    cursor.skipSpaces()
    guard isDayName(cursor.take(while: { $0.isLetter })) else { return nil }
    let date: (year: Int, month: Int, day: Int)
    let time: Int64
    if cursor.skip(UInt8(ascii: ",")) {
      cursor.skipSpaces()
      guard let day = cursor.number(digits: 1...2), skipSeparator(&cursor), let month = month(&cursor),
        skipSeparator(&cursor), let year = year(&cursor), cursor.skipSpaces() > 0, let seconds = clock(&cursor)
      else { return nil }
      cursor.skipSpaces()
      guard let offset = offset(&cursor) else { return nil }
      (date, time) = ((year, month, day), seconds - offset)
    } else {
      guard cursor.skipSpaces() > 0, let month = month(&cursor), cursor.skipSpaces() > 0,
        let day = cursor.number(digits: 1...2), cursor.skipSpaces() > 0, let seconds = clock(&cursor),
        cursor.skipSpaces() > 0, let year = cursor.number(digits: 4...4)
      else { return nil }
      (date, time) = ((year, month, day), seconds)
    }
    cursor.skipSpaces()
    guard cursor.isAtEnd, date.year >= 1, 1...daysInMonth(date.month, of: date.year) ~= date.day else { return nil }
    return daysSince1970(date.year, date.month, date.day) * 86_400 + time
  }

  /// IMF-fixdate, the only form that is sent. Years before 1 and after 9999 become the nearest representable date.
  package static func format(_ seconds: Int64) -> String {
    let earliest = daysSince1970(1, 1, 1) * 86_400
    let latest = daysSince1970(9999, 12, 31) * 86_400 + 86_399
    let clamped = min(max(seconds, earliest), latest)
    let (days, time) = floorDivide(clamped, by: 86_400)
    let (year, month, day) = civil(days)
    let weekday = dayNames[Int(floorDivide(days + 4, by: 7).remainder)]
    // Bytes and no interpolation, because `--timestamping` sends a date with each request.
    var text: [UInt8] = []
    text.reserveCapacity(29)
    func append(_ number: Int64, digits: Int, then separator: String) {
      text.append(decimal: number, digits: digits)
      text += separator.utf8
    }
    text += weekday.utf8.prefix(3)
    text += ", ".utf8
    append(day, digits: 2, then: " ")
    text += monthNames[month - 1].utf8
    text.append(UInt8(ascii: " "))
    append(Int64(year), digits: 4, then: " ")
    append(time / 3600, digits: 2, then: ":")
    append(time / 60 % 60, digits: 2, then: ":")
    append(time % 60, digits: 2, then: " GMT")
    return String(decoding: text, as: UTF8.self)
  }

  /// `Sun` or `Sunday`, in either case.
  private static func isDayName(_ letters: ArraySlice<UInt8>) -> Bool {
    guard let code = code(letters), let day = dayCodes.firstIndex(of: code) else { return false }
    return letters.count == 3 || letters.elementsEqual(dayNames[day].utf8, by: { $0.lowercased == $1.lowercased })
  }

  private static let dayCodes = dayNames.map { code(Array($0.utf8)[...])! }
  private static let monthCodes = monthNames.map { code(Array($0.utf8)[...])! }

  /// The first three letters in lower case, as one number. Fast, because every answer has two dates.
  private static func code(_ word: ArraySlice<UInt8>) -> UInt32? {
    guard word.count >= 3 else { return nil }
    return word.prefix(3).reduce(0) { $0 << 8 | UInt32($1.lowercased) }
  }

  private static func skipSeparator(_ cursor: inout ByteCursor) -> Bool {
    cursor.skip(UInt8(ascii: "-")) || cursor.skipSpaces() > 0
  }

  private static func month(_ cursor: inout ByteCursor) -> Int? {
    let word = cursor.take(while: { $0.isLetter })
    guard word.count == 3, let code = code(word) else { return nil }
    return monthCodes.firstIndex(of: code).map { $0 + 1 }
  }

  private static func year(_ cursor: inout ByteCursor) -> Int? {
    if let short = cursor.number(digits: 2...2) { return short < 70 ? 2000 + short : 1900 + short }
    return cursor.number(digits: 4...4)
  }

  /// time-of-day = hour ":" minute ":" second; seconds since midnight.
  private static func clock(_ cursor: inout ByteCursor) -> Int64? {
    let colon = UInt8(ascii: ":")
    guard let hour = cursor.number(digits: 2...2), hour < 24, cursor.skip(colon),
      let minute = cursor.number(digits: 2...2), minute < 60, cursor.skip(colon),
      let second = cursor.number(digits: 2...2), second <= 60
    else { return nil }
    return Int64(hour * 3600 + minute * 60 + second)
  }

  /// Seconds that the clock is ahead of UTC: `GMT`, `UTC`, or a sign, two digits of hours and two of minutes.
  private static func offset(_ cursor: inout ByteCursor) -> Int64? {
    if cursor.skip(folding: "gmt") || cursor.skip(folding: "utc") { return 0 }
    let isBehind = cursor.skip(UInt8(ascii: "-"))
    guard isBehind || cursor.skip(UInt8(ascii: "+")), let hours = cursor.number(digits: 4...4), hours % 100 < 60,
      hours < 2400
    else { return nil }
    let seconds = Int64(hours / 100 * 3600 + hours % 100 * 60)
    return isBehind ? -seconds : seconds
  }

  private static func daysInMonth(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days in the proleptic Gregorian calendar. Counts years from March, so that the leap day is the last day.
  private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    let marchYear = Int64(month <= 2 ? year - 1 : year)
    let (era, yearOfEra) = floorDivide(marchYear, by: 400)
    let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The inverse of `daysSince1970`.
  private static func civil(_ days: Int64) -> (year: Int, month: Int, day: Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (Int(year), Int(month), dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  private static func floorDivide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
