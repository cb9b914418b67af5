internal import DownloadCore

/// Small files between their last byte and their name: they go to a worker in batches, and are synced and named in
/// groups, because one message and one sync cost about the same for one file as for hundreds.
struct SmallFileBatcher {
  private let workers: Workers
  /// Collected for the next batch.
  private var jobs: [SmallJob] = []
  /// Files that were added and have no name yet.
  private(set) var unnamedCount = 0
  private var hasHurried = false
  private var nextNaming: Instant

  /// The number of files in a batch; a tick sends fewer.
  private static let batchCount = 32
  /// The maximum time that a small file waits for others before it is synced.
  private static let namingInterval: Duration = .milliseconds(250)
  /// The maximum number of bytes that the workers have not written yet; beyond it nothing more is requested.
  private static let backlogLimit = 3 << 20

  init(workers: Workers, now: Instant) {
    self.workers = workers
    nextNaming = now
  }

  /// Whether the workers are so far behind that nothing more may be requested.
  var isFull: Bool { workers.client.backlog.value >= Self.backlogLimit }

  mutating func add(_ job: SmallJob) {
    workers.client.backlog.add(job.file.body.count)
    unnamedCount += 1
    hasHurried = false
    jobs.append(job)
    if jobs.count >= Self.batchCount { handOver() }
  }

  /// A file has its name, or has failed.
  mutating func leave() { unnamedCount -= 1 }

  mutating func tick(now: Instant) {
    handOver()
    guard now >= nextNaming else { return }
    nextNaming = now + Self.namingInterval
    if unnamedCount > 0 { workers.nameSmall() }
  }

  /// Names the files now, because no transfer is active that could bring more.
  mutating func hurry() {
    guard unnamedCount > 0, !hasHurried else { return }
    hasHurried = true
    handOver()
    workers.hurry()
  }

  private mutating func handOver() {
    guard !jobs.isEmpty else { return }
    workers.post(jobs)
    jobs.removeAll(keepingCapacity: true)
  }
}
