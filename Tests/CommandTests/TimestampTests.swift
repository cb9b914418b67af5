import Glibc
import Testing

@testable import DownloadWords

@Suite struct `A local time` {
  @Test(
    arguments: [
      (1_767_268_800, 0, "2026-01-01T12:00:00+00:00"), (1_767_268_800, 3600, "2026-01-01T13:00:00+01:00"),
      (1_767_222_000, 7200, "2026-01-01T01:00:00+02:00"), (1_767_268_800, -12600, "2026-01-01T08:30:00-03:30"),
      (1_767_268_800, 20700, "2026-01-01T17:45:00+05:45"),
    ] as [(Int64, Int, String)])
  func `has its offset`(unixTime: Int64, offset: Int, text: String) {
    #expect(Timestamp.text(unixTime: unixTime, offset: offset) == text)
  }

  @Test func `follows the time zone and its summer time`() async {
    await #expect(processExitsWith: .success) {
      setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
      #expect(Timestamp.localOffset(unixTime: 1_767_268_800) == 3600)
      #expect(Timestamp.localOffset(unixTime: 1_782_909_296) == 7200)
    }
  }
}
