/// A time of the local day, in whole minutes.
package struct TimeOfDay: Sendable, Hashable {
  /// Seconds since midnight, 0 to 86,340.
  package let second: Int

  private static let secondsOfDay = 86_400
  /// Clocks are changed by less than this at a time.
  private static let longestChange = 43_200

  /// - Parameter text: `08:00`, or `8:00`; nil for anything else.
  package init?(text: [UInt8]) {
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
      let hour = Int64(digits: parts[0]), let minute = Int64(digits: parts[1]), hour < 24, minute < 60
    else { return nil }
    second = Int(hour * 3600 + minute * 60)
  }

  /// The next moment at which local clocks show this time, in Unix seconds. Where they skip it, the moment at which they
  /// do so; where they show it twice, the first one that is left.
  ///
  /// - Parameters:
  ///   - unixTime: the moment that it comes after, in Unix seconds.
  ///   - secondOfLocalDay: what local clocks show at a moment.
  package func next(after unixTime: Int64, secondOfLocalDay: (Int64) -> Int) -> Int64 {
    var time = unixTime
    var shown = secondOfLocalDay(time)
    time -= Int64(shown % 60)
    shown -= shown % 60
    // A day may have 25 hours or more, and a minute that is skipped counts as shown.
    for _ in 0..<(2 * Self.secondsOfDay / 60) {
      time += 60
      let before = shown
      shown = secondOfLocalDay(time)
      let step = Self.span(from: before, to: shown)
      if shown == second || step < Self.longestChange && Self.span(from: before, to: second) <= step { return time }
    }
    return time
  }

  /// Seconds from one time of day to the next other one, 1 to 86,400.
  private static func span(from start: Int, to end: Int) -> Int {
    end > start ? end - start : end - start + secondsOfDay
  }
}
