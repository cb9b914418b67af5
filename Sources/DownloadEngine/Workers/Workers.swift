internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// The worker threads of the process, as one engine uses them.
///
/// Owned by the loop's thread. The threads get jobs through ports and answer through the client's `replies`.
final class Workers {
  let client: WorkerClient
  private let runtime: Runtime
  private let device: UInt64
  private var hashers: [WorkerPort<HashJob>] = []
  /// Those that have got jobs.
  private var usedHashers: Set<Int> = []
  /// Those of small files so far.
  private var smallDevices: Set<UInt64> = []
  /// By device.
  private var stores: [UInt64: (threads: Runtime.StorageThreads, writer: DeviceWriter)] = [:]
  private var next = 0
  /// Of the fences at the end. Made at the beginning: later there may be no descriptor for it.
  private let isPassed = Wakeup()

  /// - Parameters:
  ///   - directory: the engine's.
  ///   - groupLimit: small files that are synced and named together at most.
  init(_ runtime: Runtime, _ directory: DirectoryHandle, syncs: Bool, groupLimit: Int) {
    self.runtime = runtime
    device = Self.device(of: directory)
    client = WorkerClient(syncs: syncs, groupLimit: groupLimit)
  }

  /// Where it cannot be asked for, any threads will do.
  private static func device(of directory: DirectoryHandle) -> UInt64 { (try? directory.device) ?? 0 }

  /// - Returns: false if the system has no more threads or descriptors.
  func start(for inbox: EngineInbox) -> Bool {
    guard [isPassed.descriptor, client.replies.descriptor, inbox.descriptor].allSatisfy({ $0 >= 0 }),
      let shared = runtime.join(client, inbox, device: device)
    else { return false }
    hashers = shared.map { WorkerPort($0.messages, client) }
    return true
  }

  /// Waits until all jobs are done; less than a second once there is an order to save. Then the system call that is under
  /// way is finished, and nothing else of this engine begins.
  ///
  /// - Returns: whether the threads have nothing of this engine any more.
  func stop(hearing inbox: EngineInbox) -> Bool {
    var end: Instant?
    func hasPassed(_ fence: WorkerFence) -> Bool {
      if end == nil {
        if inbox.wait(for: fence.descriptor, onceSaving: Self.patience) { return true }
        client.isGone.set()
        end = Clock.now() + Self.lastPatience
      }
      return inbox.wait(for: fence.descriptor, until: end ?? .zero)
    }
    let hashing = WorkerFence(usedHashers.count, isPassed)
    for index in usedHashers { hashers[index].post(hashing) }
    var havePassed = usedHashers.isEmpty || hasPassed(hashing)
    // Writers hand jobs on to the others.
    for threads in [{ [$0.writer] }, { [$0.parts, $0.small] }] as [(Runtime.StorageThreads) -> [StorageWorker]]
    where !stores.isEmpty {
      let fence = postFence(to: threads)
      havePassed = havePassed && hasPassed(fence)
    }
    client.isGone.set()
    runtime.leave(client)
    return havePassed
  }

  /// How long jobs are done once there is an order to save.
  private static let patience = Duration.milliseconds(650)
  /// How long the one that is under way may take after that.
  private static let lastPatience = Duration.milliseconds(200)

  private func postFence(to threads: (Runtime.StorageThreads) -> [StorageWorker]) -> WorkerFence {
    // Several devices may have the same threads, which pass for each.
    let passing = stores.values.flatMap { threads($0.threads) }
    isPassed.clear()
    let fence = WorkerFence(passing.count, isPassed)
    for thread in passing { WorkerPort(thread.messages, client).post(fence) }
    return fence
  }

  /// Files of a task are closed, for whose target another engine of the process may wait.
  func tellRelease() { runtime.released(by: client) }

  /// The part of the process's descriptors that the engine may open.
  func share(of descriptorLimit: Int) -> Int { runtime.share(of: descriptorLimit) }

  // MARK: Hashing

  /// The thread that hashes this item's content; the same one for each call.
  func hasher(of item: ItemHandle) -> WorkerPort<HashJob> { hasher(item.number) }

  /// The thread that hashes this piece. All share the pieces of a file.
  func hasher(of piece: PieceCheck) -> WorkerPort<HashJob> { hasher(piece.index) }

  /// The next hash thread in turn.
  func nextHasher() -> WorkerPort<HashJob> {
    next += 1
    return hasher(next)
  }

  private func hasher(_ number: Int) -> WorkerPort<HashJob> {
    let index = number % hashers.count
    usedHashers.insert(index)
    return hashers[index]
  }

  // MARK: Storing

  /// The thread that stores the part files in this directory.
  func storage(of directory: DirectoryHandle) -> WorkerPort<StorageJob> {
    WorkerPort(store(of: Self.device(of: directory)).threads.parts.messages, client)
  }

  /// How part files in this directory are written.
  func writer(of directory: DirectoryHandle) -> DeviceWriter { store(of: Self.device(of: directory)).writer }

  /// The thread that names the small files of a device.
  private func smallStorage(of device: UInt64) -> WorkerPort<StorageJob> {
    WorkerPort(store(of: device).threads.small.messages, client)
  }

  private func store(of device: UInt64) -> (threads: Runtime.StorageThreads, writer: DeviceWriter) {
    if let known = stores[device] { return known }
    let threads = runtime.store(of: device)
    let writer = DeviceWriter(
      WorkerPort(threads.writer.messages, client), runtime.writeBudget, isSlow: runtime.suspectsDevices)
    stores[device] = (threads, writer)
    return (threads, writer)
  }

  /// Has a batch of small files verified and written.
  func post(_ jobs: [SmallJob]) {
    for (device, jobs) in Dictionary(grouping: jobs, by: { Self.device(of: $0.file.place.directory) }) {
      smallDevices.insert(device)
      nextHasher().post(.small(jobs, namedBy: smallStorage(of: device)))
    }
  }

  /// Has the small files that are written named now.
  func nameSmall() {
    for device in smallDevices { smallStorage(of: device).post(.nameNow) }
  }

  /// Has all waiting small files named now.
  func hurry() {
    for index in usedHashers {
      for device in smallDevices { hashers[index].post(.hurry(smallStorage(of: device))) }
    }
  }
}
