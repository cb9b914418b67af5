import DownloadCore

/// A run of the machines in a `NetworkWorld`. Acts as the driver, with its ticks and buffers.
final class NetworkRun {
  struct Transfer {
    let order: TransferOrder
    /// The content offset of the body's first byte, the wanted end, and the end of the server's body.
    var start: Int64 = 0
    var end: Int64 = .max
    var naturalEnd: Int64 = .max
    var told: Int64 = 0
    var stored: Int64 = 0
    var isStoring = false
  }

  private(set) var run: RunMachine
  private(set) var network: SimulatedNetwork
  let world: NetworkWorld
  private var random: SeededGenerator
  private var transfers: [Int: Transfer] = [:]
  private var pendingEnds: [Int] = []
  private var nextItem = 0
  private var ticksAt = 0.0
  /// What the tests examine.
  private(set) var finishedCount = 0
  private(set) var receivedByteCount: Int64 = 0
  private(set) var refusals: [Double] = []
  private(set) var problems: [String] = []
  /// The number of active transfers at each tick.
  private(set) var counts: [(time: Double, count: Int)] = []
  private(set) var trace: [String] = []
  private let isTracing: Bool
  private let jobs: Int

  static let tick = 0.01
  private static let bufferByteCount: Int64 = 256 << 10
  private static let origin = Location(scheme: .https, host: "host.example", port: 443, path: "/", query: nil)

  init(
    _ world: NetworkWorld, seed: UInt64, isTracing: Bool = false, _ change: (inout RunSettings) -> Void = { _ in }
  ) {
    self.world = world
    self.isTracing = isTracing
    network = SimulatedNetwork(world, seed: seed)
    random = SeededGenerator(seed: seed)
    var settings = RunSettings()
    change(&settings)
    jobs = settings.limits.jobs ?? .max
    run = RunMachine(settings: settings)
  }

  var now: Instant { Instant(nanoseconds: Int64((network.now * 1e9).rounded())) }

  private func note(_ text: @autoclosure () -> String) {
    if isTracing { trace.append("\(Int(network.now * 1e6)) \(text())") }
  }

  /// The number of refusals later than this many seconds after the first.
  func refusalCount(after span: Double) -> Int { refusals.count { $0 > (refusals.first ?? 0) + span } }

  /// Received body bytes beyond the files' lengths, as a part of these.
  var duplicatePart: Double {
    let total = Double(world.files.reduce(0, +))
    return (Double(receivedByteCount) - total) / total
  }

  // MARK: Running

  /// Runs to the end.
  /// - Returns: the time in seconds.
  @discardableResult
  func play(for longest: Double = 600) -> Double {
    addItems()
    while finishedCount < world.files.count, problems.isEmpty {
      let deadline = Double(run.nextDeadline.nanoseconds) / 1e9
      for event in network.next(until: max(network.now, min(ticksAt, deadline))) { handle(event) }
      endPending()
      if network.now >= ticksAt || now >= run.nextDeadline { tick() }
      addItems()
      if network.now > longest { problems.append("no end after \(longest) s") }
    }
    return network.now
  }

  private func addItems() {
    while nextItem < world.files.count, nextItem - finishedCount < jobs {
      let location = Location(scheme: .https, host: "host.example", port: 443, path: "/\(nextItem)", query: nil)
      let machine = FileMachine(
        item: ItemHandle(nextItem), mirrors: [location], digests: [], expectedLength: nil, settings: run.fileSettings,
        beginning: .fresh, now: now)
      nextItem += 1
      var actions: [RunAction] = []
      run.add(machine, now: now, &actions)
      perform(actions)
    }
  }

  private func tick() {
    ticksAt = network.now + Self.tick
    for id in transfers.keys.sorted() {
      report(id)
      guard let transfer = transfers[id], transfer.isStoring else { continue }
      let offset = transfer.start + transfer.told
      // The bytes of a slow transfer are flushed after a while.
      if offset - transfer.stored >= Self.bufferByteCount || Int.random(in: 0..<15, using: &random) == 0 {
        store(id, to: offset)
      }
    }
    counts.append((network.now, transfers.count))
    var actions: [RunAction] = []
    run.ticked(now: now, &actions)
    perform(actions)
    endPending()
  }

  // MARK: Events

  private func handle(_ event: SimulatedNetwork.Event) {
    switch event {
    case .head(let flow, let isRefusal): head(flow, isRefusal: isRefusal)
    case .failed(let flow, let fault, _):
      if fault == .connectRefused() { refusals.append(network.now) }
      end(flow, .failed(fault))
    case .ended(let flow):
      guard let transfer = transfers[flow] else { return }
      if transfer.isStoring {
        let end = min(transfer.end, transfer.naturalEnd)
        receive(flow, end - transfer.start - transfer.told)
        store(flow, to: end)
      }
      end(flow, transfer.end < transfer.naturalEnd ? .stopped : .complete(digest: nil))
    }
  }

  private func head(_ id: Int, isRefusal: Bool) {
    guard let transfer = transfers[id], network.flow(id) != nil else { return }
    var head = ResponseHead(status: 200)
    let length = world.files[transfer.order.item.number]
    head.date = 1_790_000_000
    head.entityTag = EntityTag(parsing: "\"v\"".utf8)
    head.contentLength = length
    if isRefusal {
      refusals.append(network.now)
      head.status = world.refusal == .tooMany ? 429 : 503
      head.entityTag = nil
      head.contentLength = 100
    } else if case .range(let range) = transfer.order.asked {
      head.status = 206
      head.contentLength = range.upperBound - range.lowerBound
      head.contentRange = .satisfied(range, completeLength: length)
    }
    var actions: [RunAction] = []
    let disposition = run.headReceived(
      TransferID(number: id), head, redirectTarget: nil,
      roundTrip: .seconds(world.roundTrip), unixTime: 1_790_000_000, now: now,
      &actions)
    note("head \(id) \(head.status) → \(disposition)")
    if case .store(let at, _, let end) = disposition {
      transfers[id]?.start = at
      transfers[id]?.stored = at
      transfers[id]?.isStoring = true
      transfers[id]?.naturalEnd = at + (head.contentLength ?? 0)
      if let end { cut(id, at: end) }
    } else if disposition == .stop {
      network.shorten(id, to: 0)
      pendingEnds.append(id)
    }
    perform(actions)
  }

  /// The body is needed only up to this offset.
  private func cut(_ id: Int, at end: Int64) {
    guard var transfer = transfers[id], end < min(transfer.end, transfer.naturalEnd) else { return }
    transfer.end = end
    transfers[id] = transfer
    guard let flow = network.flow(id) else { return }
    let left = Double(end - transfer.start) - flow.arrived
    if left <= 0 { pendingEnds.append(id) } else { network.shorten(id, to: left) }
  }

  private func endPending() {
    while !pendingEnds.isEmpty {
      let id = pendingEnds.removeFirst()
      guard let transfer = transfers[id] else { continue }
      report(id)
      if transfer.isStoring { store(id, to: transfer.start + (transfers[id]?.told ?? 0)) }
      network.abort(id)
      end(id, .stopped)
    }
  }

  private func report(_ id: Int) {
    guard let transfer = transfers[id], transfer.isStoring, let flow = network.flow(id) else { return }
    receive(id, Int64(flow.arrived) - transfer.told)
  }

  private func receive(_ id: Int, _ count: Int64) {
    guard count > 0 else { return }
    transfers[id]?.told += count
    receivedByteCount += count
    run.received(TransferID(number: id), byteCount: count)
  }

  private func store(_ id: Int, to offset: Int64) {
    guard let transfer = transfers[id], offset > transfer.stored else { return }
    transfers[id]?.stored = offset
    var actions: [RunAction] = []
    run.advanced(TransferID(number: id), to: offset, &actions)
    perform(actions)
  }

  private func end(_ id: Int, _ ending: TransferEnding) {
    if case .failed = ending, transfers[id]?.isStoring == true {
      store(id, to: (transfers[id]?.start ?? 0) + (transfers[id]?.told ?? 0))
    }
    guard transfers.removeValue(forKey: id) != nil else { return }
    note("end \(id) \(ending)")
    var actions: [RunAction] = []
    run.transferEnded(
      TransferID(number: id), ending, now: now, random: Double.random(in: 0..<1, using: &random), &actions)
    perform(actions)
  }

  // MARK: Actions

  private func perform(_ actions: [RunAction]) {
    for action in actions {
      switch action {
      case .start(let order): start(order)
      case .setEnd(let id, let end):
        note("setEnd \(id.number) \(end)")
        cut(id.number, at: end)
      case .stop(let id):
        note("stop \(id.number)")
        report(id.number)
        transfers[id.number] = nil
        network.abort(id.number)
      case .conclude(let item, _):
        note("conclude \(item)")
        run.concluded(item)
        run.forget(item)
        finishedCount += 1
      case .fail(let item, let error): problems.append("item \(item) failed: \(error.cause)")
      case .discardContent(let item): problems.append("item \(item) is thrown away")
      case .keep, .setAside, .verify, .judge, .publish, .discardRange: problems.append("\(action)")
      case .adopt, .mirrorsJoin, .notice: break
      }
    }
  }

  private func start(_ order: TransferOrder) {
    let length = world.files[order.item.number]
    var byteCount = length
    if case .range(let range) = order.asked { byteCount = range.upperBound - range.lowerBound }
    transfers[order.id.number] = Transfer(order: order)
    network.request(order.id.number, byteCount: Double(byteCount))
    note("start \(order.id.number) item \(order.item.number) \(order.asked)")
  }
}
