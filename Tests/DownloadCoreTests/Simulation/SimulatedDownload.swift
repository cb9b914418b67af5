@testable import DownloadCore
import TestSupport

/// A whole run on a fake clock: plays the driver for `RunMachine` and the servers for the driver.
///
/// An event is a time and what happens then; between events nothing does. What the oracle finds wrong is in
/// `problems`: content that is no version of the file, a file that is absent although an honest server was there, a
/// server hammered, a transfer or an item without end.
final class SimulatedDownload {
  struct Transfer {
    let order: TransferOrder
    let host: Int
    let startedAt: Instant
    let isKept: Bool
    var head: ResponseHead?
    var redirectTarget: Location?
    var body = ServerAnswer.Body()
    var disposition: BodyDisposition?
    /// Body bytes that came in.
    var received: Int64 = 0
    var isLie = false
    /// Content offset up to which bytes are stored, and where the wanted part ends.
    var stored: Int64 = 0
    var end: Int64 = .max
  }

  struct Item {
    var content = StoredContent()
    var covered = ByteRangeSet()
    /// The sidecar.
    var checkpoint: SidecarRecord?
    /// What is stored, by the mirror that it came from.
    var sources: [Int: ByteRangeSet] = [:]
    /// Digests that servers claimed.
    var claims: Set<ContentDigest> = []
    var closedKeptInARow = 0
    var received: Int64 = 0
    var isAdded = false
    var result: Result?
    // For the oracle.
    var requestCount = 0
    var requestsWithoutProgress = 0
    var highWater: Int64 = 0
    var isExcused = false
    var discardCount = 0
    /// Bytes that were new, by mirror.
    var brought: [Int: Int64] = [:]
    /// By mirror.
    var newSinceFault: [Int: Int64] = [:]
    var faultedAt = Instant.zero
    /// By mirror: no request before.
    var restsUntil: [Int: Instant] = [:]
  }

  enum Result: Equatable { case concluded(version: Int, length: Int64), failed(DownloadError) }

  enum Event {
    case head(TransferID), chunk(TransferID), end(TransferID, TransferEnding)
    case verified(Int, Conclusion), piece(Int, PieceCheck), kill, pause(Int), resume(Int)
  }

  var world: SimulatedWorld
  var random: SeededGenerator
  private(set) var now = Instant.zero
  private(set) var problems: [String] = []
  private(set) var trace: [String] = []
  private let isTracing: Bool
  private(set) var run: RunMachine
  private var runCount = 1
  private var transfers: [TransferID: Transfer] = [:]
  var items: [Item]
  private var events = EventQueue<Event>()
  private var idle: [Int]
  private var ticked = Instant.zero
  private var ticksAtOnce = 0
  private let servable: [Bool]
  private let clean: [Bool]

  static let longestRun = Duration.seconds(4 * 3600)
  static let mostRequests = 4000
  /// Tries, probes and pushes of a host, each of them a few times over, for each of three mirrors.
  static let mostRequestsWithoutProgress = 120
  static let mostDiscards = 100

  init(_ world: SimulatedWorld, random: SeededGenerator, isTracing: Bool = false) {
    self.world = world
    self.random = random
    self.isTracing = isTracing
    run = RunMachine(settings: world.settings)
    items = Array(repeating: Item(), count: world.files.count)
    idle = Array(repeating: 0, count: world.hosts.count)
    servable = world.files.indices.map { world.isServable($0) }
    clean = world.files.indices.map { world.isClean($0) }
    for kill in world.kills { events.insert(.kill, at: kill) }
    for pause in world.pauses {
      events.insert(.pause(pause.item), at: pause.at)
      events.insert(.resume(pause.item), at: pause.at + pause.span)
    }
  }

  func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

  private func note(_ text: @autoclosure () -> String) {
    if isTracing { trace.append("\(now.nanoseconds / 1000) \(text())") }
  }

  private func problem(_ text: String) {
    problems.append("at \(now.nanoseconds / 1000) µs: \(text)")
    note("PROBLEM \(text)")
  }

  // MARK: Running

  func play() {
    var actions: [RunAction] = []
    addItems(&actions)
    while problems.isEmpty, items.contains(where: { $0.result == nil }) {
      let deadline = max(now, run.nextDeadline)
      let tick = transfers.isEmpty ? deadline : min(ticked + .milliseconds(25), deadline)
      let next = events.earliest ?? .distantFuture
      guard tick != .distantFuture || next != .distantFuture else {
        problem("nothing is under way and nobody waits, but items are left: \(unfinished)")
        break
      }
      if next <= tick {
        now = next
        handle(events.popFirst()!)
      } else {
        ticksAtOnce = tick <= ticked ? ticksAtOnce + 1 : 0
        if ticksAtOnce > 100 { problem("ticks without end at one time") }
        now = max(now, tick)
        ticked = now
        var actions: [RunAction] = []
        run.ticked(now: now, &actions)
        perform(actions)
        saveCheckpoints()
      }
      addItems(&actions)
      if now > .zero + Self.longestRun { problem("no end after hours: \(unfinished)") }
    }
    guard problems.isEmpty else { return }
    if !transfers.isEmpty || run.transfers.count != 0 {
      problem("\(transfers.count) transfers (machine: \(run.transfers.count)) are left after the last item")
    }
    for host in world.hosts.indices {
      let port = UInt16(8000 + (host < world.hosts.count / 2 ? host : host - world.hosts.count / 2 + 100))
      let origin = Origin(scheme: .https, host: "host.example", port: port)
      if let active = run.governor(of: origin)?.active, active != 0 {
        problem("the governor of \(origin.text) counts \(active) transfers when none is left")
      }
    }
    for item in items.indices { judge(item) }
  }

  private var unfinished: String {
    items.indices.filter { items[$0].result == nil }.map { item in
      guard let file = run.file(item) else { return "\(item)" }
      return "\(item) (\(file.machine.phase), \(file.machine.done.byteCount) of \(file.machine.completeLength ?? -1))"
    }.joined(separator: ", ")
  }

  private func judge(_ item: Int) {
    let length = world.files[item].current.length
    switch items[item].result {
    case .failed(let error)? where servable[item]:
      problem("item \(item) failed although it could be had: \(error.message)")
    case .concluded? where clean[item] && items[item].received > length + length / 10 + (1 << 20):
      problem("item \(item): \(items[item].received) bytes received for \(length)")
    default: break
    }
  }

  private func addItems(_ actions: inout [RunAction]) {
    while run.wantsRequests(finishingCount: 0), let item = items.firstIndex(where: { !$0.isAdded && $0.result == nil })
    {
      items[item].isAdded = true
      var settings = run.fileSettings
      settings.window = world.window
      let digests = givenDigests(item)
      let beginning = beginning(item, digests)
      let machine = FileMachine(
        item: item, mirrors: world.locations[item], digests: digests,
        expectedLength: world.files[item].expectedLength, pieces: world.files[item].pieces, settings: settings,
        beginning: beginning, now: now)
      if !machine.didResume { clear(item) }
      items[item].covered = machine.done
      items[item].highWater = machine.done.byteCount
      note("add \(item) \(beginning)")
      var actions: [RunAction] = []
      run.add(machine, now: now, &actions)
      perform(actions)
    }
  }

  /// What the user says in this run.
  private func givenDigests(_ item: Int) -> [ContentDigest] {
    world.files[item].forgetsDigests && runCount > 1 ? [] : world.files[item].digests
  }

  /// As the engine begins: from the sidecar, if its policy finds it of use.
  private func beginning(_ item: Int, _ digests: [ContentDigest]) -> FileMachine.Beginning {
    guard let record = items[item].checkpoint else { return .fresh }
    switch ResumePolicy.decision(
      record: record, done: record.written, digests: digests, urlHashes: world.locations[item].map(\.hash),
      trustsLength: world.settings.trustsLength)
    {
    case .startOver(let reason):
      note("start over: \(reason)")
      return .fresh
    case .resume(let known, let mirror, let judges, let isETagReliable):
      return .resume(known, done: record.written, mirror: mirror, judges: judges, isETagReliable: isETagReliable)
    }
  }

  private func clear(_ item: Int) {
    items[item].content = StoredContent()
    items[item].sources = [:]
    items[item].covered = ByteRangeSet()
    items[item].checkpoint = nil
  }

  /// Now and then, as a sidecar is written: what a kill leaves is a little older than what is stored.
  private func saveCheckpoints() {
    guard !world.kills.isEmpty, chance(0.2) else { return }
    for item in items.indices { saveCheckpoint(item) }
  }

  private func saveCheckpoint(_ item: Int) {
    guard let file = run.file(item), !file.machine.done.isEmpty else { return }
    if !items[item].content.covers(file.machine.done) { problem("item \(item): more is recorded than stored") }
    var record = SidecarRecord(
      target: [65], mirrors: world.locations[item], bootID: "boot", knowledge: run.knowledge(of: item))
    record.written = file.machine.done
    for (mirror, ranges) in items[item].sources.sorted(by: { $0.key < $1.key }) {
      record.sources += ranges.ranges.map { SidecarRecord.SourcedRange($0, mirror: mirror) }
    }
    guard case .record(let read, _) = SidecarSlot.decode(SidecarSlot.encode(record, isSynced: false)[...]) else {
      return problem("item \(item): the sidecar cannot be read back")
    }
    items[item].checkpoint = read
  }

  private func kill() {
    note("KILL")
    if chance(0.5) { for item in items.indices { saveCheckpoint(item) } }
    run = RunMachine(settings: world.settings)
    runCount += 1
    transfers = [:]
    events.removeAll { if case .kill = $0 { false } else { true } }
    ticked = now
    idle = idle.map { _ in 0 }
    for host in world.hosts.indices {
      world.hosts[host].openCount = 0
      world.hosts[host].heldUntil = .zero
    }
    for item in items.indices {
      items[item].isAdded = false
      items[item].discardCount = 0
      items[item].requestsWithoutProgress = 0
      items[item].restsUntil = [:]
    }
  }

  // MARK: Events

  private func handle(_ event: Event) {
    switch event {
    case .kill: kill()
    case .pause(let item):
      note("pause \(item)")
      var actions: [RunAction] = []
      run.pause(item, &actions)
      perform(actions)
    case .resume(let item):
      note("resume \(item)")
      var actions: [RunAction] = []
      run.resume(item, now: now, &actions)
      perform(actions)
    case .head(let id): head(id)
    case .chunk(let id): chunk(id)
    case .end(let id, let ending): finish(id, ending)
    case .verified(let item, let conclusion): verify(item, conclusion)
    case .piece(let item, let check): verify(item, check)
    }
  }

  private func head(_ id: TransferID) {
    guard let transfer = transfers[id], let head = transfer.head else { return }
    var actions: [RunAction] = []
    let disposition = run.headReceived(
      id, head, redirectTarget: transfer.redirectTarget,
      roundTrip: transfer.isKept ? nil : world.hosts[transfer.host].roundTrip, unixTime: unixTime(now), now: now,
      &actions)
    note("head \(id.number) \(head.status) \(head.contentRange?.text ?? "") → \(disposition)")
    transfers[id]!.disposition = disposition
    switch disposition {
    case .store(let at, let skip, let end):
      transfers[id]!.stored = at + skip
      transfers[id]!.end = end ?? .max
      if case .range(let range) = transfer.order.asked, head.status == 206,
        at != range.lowerBound || end ?? .max > range.upperBound
      {
        problem("transfer \(id.number) asked for \(range) and is to store from \(at) to \(end ?? -1)")
      }
    case .stop: events.insert(.end(id, .stopped), at: now)
    case .hash, .drain: break
    }
    perform(actions)
    guard transfers[id] != nil, disposition != .stop else { return }
    let current = transfers[id]!
    if case .store = disposition, current.stored >= current.end,
      current.body.length > 0 || current.head?.contentLength != 0
    {
      events.insert(.end(id, .stopped), at: now)
    } else if transfer.body.length == 0 {
      bodyEnded(id)
    } else {
      scheduleChunk(id)
    }
  }

  private func scheduleChunk(_ id: TransferID) {
    guard let transfer = transfers[id] else { return }
    let size = nextSize(transfer)
    let host = world.hosts[transfer.host]
    let alone = now + .seconds(Double(size) / host.connectionRate)
    let shared = max(now, host.linkFree) + .seconds(Double(size) / host.totalRate)
    world.hosts[transfer.host].linkFree = shared
    events.insert(.chunk(id), at: max(alone, shared))
  }

  private func nextSize(_ transfer: Transfer) -> Int64 {
    min(transfer.body.length - transfer.received, Int64(world.hosts[transfer.host].connectionRate / 25))
  }

  private func chunk(_ id: TransferID) {
    guard var transfer = transfers[id] else { return }
    let size = nextSize(transfer)
    transfer.received += size
    transfers[id] = transfer
    items[transfer.order.item].received += size
    run.received(id, byteCount: size)
    let isLast = transfer.received == transfer.body.length
    if case .store(let at, _, _) = transfer.disposition {
      // Sometimes bytes stay in the buffer for a while.
      if at + transfer.received >= transfer.end {
        flush(id)
        guard transfers[id] != nil else { return }
        if isLast, transfer.body.ending == .complete || transfer.body.ending == .unauthenticated {
          bodyEnded(id)
        } else {
          finish(id, .stopped)
        }
        return
      }
      if !isLast, chance(0.7) { flush(id) }
      guard transfers[id] != nil else { return }
    }
    if isLast { bodyEnded(id) } else { scheduleChunk(id) }
  }

  private func bodyEnded(_ id: TransferID) {
    guard let transfer = transfers[id] else { return }
    switch transfer.body.ending {
    case .complete, .unauthenticated:
      var digest: ContentDigest?
      if case .hash = transfer.disposition {
        var content = StoredContent()
        content.write(0..<transfer.body.length, version: transfer.body.version, shift: transfer.body.start)
        digest = content.digest
      }
      finish(
        id, transfer.body.ending == .complete ? .complete(digest: digest) : .unauthenticatedEnd(digest: digest))
    case .short: finish(id, .failed(.shortBody))
    case .reset: finish(id, .failed(.reset("reset by peer")))
    case .stall: events.insert(.end(id, .failed(.stalled)), at: now + world.stallTimeout)
    }
  }

  /// Stores what came in, and tells it.
  private func flush(_ id: TransferID) {
    guard var transfer = transfers[id], case .store(let at, _, _) = transfer.disposition else { return }
    let item = transfer.order.item
    let range = transfer.stored..<max(transfer.stored, min(at + transfer.received, transfer.end))
    guard !range.isEmpty else { return }
    for gap in run.done(of: item).gaps(in: range) {
      items[item].content.write(gap, version: transfer.body.version, shift: transfer.body.start - at)
      items[item].sources[transfer.order.mirror, default: ByteRangeSet()].insert(gap)
    }
    items[item].covered.insert(range)
    transfer.stored = range.upperBound
    transfers[id] = transfer
    var actions: [RunAction] = []
    let added = run.advanced(id, to: range.upperBound, &actions)
    note("advanced \(id.number) to \(range.upperBound) new \(added)")
    items[item].newSinceFault[transfer.order.mirror, default: 0] += added
    items[item].brought[transfer.order.mirror, default: 0] += added
    if items[item].covered.byteCount >= items[item].highWater + 4096 {
      items[item].highWater = items[item].covered.byteCount
      items[item].requestsWithoutProgress = 0
    }
    perform(actions)
  }

  private func finish(_ id: TransferID, _ ending: TransferEnding) {
    flush(id)
    guard let transfer = transfers.removeValue(forKey: id) else { return }
    note("end \(id.number) \(ending) at \(transfer.stored)")
    world.hosts[transfer.host].openCount -= 1
    if case .complete = ending, transfer.head?.connectionCloses == false { idle[transfer.host] += 1 }
    noteFault(transfer, ending)
    var actions: [RunAction] = []
    run.transferEnded(id, ending, now: now, random: Double.random(in: 0..<1, using: &random), &actions)
    perform(actions)
  }

  /// What the machine must now wait for, in the oracle's own opinion.
  private func noteFault(_ transfer: Transfer, _ ending: TransferEnding) {
    let item = transfer.order.item
    if let wait = transfer.head?.retryAfter(dateNow: unixTime(now)) {
      world.hosts[transfer.host].heldUntil = now + min(wait, world.settings.retryWait)
    }
    var isFault = false
    if case .failed(let fault) = ending { isFault = fault != .keptConnectionClosed }
    // The end of a body that nobody wants is no matter; what its head said is.
    if transfer.disposition == .drain || transfer.disposition == .stop { isFault = false }
    if let status = transfer.head?.status, status >= 500 || status == 408 { isFault = true }
    // A lie that was seen through is a fault as well, though not one that needs a rest of us.
    if transfer.isLie || transfer.head?.status ?? 0 >= 400 && !isFault { items[item].faultedAt = now }
    guard isFault else { return }
    // A silent host is waited for as a host; others that are served make it a matter of how many ask at once; and
    // what was at work together and breaks together is one attempt.
    var isSilence = false
    if case .failed(let fault) = ending { isSilence = fault.kind == .hostSilent }
    let isAlone = !transfers.values.contains { $0.order.location.origin == transfer.order.location.origin }
    guard isAlone else { return items[item].faultedAt = now }
    guard transfer.startedAt >= items[item].faultedAt else { return }
    if items[item].newSinceFault[transfer.order.mirror, default: 0] == 0, !isSilence || items.count == 1,
      transfer.order.location == world.locations[item][transfer.order.mirror]
    {
      items[item].restsUntil[transfer.order.mirror] = now + .milliseconds(450)
      note("rests \(items[item].newSinceFault)")
    }
    guard !isSilence else { return }
    items[item].newSinceFault[transfer.order.mirror] = 0
    items[item].faultedAt = now
  }

  private func verify(_ item: Int, _ check: PieceCheck) {
    guard items[item].result == nil, run.file(item) != nil else { return }
    let actual = items[item].content.clipped(to: check.range).digest
    var actions: [RunAction] = []
    note("piece \(check.index) of \(item) \(actual == check.expected ? "right" : "wrong")")
    if actual == check.expected {
      run.pieceVerified(item, check, &actions)
    } else {
      items[item].isExcused = true
      run.pieceMismatched(item, check, actual: actual, now: now, &actions)
    }
    perform(actions)
  }

  private func verify(_ item: Int, _ conclusion: Conclusion) {
    guard items[item].result == nil else { return }
    items[item].content.truncate(to: conclusion.completeLength)
    let content = items[item].content
    guard content.covers(ByteRangeSet(CollectionOfOne(0..<conclusion.completeLength))) else {
      return problem("item \(item) is concluded with \(conclusion.completeLength) bytes, but not all are stored")
    }
    let digest = content.digest
    switch Verdict(expected: conclusion.expected, computed: [digest, content.digest(.sha512)]) {
    case .mismatch(let expected, let actual):
      note("mismatched \(item) \(expected)")
      items[item].isExcused = true
      var actions: [RunAction] = []
      run.mismatched(item, expected: expected, actual: actual, now: now, &actions)
      return perform(actions)
    case .notComputed: problem("item \(item): a digest that nobody can have told is expected")
    case .unverified: break
    case .verified(let verified):
      let isTold = verified.source == .server ? items[item].claims.contains(verified.digest) : true
      if !isTold || verified.source == .confirmation { problem("item \(item) is called verified by nobody's word") }
    }
    note("concluded \(item)")
    run.concluded(item)
    run.forget(item)
    items[item].result = .concluded(version: content.runs.first?.version ?? 0, length: conclusion.completeLength)
    let file = world.files[item]
    if let expected = givenDigests(item).first, expected != digest {
      problem("item \(item) is concluded with content that its digest denies")
    }
    let isCoded = world.sources[item].contains { $0.isCoded || $0.drawsHeads }
    if let expected = file.expectedLength, expected != conclusion.completeLength, !isCoded {
      problem("item \(item) is concluded with \(conclusion.completeLength) bytes where \(expected) were to be expected")
    }
    let others = world.sources[item].compactMap(\.otherVersion)
    var isVersion = (file.versions + others).contains {
      StoredContent(version: $0.number, length: $0.length) == content
        || (isCoded && StoredContent(version: $0.number + 500, length: $0.length) == content)
    }
    // Whoever takes a body that only its connection's end ends gets what he asked for.
    if !isVersion, world.settings.allowsUnconfirmed, world.sources[item].contains(where: \.cutsAreSilent) {
      isVersion = content.runs.count <= 1
    }
    if !isVersion { problem("item \(item) is concluded with content that is no version: \(content.runs)") }
  }

  // MARK: Actions

  private func perform(_ actions: [RunAction]) {
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
      case .discardContent(let item):
        note("discard \(item)")
        clear(item)
        items[item].discardCount += 1
        if items[item].discardCount > Self.mostDiscards { problem("item \(item) is thrown away without end") }
        if items[item].isExcused {
          items[item].highWater = 0
          items[item].isExcused = false
        }
      case .verify(let item, let check): events.insert(.piece(item, check), at: now + .milliseconds(3))
      case .discardRange(let item, let range): note("lose \(item) \(range)")
      case .adopt(let item, let known): note("adopt \(item) \(known)")
      case .conclude(let item, let conclusion):
        note("conclude \(item)")
        if transfers.values.contains(where: { $0.order.item == item }) {
          problem("item \(item) is concluded with transfers at work")
        }
        events.insert(.verified(item, conclusion), at: now + .milliseconds(5))
      case .keep(let item): problem("item \(item) is kept, but nothing was there")
      case .setAside(let item): note("set aside \(item)")
      case .fail(let item, let error):
        note("FAIL \(item) \(error.message)")
        if items[item].result != nil { problem("item \(item) ended twice") }
        items[item].result = .failed(error)
        run.forget(item)
      case .notice(_, _, let text): note("notice \(text)")
      }
    }
  }

  private func start(_ order: TransferOrder) {
    let item = order.item
    let host = world.hostIndex(of: order.location)
    let isKept = idle[host] > 0 || world.hosts[host].keepsClosing
    idle[host] = max(0, idle[host] - 1)
    world.hosts[host].openCount += 1
    checkStart(order, host)
    let versions = world.files[item].changeCount
    let answer = answer(order, isKept: isKept)
    if answer.isLie || world.files[item].changeCount != versions { items[item].isExcused = true }
    var transfer = Transfer(order: order, host: host, startedAt: now, isKept: isKept)
    transfer.isLie = answer.isLie
    switch answer.result {
    case .fault(let fault, let after): events.insert(.end(order.id, .failed(fault)), at: now + after)
    case .head(let head, let target, let body, let after):
      transfer.head = head
      items[item].claims.formUnion(head.representationDigests)
      transfer.redirectTarget = target
      transfer.body = body
      events.insert(.head(order.id), at: now + after)
    case .silence: events.insert(.end(order.id, .failed(.stalled)), at: now + world.stallTimeout)
    }
    note(
      "start \(order.id.number) item \(item) mirror \(order.mirror) \(order.location.path) \(order.asked) \(order.purpose)\(answer.isLie ? " LIE" : "")"
    )
    transfers[order.id] = transfer
  }

  private func checkStart(_ order: TransferOrder, _ host: Int) {
    let item = order.item
    if items[item].result != nil { problem("item \(item) has ended and gets a transfer") }
    items[item].requestCount += 1
    items[item].requestsWithoutProgress += 1
    if items[item].requestCount > Self.mostRequests { problem("item \(item): requests without end") }
    if items[item].requestsWithoutProgress > Self.mostRequestsWithoutProgress {
      problem("item \(item): \(items[item].requestsWithoutProgress) requests without progress")
    }
    let mine = transfers.values.filter { $0.order.item == item }.count
    if mine >= run.fileSettings.maxConnections { problem("item \(item) has more than \(mine) transfers") }
    let there = transfers.values.filter { $0.order.location.origin == order.location.origin }.count
    if there >= world.settings.maxConnectionsPerHost {
      problem("\(order.location.origin.text) has more than \(there) transfers")
    }
    if now < world.hosts[host].heldUntil { problem("a request before Retry-After has passed") }
    if order.location == world.locations[item][order.mirror], let rest = items[item].restsUntil[order.mirror],
      now < rest
    {
      problem("item \(item) asks mirror \(order.mirror) again without a pause")
    }
  }
}

/// Events by time, and in the order of their insertion where times are equal.
struct EventQueue<Event> {
  private var heap: [(at: Instant, number: Int, event: Event)] = []
  private var count = 0

  var earliest: Instant? { heap.first?.at }

  private func precedes(_ a: Int, _ b: Int) -> Bool {
    (heap[a].at.nanoseconds, heap[a].number) < (heap[b].at.nanoseconds, heap[b].number)
  }

  mutating func insert(_ event: Event, at instant: Instant) {
    heap.append((instant, count, event))
    count += 1
    var child = heap.count - 1
    while child > 0, precedes(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func popFirst() -> Event? {
    guard let first = heap.first else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && precedes(child, least) { least = child }
      if least == parent { return first.event }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  mutating func removeAll(where isGone: (Event) -> Bool) {
    let left = heap.filter { !isGone($0.event) }.sorted {
      ($0.at.nanoseconds, $0.number) < ($1.at.nanoseconds, $1.number)
    }
    heap = left
  }
}
