import CShims
package import DownloadCore

/// The clocks of the program. Drivers pass their time to the machines.
package enum Clock {
  package static func now() -> Instant { Instant(nanoseconds: shim_monotonic()) }
  /// Unix seconds.
  package static func unixTime() -> Int64 { shim_realtime() / 1_000_000_000 }
  /// Seconds since midnight, local time, 0 to 86,399.
  package static func secondOfLocalDay() -> Int { Int(shim_second_of_local_day(unixTime())) }
}
