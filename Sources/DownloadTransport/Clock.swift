import CSwiftGetShims
package import DownloadCore

/// The clocks of the program. Drivers pass their time to the machines.
package enum Clock {
  package static func now() -> Instant { Instant(nanoseconds: shim_monotonic()) }
  /// Unix seconds.
  package static func unixTime() -> Int64 { shim_realtime() / 1_000_000_000 }
  /// Goes on while the machine is suspended, and nobody can set it.
  package static func sinceBoot() -> Duration { .nanoseconds(shim_boottime()) }
  /// Seconds since midnight, local time, 0 to 86,399.
  package static func secondOfLocalDay() -> Int { secondOfLocalDay(at: unixTime()) }
  package static func secondOfLocalDay(at unixTime: Int64) -> Int { Int(shim_second_of_local_day(unixTime)) }
}
