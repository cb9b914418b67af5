import Testing

@testable import DownloadCore

@Suite struct Retrying {
  private let retries = Retries(tries: 5, longestWait: .seconds(60))

  @Test(arguments: [
    (1, 0.0, 500), (1, 0.5, 750), (2, 0.0, 1000), (3, 0.0, 2000), (4, 0.5, 6000), (6, 0.0, 16_000),
    // Sixty seconds are the most, and of those a half at least.
    (7, 0.0, 30_000), (60, 0.0, 30_000), (Int.max, 0.0, 30_000),
    // Nonsense is taken for the nearest sense.
    (0, 0.0, 500), (-5, 0.0, 500), (1, -3.0, 500), (1, 7.0, 1000),
  ])
  func `waits double up to the cap, with a random half`(failures: Int, random: Double, milliseconds: Int64) {
    #expect(retries.backoff(failures: failures, random: random) == .milliseconds(milliseconds))
  }

  @Test func `what a server asks for is held to the cap`() {
    #expect(retries.wait(for: nil) == nil)
    #expect(retries.wait(for: .seconds(5)) == .seconds(5))
    #expect(retries.wait(for: .seconds(86_400)) == .seconds(60))
    #expect(retries.wait(for: .seconds(-5)) == .zero)
  }

  @Test func `there is one try at least`() {
    #expect(Retries(tries: 0, longestWait: .zero).tries == 1)
    #expect(Retries(tries: 7, longestWait: .zero).tries == 7)
  }

  @Test func `a refused request waits 20 ms or two round trips, and up to 40 ms more`() {
    #expect(Retries.waitAfterRefusal(roundTrip: .milliseconds(1), random: 0) == .milliseconds(20))
    #expect(Retries.waitAfterRefusal(roundTrip: .milliseconds(100), random: 0.5) == .milliseconds(220))
  }
}
