@testable import DownloadCore
import TestSupport

/// A whole run on a simulated clock: acts as the driver of `RunMachine` and as the servers.
///
/// Time advances from event to event. The oracle adds to `problems`: content of no version of the file, a file that is
/// absent although a correct server had it, too many requests, transfers or items that never end.
final class SimulatedDownload {
  struct Transfer {
    let order: TransferOrder
    /// Index into `items`.
    let item: Int
    let host: Int
    let startedAt: Instant
    let isKept: Bool
    var manner = Manner()
    /// Whether its head has arrived.
    var isAnswered = false
    var head: ResponseHead?
    var redirectTarget: Location?
    var body = ServerAnswer.Body()
    var disposition: BodyDisposition?
    /// Received body bytes.
    var received: Int64 = 0
    var isLie = false
    /// The content offset up to which bytes are stored, and the end of the wanted part.
    var stored: Int64 = 0
    var end: Int64 = .max
    /// When the writer will have written all that it has of it.
    var writtenAt = Instant.zero
    /// How it has ended, before all of its bytes were written.
    var deferredEnding: TransferEnding?

    /// Whether the server refuses the request because of too many of them.
    var isThrottled: Bool {
      switch head?.status {
      case 429, 503: true
      case 403: head?.retryAfterValue != nil || head?.hasUsedUpRequests == true
      default: false
      }
    }
  }

  struct Item {
    var content = StoredContent()
    var covered = ByteRangeSet()
    /// What the writer has of it.
    var writes: [Write] = []
    /// The sidecar.
    var checkpoint: SidecarRecord?
    /// The stored ranges by mirror.
    var sources: [Int: ByteRangeSet] = [:]
    /// The digests that servers claimed.
    var claims: Set<ContentDigest> = []
    /// The digests, besides the given ones, that judge the content: those of the sidecar, and those that mirrors of the
    /// request claimed since the last discard.
    var judges: Set<ContentDigest> = []
    /// What the last answer of a mirror of the request claimed; empty after one of another mirror.
    var lastClaims: Set<ContentDigest> = []
    var closedKeptInARow = 0
    /// The lengths of truncated bodies that looked complete.
    var hiddenCuts: Set<Int64> = []
    var received: Int64 = 0
    /// While it is active.
    var handle: ItemHandle?
    var beginningCount = 0
    /// The user's command has rejected it.
    var isRejected = false
    var result: Result?
    // For the oracle.
    var requestCount = 0
    var requestsWithoutProgress = 0
    /// Requests that replace no other one.
    var plannedCount = 0
    /// Slow or late requests whose work others took over.
    var replacedCount = 0
    var highWater: Int64 = 0
    var discardCount = 0
    /// The number of bytes that were new, by mirror.
    var brought: [Int: Int64] = [:]
    /// By mirror.
    var newSinceFault: [Int: Int64] = [:]
    var faultedAt = Instant.zero
    /// When a host last refused it, by host.
    var refusedAt: [Int: Instant] = [:]
    /// No request to these URLs before these times, because they redirect to themselves.
    var redirectWaits: [Location: Instant] = [:]
    /// No request before this time, by mirror.
    var restsUntil: [Int: Instant] = [:]
  }

  enum Result: Equatable {
    case concluded(version: Int, length: Int64), failed(Failure), withdrawn(Withdrawal)
  }

  enum Event {
    case head(TransferID), chunk(TransferID), end(TransferID, TransferEnding)
    /// An item, and the number of one of its writes.
    case written(Int, Int)
    case hashed(ItemHandle, Conclusion), judged(ItemHandle), published(ItemHandle, Conclusion)
    case piece(ItemHandle, PieceCheck), kill
    case command(TaskChange, TaskSelection), resumeAll
    case limits(Limits)
  }

  /// Connections.
  struct Limits {
    var perHost = 64
    var perFile = 16
    var all: Int?
    var groups: [Int?] = [nil, nil, nil]
  }

  let seed: UInt64
  var world: SimulatedWorld
  var random: SeededGenerator
  var now = Instant.zero
  var problems: [String] = []
  var trace: [String] = []
  let isTracing: Bool
  var run: RunMachine
  var queue: QueueMachine
  var runCount = 1
  var transfers: [TransferID: Transfer] = [:]
  var items: [Item]
  var events = EventQueue<Event>()
  var idle: [Int]
  /// Whether bytes are written later than they come.
  let hasSlowWriter: Bool
  var writeCount = 0
  /// Its own, so that worlds do not depend on the writer.
  var writerRandom: SeededGenerator
  var ticked = Instant.zero
  var ticksAtOnce = 0
  let servable: [Bool]
  let clean: [Bool]

  var versions = ServerVersions()
  var families = AddressFamilies()
  /// Requests that targets of redirects have served, by path.
  var servedCounts: [String: Int] = [:]

  var limits = Limits()
  var lentPlaces = LentPlaces()
  var lentPlaceCount = 0
  var commandCount = 0
  /// What the commands so far have paused, for the oracle.
  var paused: Set<TaskSelection> = []

  static let longestRun = Duration.seconds(4 * 3600)
  static let mostRequests = 4000
  /// A multiple of the tries, probes and throttled requests of a host, for each of three mirrors.
  static let mostRequestsWithoutProgress = 120
  static let mostDiscards = 100

  /// - Parameters:
  ///   - seed: of the world, for messages.
  ///   - hasSlowWriter: whether bytes are written later than they come.
  init(
    _ world: SimulatedWorld, seed: UInt64, random: SeededGenerator, hasSlowWriter: Bool = false, isTracing: Bool = false
  ) {
    self.world = world
    self.seed = seed
    self.random = random
    self.isTracing = isTracing
    self.hasSlowWriter = hasSlowWriter
    writerRandom = SeededGenerator(seed: seed)
    run = RunMachine(settings: world.settings)
    queue = QueueMachine()
    items = Array(repeating: Item(), count: world.files.count)
    idle = Array(repeating: 0, count: world.hosts.count)
    servable = world.files.indices.map { world.isServable($0) }
    clean = world.files.indices.map { world.isClean($0) }
    for kill in world.kills { events.insert(.kill, at: kill) }
    for pause in world.pauses {
      events.insert(.command(.pause, Self.selection(pause.item)), at: pause.at)
      events.insert(.command(.resume, Self.selection(pause.item)), at: pause.at + pause.span)
    }
    for command in world.commands { events.insert(.command(command.change, command.selection), at: command.at) }
    for change in world.limits { events.insert(.limits(change.limits), at: change.at) }
    if let last = world.commands.map(\.at).max() { events.insert(.resumeAll, at: last) }
    fillQueue()
  }

  func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

  func note(_ text: @autoclosure () -> String) {
    if isTracing { trace.append("\(now.nanoseconds / 1000) \(text())") }
  }

  func problem(_ text: String) {
    problems.append("at \(now.nanoseconds / 1000) µs: \(text)")
    note("PROBLEM \(text)")
  }

  // MARK: Running

  func play() {
    let watch = Watchdog.shared.watch(seed: seed)
    defer { Watchdog.shared.end(watch) }
    var actions: [RunAction] = []
    addItems(&actions)
    while problems.isEmpty, !queue.isIdle {
      watch.beat()
      let deadline = max(now, min(run.nextDeadline, lentPlaces.nextDue ?? .distantFuture))
      let tick = transfers.isEmpty ? deadline : min(ticked + .milliseconds(25), deadline)
      let next = events.earliest ?? .distantFuture
      guard tick != .distantFuture || next != .distantFuture else {
        problem("no event is pending, but items are left: \(unfinished)")
        break
      }
      if next <= tick {
        now = next
        handle(events.popFirst()!)
      } else {
        ticksAtOnce = tick <= ticked ? ticksAtOnce + 1 : 0
        if ticksAtOnce > 100 { problem("endless ticks at one time") }
        now = max(now, tick)
        ticked = now
        var actions: [RunAction] = []
        run.ticked(now: now, &actions)
        perform(actions)
        saveCheckpoints()
      }
      addItems(&actions)
      if now > .zero + Self.longestRun { problem("not finished after hours: \(unfinished)") }
    }
    guard problems.isEmpty else { return }
    checkNothingIsLeft()
    if !transfers.isEmpty || run.transfers.count != 0 {
      problem("\(transfers.count) transfers (machine: \(run.transfers.count)) are left after the last item")
    }
    for host in run.hosts.all where host.governor.active != 0 {
      problem("the governor of \(host.origin.text) counts \(host.governor.active) transfers when none is left")
    }
    for item in items.indices { check(item) }
  }

  var unfinished: String {
    items.indices.filter { items[$0].result == nil }.map { item in
      guard let file = file(item) else { return "\(item)" }
      return "\(item) (\(file.machine.phase), \(file.machine.done.byteCount) of \(file.machine.completeLength ?? -1))"
    }.joined(separator: ", ")
  }

  func addItems(_ actions: inout [RunAction]) {
    for host in run.takeRoomChanges() { queue.roomChanged(at: host) }
    lentPlaces.look(at: run, now: now)
    var resumed: [RunAction] = []
    lentPlaces.giveBack(&queue, &run, now: now, &resumed)
    perform(resumed)
    while queue.hasPlace() || lendPlace(), let (item, handle) = nextItem() {
      var settings = run.fileSettings
      settings.window = world.window
      let digests = givenDigests(item)
      let beginning = beginning(item, digests)
      let machine = FileMachine(
        item: handle, mirrors: mirrors(item), digests: digests,
        expectedLength: world.files[item].expectedLength, pieces: world.files[item].pieces, settings: settings,
        beginning: beginning, now: now)
      if machine.didResume {
        items[item].sources = [machine.currentMirror: machine.done]
      } else {
        clear(item)
      }
      items[item].judges = Set(items[item].checkpoint?.expectedDigests.map(\.digest) ?? [])
      items[item].covered = machine.done
      items[item].highWater = machine.done.byteCount
      note("add \(item) \(beginning)")
      var actions: [RunAction] = []
      queue.takePlace(handle)
      run.add(machine, group: Self.group(of: item), now: now, &actions)
      perform(actions)
    }
  }

  // MARK: Events

  func handle(_ event: Event) {
    switch event {
    case .kill: kill()
    case .command(let change, let selection): command(change, selection)
    case .resumeAll: resumeAll()
    case .limits(let limits): use(limits)
    case .head(let id): head(id)
    case .chunk(let id): chunk(id)
    case .end(let id, let ending): finish(id, ending)
    case .written(let item, let number): written(item, number)
    case .hashed(let handle, let conclusion):
      if let item = item(of: handle) { hashed(item, handle, conclusion) }
    case .judged(let handle):
      if let item = item(of: handle) { judged(item, handle) }
    case .published(let handle, let conclusion):
      if let item = item(of: handle) { published(item, handle, conclusion) }
    case .piece(let handle, let check):
      if let item = item(of: handle) { verify(item, handle, check) }
    }
  }

  func verify(_ item: Int, _ handle: ItemHandle, _ check: PieceCheck) {
    let actual = items[item].content.clipped(to: check.range).digest
    var actions: [RunAction] = []
    note("piece \(check.index) of \(item) \(actual == check.expected ? "right" : "wrong")")
    if actual == check.expected {
      run.pieceVerified(handle, check, &actions)
    } else {
      run.pieceMismatched(handle, check, actual: actual, now: now, &actions)
    }
    perform(actions)
  }

  // MARK: Actions

  func perform(_ actions: [RunAction]) {
    for action in actions {
      switch action {
      case .start(let order): start(order)
      case .setEnd(let id, let end):
        note("setEnd \(id.number) \(end)")
        guard transfers[id] != nil else { continue }
        transfers[id]!.end = min(transfers[id]!.end, end)
        if case .store(let at, _, _) = transfers[id]!.disposition, at + transfers[id]!.received >= end {
          events.insert(.end(id, .stopped), at: now)
        }
      case .stop(let id):
        note("stop \(id.number)")
        if let transfer = transfers.removeValue(forKey: id) { world.hosts[transfer.host].openCount -= 1 }
      case .discardContent(let handle):
        guard let item = item(of: handle) else { continue }
        note("discard \(item)")
        clear(item)
        items[item].judges = []
        items[item].discardCount += 1
        if items[item].discardCount > Self.mostDiscards { problem("item \(item) is discarded too often") }
        // What comes again is progress, because discards are limited.
        items[item].highWater = 0
      case .verify(let handle, let check): events.insert(.piece(handle, check), at: now + .milliseconds(3))
      case .discardRange(let handle, let range):
        guard let item = item(of: handle) else { continue }
        note("lose \(item) \(range)")
        // What comes again is progress, because failures of pieces are limited.
        items[item].covered.remove(range)
        items[item].highWater = min(items[item].highWater, items[item].covered.byteCount)
        for mirror in items[item].sources.keys { items[item].sources[mirror]!.remove(range) }
      case .mirrorsJoin(let handle, let locations):
        if let item = item(of: handle) { mirrorsJoin(item, locations) }
      case .adopt(let handle, let known):
        guard let item = item(of: handle) else { continue }
        note("adopt \(item) \(known)")
        items[item].judges.formUnion(items[item].lastClaims)
      case .conclude(let handle, let conclusion):
        guard let item = item(of: handle) else { continue }
        note("conclude \(item)")
        if transfers.values.contains(where: { $0.item == item }) {
          problem("item \(item) is concluded with active transfers")
        }
        events.insert(.hashed(handle, conclusion), at: now + .milliseconds(5))
      case .judge(let handle, _): events.insert(.judged(handle), at: now + .milliseconds(20))
      case .publish(let handle, let conclusion):
        events.insert(.published(handle, conclusion), at: now + .milliseconds(2))
      case .keep(let handle): problem("item \(handle) is kept, but no file existed")
      case .setAside(let handle, let error), .fail(let handle, let error):
        if case .setAside = action { note("set aside \(handle)") }
        guard let item = item(of: handle) else { continue }
        note("FAIL \(item) \(error.cause)")
        if items[item].result != nil { problem("item \(item) ended twice") }
        items[item].result = .failed(error)
        end(item, handle, .failed)
      case .notice(_, _, let remark): note("notice \(remark)")
      }
    }
  }
}
