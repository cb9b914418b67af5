import Testing

@testable import DownloadCore

@Suite struct `Spaced requests` {
  private let start = Instant.zero + .seconds(100)

  @Test func `follow each other at even distances, and none is made up for`() {
    var spacing = RequestSpacing(rate: 4)
    #expect(spacing.earliestStart(now: start) == nil)
    spacing.started(now: start)
    #expect(spacing.earliestStart(now: start) == start + .milliseconds(250))
    #expect(spacing.earliestStart(now: start + .milliseconds(250)) == nil)
    // Nobody has asked for a while: still one at a time.
    let later = start + .seconds(10)
    spacing.started(now: later)
    #expect(spacing.earliestStart(now: later) == later + .milliseconds(250))
  }

  @Test func `start at once without a rate, and by another one from now on`() {
    var spacing = RequestSpacing()
    for _ in 0..<3 {
      spacing.started(now: start)
      #expect(spacing.earliestStart(now: start) == nil)
    }
    spacing.rate = 0.5
    spacing.started(now: start)
    #expect(spacing.earliestStart(now: start + .seconds(1)) == start + .seconds(2))
    spacing.rate = nil
    #expect(spacing.earliestStart(now: start + .seconds(1)) == nil)
  }
}
