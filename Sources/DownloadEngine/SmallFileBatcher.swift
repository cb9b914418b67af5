internal import DownloadCore

/// Small files between their last byte and their name: they go to a worker in batches, and are synced and named in
/// groups, for one message and one sync cost about as much for one file as for hundreds.
struct SmallFileBatcher {
  private let workers: Workers
  /// Wait to be handed to a worker together.
  private var jobs: [SmallJob] = []
  /// Files that were added and have no name yet.
  private(set) var unnamedCount = 0
  private var hasHurried = false
  private var nextNaming: Instant

  /// At least so many go to a worker together, or fewer at the next tick.
  private static let batchCount = 32
  /// How long a small file waits at most for others to be synced with.
  private static let namingInterval: Duration = .milliseconds(250)
  /// Bytes of small files that the workers have yet to write; more are not fetched until some are.
  private static let backlogLimit = 3 << 20

  init(workers: Workers, now: Instant) {
    self.workers = workers
    nextNaming = now
  }

  /// Whether the workers are so far behind that nothing more is to be fetched.
  var isFull: Bool { workers.backlog.byteCount >= Self.backlogLimit }

  mutating func add(_ job: SmallJob) {
    workers.backlog.add(job.file.bytes.count)
    unnamedCount += 1
    hasHurried = false
    jobs.append(job)
    if jobs.count >= Self.batchCount { handOver() }
  }

  /// One of the files has its name, or will not get it.
  mutating func leave() { unnamedCount -= 1 }

  mutating func tick(now: Instant) {
    handOver()
    guard now >= nextNaming else { return }
    nextNaming = now + Self.namingInterval
    if unnamedCount > 0 { workers.storage.jobs.post(.nameNow) }
  }

  /// Nothing else is under way: no file gains anything by waiting.
  mutating func hurry() {
    guard unnamedCount > 0, !hasHurried else { return }
    hasHurried = true
    handOver()
    workers.hurry()
  }

  private mutating func handOver() {
    guard !jobs.isEmpty else { return }
    workers.nextHasher().post(.small(jobs))
    jobs.removeAll(keepingCapacity: true)
  }
}
