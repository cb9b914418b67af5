import Testing

@testable import DownloadCore

@Suite struct `Attempts of a mirror` {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  @Test func `attempts without progress add up until there is progress`() {
    var attempts = MirrorAttempts()
    for count in 1...2 {
      let hadProgress = attempts.failed(now: at(Int64(count)))
      #expect(!hadProgress && attempts.fruitlessCount == count)
    }
    attempts.recorded(MirrorAttempts.progressByteCount)
    let isProgress = attempts.noteProgress(isComplete: false)
    #expect(isProgress && attempts.fruitlessCount == 0)
    let hadProgress = attempts.failed(now: at(3))
    #expect(hadProgress && attempts.recordedByteCount == 0)
    _ = attempts.failed(now: at(4))
    attempts.recorded(1)
    let isOneByte = attempts.noteProgress(isComplete: false)
    #expect(!isOneByte && attempts.fruitlessCount == 1)
    let isLastByte = attempts.noteProgress(isComplete: true)
    #expect(isLastByte, "the last bytes are always progress")
  }

  @Test func `transfers that break together are one attempt`() {
    var attempts = MirrorAttempts()
    #expect(!attempts.isCounted(startedAt: at(0)))
    _ = attempts.failed(now: at(10))
    #expect(attempts.isCounted(startedAt: at(9)) && !attempts.isCounted(startedAt: at(10)))
  }

  @Test func `the wait is shorter after more progress`() {
    let retries = Retries(tries: 5, longestWait: .seconds(60))
    var attempts = MirrorAttempts()
    let none = attempts.backoff(retries, now: at(0), random: 0)
    attempts.recorded(MirrorAttempts.progressByteCount)
    let some = attempts.backoff(retries, now: at(0), random: 0)
    attempts.recorded(Retries.ampleByteCount)
    #expect(none > some && some > at(0))
    #expect(attempts.backoff(retries, now: at(0), random: 0) == at(0))
  }

  @Test func `a request on a closed kept connection is repeated at once three times`() {
    var attempts = MirrorAttempts()
    let isOther = attempts.mayRepeatAtOnce(.shortBody)
    #expect(!isOther)
    for _ in 0..<3 {
      let mayRepeat = attempts.mayRepeatAtOnce(.keptConnectionClosed)
      #expect(mayRepeat)
    }
    let isFourth = attempts.mayRepeatAtOnce(.keptConnectionClosed)
    #expect(!isFourth)
    attempts.answered()
    let isFirst = attempts.mayRepeatAtOnce(.keptConnectionClosed)
    #expect(isFirst)
  }

  @Test func `a throttled request counts as congestion while others are served, at most twelve times`() {
    var attempts = MirrorAttempts()
    func isCongestion(_ fault: TransferFault, served: Int64, others: Int = 1, at time: Int64) -> Bool {
      attempts.isCongestion(fault, servedCount: served, othersActive: others, startedAt: at(time), now: at(time))
    }
    let isAlone = isCongestion(.status(503), served: 0, others: 0, at: 0)
    #expect(!isAlone)
    for time in Int64(1)...12 {
      let congests = isCongestion(.status(503), served: time, at: time)
      #expect(congests)
    }
    let isMore = isCongestion(.status(503), served: 13, at: 13)
    #expect(!isMore)
    let isRefused = isCongestion(.connectRefused(), served: 14, at: 14)
    #expect(isRefused, "a refused connection is no fault of the file")
    let isStuck = isCongestion(.connectRefused(), served: 14, at: 15)
    #expect(!isStuck, "no other transfer was served since")
  }
}
