import Testing

@testable import DownloadCore

@Suite struct `Waits between attempts` {
  @Test(arguments: [
    (1, 0.0, 500), (1, 0.5, 750), (2, 0.0, 1000), (3, 0.0, 2000), (4, 0.5, 6000), (6, 0.0, 16_000),
    // Sixty seconds are the most, and of those a half at least.
    (7, 0.0, 30_000), (60, 0.0, 30_000), (Int.max, 0.0, 30_000),
    // Nonsense is taken for the nearest sense.
    (0, 0.0, 500), (-5, 0.0, 500), (1, -3.0, 500), (1, 7.0, 1000),
  ])
  func `waits double up to the cap, with a random half`(attempt: Int, random: Double, milliseconds: Int64) {
    #expect(Backoff.delay(attempt: attempt, cap: .seconds(60), random: random) == .milliseconds(milliseconds))
  }

  @Test func `what a server asks for is held to the cap`() {
    #expect(Backoff.obeyed(nil, cap: .seconds(60)) == nil)
    #expect(Backoff.obeyed(.seconds(5), cap: .seconds(60)) == .seconds(5))
    #expect(Backoff.obeyed(.seconds(86_400), cap: .seconds(60)) == .seconds(60))
    #expect(Backoff.obeyed(.seconds(-5), cap: .seconds(60)) == .zero)
  }
}
