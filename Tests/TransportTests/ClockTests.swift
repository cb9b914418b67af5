import CShims
import Glibc
import Testing

@testable import Transport

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

  @Test func `is a second of the day`() {
    #expect((0..<86_400).contains(Clock.secondOfLocalDay()))
  }
}
