import Testing

@testable import DownloadCore

@Suite struct `A time of day` {
  private static let hour: Int64 = 3600

  private func time(_ text: String) throws -> TimeOfDay { try #require(TimeOfDay(text: Array(text.utf8))) }

  @Test(
    arguments: [
      ("00:00", 0), ("8:05", 29_100), ("08:05", 29_100), ("23:59", 86_340), ("24:00", nil), ("12:60", nil),
      ("12", nil), ("12:5", nil), ("012:05", nil), (":05", nil), ("12:", nil), ("1:2:03", nil), ("-1:00", nil),
      ("", nil),
    ] as [(String, Int?)])
  func `is hours and minutes`(text: String, second: Int?) {
    #expect(TimeOfDay(text: Array(text.utf8))?.second == second)
  }

  /// Local clocks that are changed once.
  ///
  /// - Parameters:
  ///   - change: when, in seconds after a midnight at 0.
  ///   - by: seconds that they are put forward.
  private func clocks(change: Int64, by: Int64, offset: Int64 = 0) -> (Int64) -> Int {
    { moment in
      let local = moment + offset + (moment >= change ? by : 0)
      return Int(((local % 86_400) + 86_400) % 86_400)
    }
  }

  @Test(
    arguments: [
      (0, "00:01", 60), (0, "00:00", 86_400), (59, "00:01", 60), (60, "00:01", 86_460), (43_200, "11:59", 129_540),
      (43_199, "12:00", 43_200), (43_230, "12:00", 129_600), (86_399, "00:00", 86_400),
    ] as [(Int64, String, Int64)])
  func `comes next today or tomorrow`(now: Int64, text: String, next: Int64) throws {
    #expect(try time(text).next(after: now, secondOfLocalDay: clocks(change: 0, by: 0)) == next)
  }

  @Test func `may begin at any second of a minute, where a zone has such an offset`() throws {
    let local = clocks(change: 0, by: 0, offset: 37)
    #expect(try time("00:01").next(after: 0, secondOfLocalDay: local) == 23)
    #expect(try time("00:01").next(after: 23, secondOfLocalDay: local) == 86_423)
  }

  @Test func `that clocks skip comes when they do so`() throws {
    let hour = Self.hour
    // From 02:00 to 03:00.
    let local = clocks(change: 2 * hour, by: hour)
    for text in ["02:01", "02:30", "02:59", "02:00", "03:00"] {
      #expect(try time(text).next(after: hour, secondOfLocalDay: local) == 2 * hour, "\(text)")
    }
    #expect(try time("01:59").next(after: hour, secondOfLocalDay: local) == 2 * hour - 60)
    #expect(try time("03:01").next(after: hour, secondOfLocalDay: local) == 2 * hour + 60)
    #expect(try time("02:30").next(after: 2 * hour, secondOfLocalDay: local) == 24 * hour + hour / 2 + hour)
  }

  @Test func `that clocks show twice comes twice`() throws {
    let hour = Self.hour
    // From 03:00 back to 02:00.
    let local = clocks(change: 3 * hour, by: -hour)
    let first = try time("02:30").next(after: 0, secondOfLocalDay: local)
    let second = try time("02:30").next(after: first, secondOfLocalDay: local)
    #expect(first == 2 * hour + hour / 2 && second == first + hour)
    #expect(try time("02:30").next(after: second, secondOfLocalDay: local) == second + 24 * hour)
    // Going back skips nothing.
    #expect(try time("02:00").next(after: 2 * hour, secondOfLocalDay: local) == 3 * hour)
    #expect(try time("12:00").next(after: 0, secondOfLocalDay: local) == 13 * hour)
  }

  @Test func `agrees with the clock at each minute of a year of changes`() throws {
    for by in [3600, -3600, 1800, -1800, 7200] as [Int64] {
      let local = clocks(change: 90 * 60, by: by)
      for minute in stride(from: 0, to: 1440, by: 7) {
        let text = "\(minute / 60):\(minute % 60 < 10 ? "0" : "")\(minute % 60)"
        let next = try time(text).next(after: 0, secondOfLocalDay: local)
        #expect(next > 0 && next <= 90_000 + 3600 && next % 60 == 0)
        #expect(local(next) == minute * 60 || next == 90 * 60, "\(text) after \(by)")
      }
    }
  }
}

@Suite struct `A deadline` {
  @Test func `of a span is measured by the clock that nobody sets`() {
    let deadline = RunDeadline.sinceBoot(.seconds(100))
    #expect(!deadline.hasPassed(sinceBoot: .seconds(99), unixTime: .max))
    #expect(deadline.hasPassed(sinceBoot: .seconds(100), unixTime: 0))
  }

  @Test func `of a time of day is measured by the wall clock`() {
    let deadline = RunDeadline.wallClock(100)
    #expect(!deadline.hasPassed(sinceBoot: .seconds(1000), unixTime: 99))
    #expect(deadline.hasPassed(sinceBoot: .zero, unixTime: 100))
  }
}
