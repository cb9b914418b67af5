package import DownloadCore

/// Produces the requests of a run one at a time, so that a list is never held in memory.
package protocol RequestSource: AnyObject {
  /// - Returns: nil at the end.
  /// - Throws: a line that cannot be understood (only where the list was not checked before).
  func next() throws(Failure) -> FileRequest?
  /// The number of requests, if known.
  var itemCount: Int? { get }
}

/// The requests of an array, one after the other.
package final class ArraySource: RequestSource {
  private var left: ArraySlice<FileRequest>
  package let itemCount: Int?

  package init(_ requests: [FileRequest]) {
    left = requests[...]
    itemCount = requests.count
  }

  package func next() -> FileRequest? { left.popFirst() }
}

/// The requests of the tasks that the queue knows, and the source and the spool from which others come.
///
/// The source is read on while the queue may begin something and has nothing for it, so that the requests to one host do
/// not keep those to others waiting. Nothing comes from it after its end or after an error.
struct RequestFeed {
  private let source: any RequestSource
  /// Nil keeps all requests in memory.
  private let spool: (any RequestSpool)?
  /// Nil where nobody else has the requests that commands add.
  private let keeper: (any RequestKeeper)?
  private var hasSourceEnded = false
  /// Whether the last call of `next` has put off reading more of the source, so that transfers do not wait.
  private(set) var isReadingOn = false
  /// With a keeper those of the first tasks that wait, of active ones, and those that answers have named.
  private var requests: [TaskID: FileRequest] = [:]
  /// What a command wants of requests that the source has not given yet.
  private var changes: [TaskSelection: TaskChange] = [:]
  /// Places in the spool of requests that a command has withdrawn.
  private var withdrawn: ArraySlice<Int64> = []
  /// Effects of commands on requests that were still to come.
  private var effects: [QueueEffect] = []
  /// Those of the tasks in `requests` that have been active.
  private var begun: Set<TaskID> = []

  /// Requests that wait while a host at hand answers.
  private static let fewWaiting = 1024
  /// Those that wait in memory, if there is a spool or a keeper for more.
  private static let mostInMemory = 4096
  private static let mostReadAtOnce = 64

  init(_ source: any RequestSource, spool: (any RequestSpool)? = nil, keeper: (any RequestKeeper)? = nil) {
    self.source = source
    self.spool = spool
    self.keeper = keeper
  }

  var itemCount: Int? { source.itemCount }

  /// Whether nothing comes any more but commands.
  var hasEnded: Bool { hasSourceEnded && withdrawn.isEmpty }

  /// The next request that may begin, and the handle under which it does; nil if there is none at the moment.
  ///
  /// - Parameters:
  ///   - hasRoom: as for `QueueMachine.next`.
  ///   - isAnswering: whether a host that has no room will have some soon.
  mutating func next(
    _ queue: inout QueueMachine, hasRoom: (Origin, _ isOnlyHost: Bool) -> Bool, isAnswering: (Origin) -> Bool
  ) throws(Failure) -> (handle: ItemHandle, request: FileRequest)? {
    isReadingOn = false
    var readCount = 0
    var isOneAnswering: Bool?
    while true {
      if queue.queuedCount >= Self.fewWaiting, isOneAnswering == nil {
        isOneAnswering = queue.isAnyHostWaitedFor(where: isAnswering)
      }
      let isEnough = hasSourceEnded || (queue.queuedCount >= Self.fewWaiting && isOneAnswering == true)
      switch queue.next(isComplete: isEnough, hasRoom: hasRoom) {
      case .begin(let task, let handle):
        if let request = self[task] {
          if keeper != nil { requests[task] = request }
          return (handle, request)
        }
        queue.left(handle)
      case .load(let offset):
        if let request = try spool?.read(at: offset) { enter(request, &queue) }
        if !queue.isSpooling { spool?.removeAll() }
      case nil:
        if isEnough || !queue.mayBegin { return nil }
        if readCount == Self.mostReadAtOnce {
          isReadingOn = true
          return nil
        }
        readCount += 1
        try read(into: &queue)
      }
    }
  }

  /// Reads on although no place is free, until a host is waited for that answers: its request may be lent one.
  ///
  /// - Returns: whether reading on is put off, so that transfers do not wait.
  mutating func readAhead(_ queue: inout QueueMachine, isAnswering: (Origin) -> Bool) throws(Failure) -> Bool {
    for _ in 0..<Self.mostReadAtOnce {
      if hasSourceEnded || !queue.mayBegin || queue.isAnyHostWaitedFor(where: isAnswering) { return false }
      try read(into: &queue)
    }
    return true
  }

  private mutating func read(into queue: inout QueueMachine) throws(Failure) {
    hasSourceEnded = true
    guard let request = try source.next() else { return }
    hasSourceEnded = false
    if let spool, request.group == .main, request.priority == 0, request.settings == nil, request.formerURL == nil,
      queue.isSpooling(request.host) || (queue.hasWaiting(request.host) && queue.readyCount >= Self.mostInMemory)
    {
      queue.spool(try spool.append(request), host: request.host)
    } else {
      enter(request, &queue)
    }
  }

  /// Makes a task of a request from the source.
  private mutating func enter(_ request: FileRequest, _ queue: inout QueueMachine) {
    guard add(request, to: &queue), let change = changes[.all] ?? changes[.group(request.group)] else { return }
    effects += queue.apply(change, to: .task(request.task)).effects
  }

  // MARK: Withdrawing

  /// A command withdraws tasks. It holds also for requests that the source has given or will give.
  mutating func withdraw(_ selection: TaskSelection, _ change: TaskChange, _ queue: inout QueueMachine) {
    if case .task = selection { return }
    changes[selection] = change
    // All requests in the spool are of the main group.
    if selection == .all || selection == .group(.main) { withdrawn += queue.takeSpooled() }
  }

  /// Whether `withdrawSome` has something to do.
  var isWithdrawing: Bool { !withdrawn.isEmpty || changes[.all] != nil && !hasSourceEnded }

  /// Withdraws some of the requests that are still to come, also while everything is paused.
  mutating func withdrawSome(_ queue: inout QueueMachine) throws(Failure) {
    for _ in 0..<Self.mostReadAtOnce where isWithdrawing {
      if let offset = withdrawn.popFirst() {
        if let request = try spool?.read(at: offset) { enter(request, &queue) }
        if withdrawn.isEmpty, !queue.isSpooling { spool?.removeAll() }
      } else {
        try read(into: &queue)
      }
    }
  }

  /// What the driver has to do for requests that were withdrawn before they were tasks.
  mutating func takeEffects() -> [QueueEffect] {
    defer { effects.removeAll(keepingCapacity: true) }
    return effects
  }

  // MARK: Tasks

  /// - Returns: false if the task is known already.
  mutating func add(_ request: FileRequest, to queue: inout QueueMachine) -> Bool {
    guard queue.add(request.task, host: request.host, group: request.group, priority: request.priority) else {
      return false
    }
    if keeper == nil || requests.count < Self.mostInMemory { requests[request.task] = request }
    return true
  }

  /// - Returns: false if the task is known already.
  mutating func restore(
    _ task: TaskID, _ host: Origin, _ group: GroupID, priority: Int, _ end: TaskEnd?, to queue: inout QueueMachine
  ) -> Bool {
    guard queue.add(task, host: host, group: group, priority: priority, end: end) else { return false }
    if end != .succeeded { begun.insert(task) }
    return true
  }

  /// - Returns: false if the task is active.
  mutating func replace(_ request: FileRequest, _ queue: inout QueueMachine) -> Bool {
    guard queue.ask(request.host, first: request.task) else { return false }
    requests[request.task] = keeper == nil ? request : nil
    return true
  }

  /// The request of a task that is known.
  subscript(task: TaskID) -> FileRequest? { requests[task] ?? keeper?.request(of: task) }

  /// - Returns: false if the task is not known.
  mutating func set(_ own: TaskSettings?, headers: [String], of task: TaskID) -> Bool {
    guard requests[task] != nil else { return keeper?.request(of: task) != nil }
    requests[task]?.settings = own
    requests[task]?.headers = headers
    return true
  }

  /// What an active task is fetched with until it is taken back.
  mutating func use(_ request: FileRequest) { requests[request.task] = request }

  /// A task that was active is to begin again, with this request. Only an answer has changed it without the keeper.
  mutating func takeBack(_ request: FileRequest) {
    requests[request.task] = keeper == nil || request.isNamedByNetwork ? request : nil
    begun.insert(request.task)
  }

  /// Whether the task was active and is to begin again.
  func hasBegun(_ task: TaskID) -> Bool { begun.contains(task) }

  mutating func forget(_ task: TaskID) {
    requests[task] = nil
    if !begun.isEmpty { begun.remove(task) }
  }

  /// Requests that have not begun, in the order of the input; they come no more. Those in the spool are passed over.
  mutating func takeUnbegun(atMost most: Int, where isUnbegun: (TaskID) -> Bool) -> [FileRequest] {
    var unbegun = requests.values.filter { isUnbegun($0.task) }.sorted { $0.task < $1.task }
    while unbegun.count < most, !hasSourceEnded, let request = try? source.next() { unbegun.append(request) }
    return Array(unbegun.prefix(most))
  }
}

extension FileRequest {
  /// The host that it asks first.
  fileprivate var host: Origin { mirrors[0].location.origin }
}
