internal import DownloadFiles
internal import Synchronization
internal import DownloadTransport

/// An engine, as the worker threads of the process know it: what is its own, and where they answer.
final class WorkerClient: Sendable {
  let replies = Mailbox<WorkerReply>()
  let publisher = Publisher()
  /// The small files that no worker has written yet.
  let backlog = SharedCounter()
  let blocks = BlockPool()
  let smallBlocks = SmallBlockPool()
  let syncs: Bool
  /// Set when the run ends early: digests of part files and of existing files are then of no use, and get no answers.
  /// Small files still get their names.
  let isHashingStopped = StopFlag()
  /// Set when the engine has ended: no job of it begins any more.
  let isGone = StopFlag()
  private let mostGrouped: Atomic<Int>

  /// - Parameter groupLimit: small files that are synced and named together at most; each holds a descriptor until it has
  ///   its name.
  init(syncs: Bool, groupLimit: Int) {
    self.syncs = syncs
    mostGrouped = Atomic(groupLimit)
  }

  var groupLimit: Int {
    get { mostGrouped.load(ordering: .relaxed) }
    set { mostGrouped.store(newValue, ordering: .relaxed) }
  }
}

/// What a worker thread gets from the engines.
enum WorkerMessage<Job: Sendable>: Sendable {
  case job(Job, WorkerClient)
  /// Pass the fence once all earlier jobs of this engine are done, and forget the engine.
  case fence(WorkerFence, WorkerClient)
  /// End, once all jobs are done.
  case end
}

/// An engine's way to a worker thread. The jobs of one engine are taken in their order.
struct WorkerPort<Job: Sendable>: Sendable {
  private let messages: Mailbox<WorkerMessage<Job>>
  private let client: WorkerClient

  init(_ messages: Mailbox<WorkerMessage<Job>>, _ client: WorkerClient) {
    self.messages = messages
    self.client = client
  }

  func post(_ job: Job) { messages.post(.job(job, client)) }

  func post(_ fence: WorkerFence) { messages.post(.fence(fence, client)) }
}

/// Tells an engine that worker threads are done with its jobs.
final class WorkerFence: Sendable {
  private let missingCount: Atomic<Int>
  private let isPassed: Wakeup

  /// - Parameters:
  ///   - count: threads that pass it, at least 1.
  ///   - isPassed: is signalled then.
  init(_ count: Int, _ isPassed: Wakeup = Wakeup()) {
    missingCount = Atomic(count)
    self.isPassed = isPassed
  }

  /// Readable once all threads have passed it.
  var descriptor: Int32 { isPassed.descriptor }

  func pass() {
    if missingCount.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { isPassed.signal() }
  }
}
