import DownloadCore
import Testing

@Suite struct `A limit of failures` {
  @Test(
    arguments: [
      ("0", FailureLimit.count(0)), ("12", .count(12)), ("0%", .percent(0)), ("100%", .percent(100)), ("101%", nil),
      ("", nil), ("%", nil), ("-1", nil), ("1.5%", nil), ("5 %", nil), ("5%%", nil), ("99999999999999999999", nil),
    ] as [(String, FailureLimit?)]) func `is a number or a share`(text: String, limit: FailureLimit?)
  { #expect(FailureLimit(text: Array(text.utf8)) == limit) }

  @Test(
    arguments: [
      (FailureLimit.count(0), 0, 5, 10, false), (.count(0), 1, 1, 10, true), (.count(3), 3, 3, 3, false),
      (.count(3), 4, 4, nil, true),
      // A tenth of 200 is 20.
      (.percent(10), 20, 20, 200, false), (.percent(10), 21, 21, 200, true), (.percent(0), 1, 20, 200, true),
      (.percent(100), 200, 200, 200, false),
      // Too few have ended.
      (.percent(10), 19, 19, 20, false), (.percent(10), 3, 20, 20, true), (.percent(10), 2, 20, 20, false),
      // The number of all is not known.
      (.percent(10), 3, 30, nil, false), (.percent(10), 4, 30, nil, true), (.percent(100), .max, .max, .max, false),
      (.percent(99), .max, .max, .max, true),
    ] as [(FailureLimit, Int, Int, Int?, Bool)]) func `is exceeded by more`(
      limit: FailureLimit, failed: Int, ended: Int, items: Int?, isExceeded: Bool
    )
  { #expect(limit.isExceeded(failedCount: failed, endedCount: ended, itemCount: items) == isExceeded) }
}
