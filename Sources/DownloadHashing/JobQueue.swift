internal import DownloadCore
internal import Glibc

/// Jobs that several threads take, each job once, in the order of their submission.
final class JobQueue<Job: Sendable>: Sendable {
  private struct State {
    var jobs = FIFO<Job>()
    var isClosed = false
  }

  private let state = Lock(State())
  /// Counts the jobs that wait. After `close` it counts one more.
  private nonisolated(unsafe) let available: UnsafeMutablePointer<sem_t>

  init() {
    available = .allocate(capacity: 1)
    sem_init(available, 0, 0)
  }

  deinit {
    sem_destroy(available)
    available.deallocate()
  }

  func append(_ job: Job) {
    state.withLock { $0.jobs.append(job) }
    sem_post(available)
  }

  /// No more jobs come; those that wait are dropped.
  func close() {
    state.withLock { $0 = State(isClosed: true) }
    sem_post(available)
  }

  /// Waits for the next job; nil after `close`.
  func next() -> Job? {
    while true {
      while sem_wait(available) != 0 {}
      let (job, isClosed): (Job?, Bool) = state.withLock { ($0.jobs.popFirst(), $0.isClosed) }
      if let job { return job }
      guard isClosed else { continue }
      // For the next thread that waits.
      sem_post(available)
      return nil
    }
  }
}
