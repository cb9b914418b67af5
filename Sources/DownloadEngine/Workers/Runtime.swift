internal import CSwiftGetShims
internal import DownloadCore
internal import Glibc
internal import Synchronization
internal import DownloadTransport

/// What the engines of a process share: the threads that hash and store, and the descriptors that may be open.
///
/// The threads start with the first engine, and end some time after the last one has gone. Any thread may call.
package final class Runtime: Sendable {
  package static let shared = Runtime()

  /// The threads that store on a device, or on several.
  final class StorageThreads: Sendable {
    /// Writes blocks of part files while the device is slow, so that no loop waits for it.
    let writer = StorageWorker()
    /// Syncs and publishes part files, each of which may take long.
    let parts = StorageWorker()
    /// Syncs and names groups of small files, which wait for no part file.
    let small = StorageWorker()

    var all: [StorageWorker] { [writer, parts, small] }
  }

  private struct State {
    var engines: [(client: WorkerClient, inbox: EngineInbox)] = []
    /// Engines that have joined so far.
    var joinedCount = 0
    var hashers: [HashWorker] = []
    var stores: [StorageThreads] = []
    var storeOfDevice: [UInt64: StorageThreads] = [:]
    /// Of the thread that waits to end the others.
    var isWantedAgain: Wakeup?
  }

  /// Each device has threads of its own up to this number; further ones share them.
  static let mostStores = 4

  let hasherCount = max(2, Int(file_processor_count()))
  let writeBudget = WriteBudget()
  /// Whether devices count as slow until they have shown to be quick.
  let suspectsDevices: Bool
  private let idleMilliseconds: Int32
  private let state = Lock(State())
  private let engineCount = Atomic<Int>(0)
  private let runningCount = Atomic<Int>(0)

  /// - Parameters:
  ///   - idleTime: how long the threads stay when no engine is left.
  ///   - suspectsDevices: whether devices count as slow until they have shown to be quick.
  init(idleTime: Duration = .seconds(10), suspectsDevices: Bool = false) {
    self.suspectsDevices = suspectsDevices
    idleMilliseconds = Int32(clamping: idleTime.wholeNanoseconds / 1_000_000)
  }

  /// The number of threads that hash or store.
  var threadCount: Int { runningCount.load(ordering: .relaxed) }

  // MARK: Engines

  /// Begins to serve an engine, and starts the threads that are missing.
  ///
  /// - Parameter device: of the engine's place.
  /// - Returns: the hash threads, the first one another for each engine; nil if the system has no more threads.
  func join(_ client: WorkerClient, _ inbox: EngineInbox, device: UInt64) -> [HashWorker]? {
    let (hashers, others) = state.withLock { state -> ([HashWorker]?, [EngineInbox]) in
      state.isWantedAgain?.signal()
      state.isWantedAgain = nil
      guard startHashers(&state), store(of: device, &state) != nil else {
        if state.engines.isEmpty { endThreads(&state) }
        return (nil, [])
      }
      let others = state.engines.map(\.inbox)
      state.engines.append((client, inbox))
      engineCount.store(state.engines.count, ordering: .relaxed)
      let first = state.joinedCount % state.hashers.count
      state.joinedCount += 1
      return (Array(state.hashers[first...] + state.hashers[..<first]), others)
    }
    for other in others { other.nudge() }
    return hashers
  }

  /// The engine has ended. One that was not served has no effect.
  func leave(_ client: WorkerClient) {
    let others = state.withLock { state -> [EngineInbox] in
      guard let index = state.engines.firstIndex(where: { $0.client === client }) else { return [] }
      state.engines.remove(at: index)
      engineCount.store(state.engines.count, ordering: .relaxed)
      if state.engines.isEmpty { endThreadsLater(&state) }
      return state.engines.map(\.inbox)
    }
    for other in others { other.noteReleases() }
  }

  /// The engine has closed files of a task, for whose target another engine may wait.
  func released(by client: WorkerClient) {
    guard engineCount.load(ordering: .relaxed) > 1 else { return }
    let others = state.withLock { $0.engines.filter { $0.client !== client }.map(\.inbox) }
    for other in others { other.noteReleases() }
  }

  /// The part of the process's descriptors that an engine may open. It changes when another engine joins or leaves; then
  /// the inbox is nudged.
  func share(of descriptorLimit: Int) -> Int { descriptorLimit / max(1, engineCount.load(ordering: .relaxed)) }

  /// For an engine that has joined: the threads that store on this device; another's where the system has no more threads.
  func store(of device: UInt64) -> StorageThreads { state.withLock { store(of: device, &$0)! } }

  // MARK: Threads

  private func startHashers(_ state: inout State) -> Bool {
    while state.hashers.count < hasherCount {
      let worker = HashWorker()
      guard start({ worker.run() }) else { return false }
      state.hashers.append(worker)
    }
    return true
  }

  private func store(of device: UInt64, _ state: inout State) -> StorageThreads? {
    if let known = state.storeOfDevice[device] { return known }
    if state.stores.count < Self.mostStores, let new = startStore() { state.stores.append(new) }
    guard !state.stores.isEmpty else { return nil }
    let store = state.stores[state.storeOfDevice.count % state.stores.count]
    state.storeOfDevice[device] = store
    return store
  }

  private func startStore() -> StorageThreads? {
    let store = StorageThreads()
    for (index, thread) in store.all.enumerated() where !start({ thread.run() }) {
      for started in store.all[..<index] { started.messages.post(.end) }
      return nil
    }
    return store
  }

  private func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    runningCount.add(1, ordering: .relaxed)
    let thread = WorkerThread { [self] in
      body()
      runningCount.subtract(1, ordering: .relaxed)
    }
    if thread == nil { runningCount.subtract(1, ordering: .relaxed) }
    return thread != nil
  }

  /// No thread is joined: one may be in a system call that takes long.
  private func endThreads(_ state: inout State) {
    for hasher in state.hashers { hasher.messages.post(.end) }
    for store in state.stores {
      for thread in store.all { thread.messages.post(.end) }
    }
    state.hashers = []
    state.stores = []
    state.storeOfDevice = [:]
  }

  private func endThreadsLater(_ state: inout State) {
    let isWantedAgain = Wakeup()
    let waiter = WorkerThread { [self] in
      var entry = pollfd(fd: isWantedAgain.descriptor, events: Int16(POLLIN), revents: 0)
      while true {
        let ready = poll(&entry, 1, idleMilliseconds)
        if ready > 0 { return }
        if ready == 0 || errno != EINTR { break }
      }
      self.state.withLock { state in
        guard state.isWantedAgain === isWantedAgain else { return }
        state.isWantedAgain = nil
        endThreads(&state)
      }
    }
    if waiter == nil { endThreads(&state) } else { state.isWantedAgain = isWantedAgain }
  }
}
