import CSwiftGetShims
import DownloadCore
import Glibc
import Testing

@testable import DownloadTransport

@Suite struct `Local time` {
  @Test func `includes summer time`() async {
    await #expect(processExitsWith: .success) {
      setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
      // 2026-01-01 12:00:00 and 2026-07-01 12:34:56, UTC; then the seconds before and after the clocks go forward.
      #expect(shim_second_of_local_day(1_767_268_800) == 13 * 3600)
      #expect(shim_second_of_local_day(1_782_909_296) == 14 * 3600 + 34 * 60 + 56)
      #expect(shim_second_of_local_day(1_774_745_999) == 7199)
      #expect(shim_second_of_local_day(1_774_746_000) == 3 * 3600)
      // Another zone is noticed.
      setenv("TZ", "XYZ+5", 1)
      #expect(shim_second_of_local_day(1_767_268_800) == 7 * 3600)
    }
  }

  @Test func `makes the next moment of a time of day`() async {
    await #expect(processExitsWith: .success) {
      setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
      let half = try #require(TimeOfDay(text: Array("02:30".utf8)))
      func next(_ now: Int64) -> Int64 { half.next(after: now, secondOfLocalDay: Clock.secondOfLocalDay(at:)) }
      // 2026-03-29: from 01:00 UTC on clocks show 03:00.
      #expect(next(1_774_742_400) == 1_774_746_000)
      // 2026-10-25: they show 02:30 at 00:30 and at 01:30 UTC.
      #expect(next(1_792_886_400) == 1_792_888_200 && next(1_792_888_200) == 1_792_891_800)
    }
  }

  @Test func `is a second of the day`() {
    #expect((0..<86_400).contains(Clock.secondOfLocalDay()))
  }
}
