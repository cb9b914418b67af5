/// How many tasks have ended, and how many of them may have failed.
package struct EndTally: Sendable {
  private var count = 0
  private var failedCount = 0
  /// Once it is exceeded nothing begins any more.
  package var failureLimit: FailureLimit?
  /// Tasks in all, if known; for a failure limit that is a share of them.
  package var expectedCount: Int?

  package var hasTooManyFailures: Bool {
    failureLimit?.isExceeded(failedCount: failedCount, endedCount: count, itemCount: expectedCount) ?? false
  }

  mutating func add(_ end: TaskState) {
    count += 1
    if end == .failed { failedCount += 1 }
  }

  /// A task that has ended so is to be done again.
  mutating func takeBack(_ end: TaskState) {
    count -= 1
    if end == .failed { failedCount -= 1 }
  }
}
