internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Knows the items of transfers.
protocol TransferClient: AnyObject {
  /// Whether somebody has to accept the item's first answer.
  func isToBeAccepted(_ item: ActiveItem) -> Bool
  /// Asks about the item's first answer with content, before a byte is stored.
  func ask(about head: ResponseHead, of item: ActiveItem)
  func storage(of item: ActiveItem, at target: TargetPlace) -> ItemStorage
  /// Has the digests computed of what is stored.
  func follow(_ item: ActiveItem)
  /// Records what is stored, if it is time.
  func checkpoint(_ item: ActiveItem)
  func storageFailed(_ item: ActiveItem, _ error: Failure)
}

/// Does what the machines want of libcurl: how transfers begin, what they bring, how they end.
final class TransferRunner: TransferOwner {
  let state: EngineState
  unowned var client: (any TransferClient)!
  let loop: TransferLoop
  var transfers: TransferSet
  var servers: Servers
  var lookups = HostLookups()
  let rates: RateControl
  /// Transfers for whose bytes the writer had no room, or that end when it has written them.
  var awaitingWriter: Set<TransferID> = []
  /// Blocks that writers have.
  var handedOverCount = 0

  init(_ state: EngineState, trustedOrigins: Set<Origin>) {
    self.state = state
    loop = TransferLoop(state.settings.transport, state.settings.secrets)
    servers = Servers(named: trustedOrigins)
    transfers = TransferSet(now: state.now)
    rates = RateControl(now: state.now)
  }

  /// Whether something is transferred, or is with the writer.
  var isActive: Bool { loop.exchangeCount > 0 || !awaitingWriter.isEmpty }

  private func startTransfer(_ order: TransferOrder) {
    guard let item = state.items[order.item] else { return }
    let origin = order.location.origin
    let host = servers.settings(of: origin, state.settings.transport)
    if let limit = host?.limitRate { rates.limit(.one(.host(origin)), to: limit, now: state.now) }
    let membership = RateMembership(item: item.handle, group: item.group, host: origin)
    let isAlone = item.traffic.isAlone ?? self.isAlone(at: origin)
    item.traffic.isAlone = isAlone
    var options = servers.options(
      for: order, of: item.request, host, state.settings.secrets,
      wantsOwnConnection: (order.isSegment || isAlone) && state.settings.transport.httpVersion != .http2
        || rates.needsOwnConnection(membership) || mayAskAboutAnswer(of: item),
      bufferByteCount: min(rates.pieceByteCount(membership), bufferByteCount(order)))
    options.cookies = item.traffic.cookies.field(for: order.location, unixTime: Clock.unixTime())
    let exchange = Exchange(order: order, now: state.now)
    let transfer = Transfer(item: item, exchange: exchange, owner: self)
    transfers.insert(transfer)
    loop.start(exchange, options: options, delegate: transfer)
  }

  /// A stream of HTTP/2 that is paused until there is a decision would hold up others of its connection.
  private func mayAskAboutAnswer(of item: ActiveItem) -> Bool {
    client.isToBeAccepted(item)
      || item.request.isNamedByAnswer && state.settings.target.nameSource(for: item.request) == .url
  }

  /// Whether nothing else is wanted, and the host has not answered yet, so that it has no connection to be shared.
  private func isAlone(at origin: Origin) -> Bool {
    wantedCount == 1 && state.machine.governor(of: origin)?.hasAnswered != true
  }

  /// The files that are wanted, as far as that is known.
  private var wantedCount: Int {
    min(state.requests.itemCount ?? .max, state.requests.hasEnded ? state.queue.unsettledCount : .max)
  }

  /// The receive buffer without limits of the rate: large for the few connections of big files, small for many small
  /// files.
  private func bufferByteCount(_ order: TransferOrder) -> Int {
    let isBig = order.isSegment || wantedCount <= 16 || state.meter.meanFileByteCount > 4 << 20
    guard isBig else { return 32 << 10 }
    return loop.exchangeCount < 6 ? 512 << 10 : loop.exchangeCount < 20 ? 128 << 10 : 64 << 10
  }

  /// Drops a transfer: nothing of it is stored from now on.
  func drop(_ transfer: Transfer) {
    tellReceived(transfer)
    transfers.drop(transfer)
  }

  /// Ends what was to end when libcurl's callbacks had returned.
  func performStops() {
    separateTransfers()
    for transfer in transfers.takePassed() where !transfer.isDead {
      loop.stop(transfer.exchange)
      ended(transfer, .stopped)
    }
    for exchange in transfers.takeStops() { loop.stop(exchange) }
  }

  /// Begins what was to begin then.
  func performStarts() {
    while true {
      let orders = transfers.takeStarts()
      if orders.isEmpty { return }
      for order in orders { startTransfer(order) }
    }
  }

  /// Sets the limits of the run, and of hosts that have been asked.
  func limitRates() {
    rates.limit(.run, to: state.settings.limits.limitRate, now: state.now)
    rates.limit(.eachFile, to: state.settings.limits.limitRatePerFile, now: state.now)
    for origin in servers.origins {
      rates.limit(
        .one(.host(origin)), to: state.settings.transport.hosts.settings(for: origin.host).limitRate, now: state.now)
    }
  }

  // MARK: Inside libcurl's callbacks

  func received(_ head: ResponseHead, of transfer: Transfer) -> Bool {
    let exchange = transfer.exchange
    exchange.lastActivity = state.now
    transfer.item.traffic.lastAnswer = ServerAnswer(head, from: exchange.order.location)
    if state.settings.secrets.cookies == nil, !head.redirectCookies.isEmpty {
      transfer.item.traffic.cookies.take(
        head.redirectCookies, from: exchange.order.location, unixTime: Clock.unixTime())
    }
    servers.answered(exchange)
    client.ask(about: head, of: transfer.item)
    guard !transfer.isDead else { return false }
    let target = head.location.flatMap { try? URLParser.resolve($0, against: exchange.order.location).location }
    var actions: [RunAction] = []
    let disposition = state.machine.headReceived(
      exchange.id, Self.withoutUncomputable(head), redirectTarget: target,
      linkedMirrors: Self.linkedMirrors(head, base: exchange.order.location), roundTrip: exchange.roundTrip,
      unixTime: Clock.unixTime(), now: state.now, &actions)
    state.performer.perform(actions)
    guard !transfer.isDead else { return false }
    transfer.begin(disposition, contentLength: head.contentLength, state.workers.client.smallBlocks)
    switch disposition {
    case .stop: return false
    case .drain, .hash: break
    case .store:
      if case .stream(let output) = transfer.item.destination {
        output.compute(state.machine.judgingAlgorithms(of: transfer.item.handle))
      }
    }
    return true
  }

  /// The duplicates that a head names by http or https URLs without user names.
  private static func linkedMirrors(_ head: ResponseHead, base: Location) -> [LinkedMirror] {
    head.links.compactMap { link in
      guard link.relation == .duplicate, let url = try? URLParser.resolve(link.reference, against: base),
        url.userinfo == nil
      else { return nil }
      return LinkedMirror(url.location, priority: link.priority, country: link.country)
    }
  }

  /// Removes digests that OpenSSL cannot compute on this machine.
  private static func withoutUncomputable(_ head: ResponseHead) -> ResponseHead {
    guard !head.representationDigests.isEmpty || head.contentMD5 != nil else { return head }
    var head = head
    head.representationDigests.removeAll { !DigestComputer.isAvailable($0.algorithm) }
    if let claimed = head.contentMD5, !DigestComputer.isAvailable(claimed.algorithm) { head.contentMD5 = nil }
    return head
  }

  func received(_ body: UnsafeRawBufferPointer, of transfer: Transfer) -> BodyAnswer {
    if transfer.isWanted { transfer.exchange.lastActivity = state.now }
    guard rates.admits(transfer.id, transfer.membership, byteCount: body.count) else { return .pause }
    transfer.count(body.count)
    switch transfer.disposition {
    case .stop: return .stop
    case .drain: return transfer.drain(body.count)
    case .hash:
      transfer.confirmation?.update(body)
      return .taken
    case .store: return store(body, of: transfer)
    }
  }

  // MARK: Ends

  func ended(_ transfer: Transfer, _ result: ExchangeResult) {
    let item = transfer.item
    let id = transfer.id
    tellReceived(transfer)
    if case .failed(.nameLookup) = result, lookups.repeats(transfer, replies: state.workers.client.replies) { return }
    if item.isBuffering || !transfer.leftover.isEmpty {
      transfer.deferredResult = result
      return
    }
    var actions: [RunAction] = []
    if case .store = transfer.disposition {
      if result == .complete, isWholeSmall(transfer) {
        let body = transfer.segment.takeWhole()
        item.content.body = body
        state.machine.advanced(id, to: Int64(body.count), &actions)
      } else {
        let flushed = flush(transfer)
        // A stream is complete when its reader has accepted every byte, a file when every byte is written.
        if !transfer.isDead, flushed == .buffered || item.isBuffering || isWriting(transfer) {
          transfer.deferredResult = result
          return
        }
      }
    }
    // A failed write has ended the item and its transfers.
    guard transfers.remove(id) else { return state.performer.perform(actions) }
    let result = servers.ended(transfer.exchange, result, version: state.settings.transport.httpVersion)
    let ending: TransferEnding =
      switch result {
      case .complete: .complete(digest: transfer.confirmation?.finish().first)
      case .unauthenticatedEnd: .unauthenticatedEnd(digest: transfer.confirmation?.finish().first)
      case .stopped: .stopped
      case .failed(let fault): .failed(fault)
      }
    state.machine.transferEnded(id, ending, now: state.now, random: state.random(), &actions)
    state.performer.perform(actions)
  }

  /// Whether the writer has something of the transfer.
  func isWriting(_ transfer: Transfer) -> Bool {
    (transfer.item.storage?.outstanding.count(of: transfer.id) ?? 0) > 0
  }

  /// Whether the buffer holds the whole content and nothing of it is on disk.
  private func isWholeSmall(_ transfer: Transfer) -> Bool {
    guard case .file = transfer.item.destination, !transfer.item.hasPart, transfer.item.request.pieces == nil,
      transfer.segment.start == 0,
      case .store(at: 0, skip: 0, end: _) = transfer.disposition
    else { return false }
    let length = state.machine.completeLength(of: transfer.item.handle)
    return length == nil || length == Int64(transfer.segment.collected.count)
  }

  /// The resolver has been asked once more.
  func lookedUp(_ host: String, _ lookup: HostLookup) {
    let detail = "Could not resolve host: \(host)"
    for transfer in lookups.answered(host, replies: state.workers.client.replies) where !transfer.isDead {
      switch lookup {
      case .unknown: ended(transfer, .failed(.unknownHost(detail)))
      case .uncertain: ended(transfer, .failed(.nameLookup(detail)))
      }
    }
  }

  // MARK: Ticks

  /// - Returns: whether the writer had no room for some bytes.
  func tick() -> Bool {
    // Another engine may have had the room.
    let isWriterBehind = !awaitingWriter.isEmpty
    goOnAwaitingWriter()
    for transfer in transfers.all { tellReceived(transfer) }
    flushAged()
    endStalled()
    rates.followTimetables(now: state.now)
    return isWriterBehind
  }

  /// Tells the machine, which measures rates, of the received bytes.
  func tellReceived(_ transfer: Transfer) {
    let byteCount = transfer.takeUntold()
    guard byteCount > 0 else { return }
    state.machine.received(transfer.id, byteCount: byteCount)
    // The body of an error or a redirect is no part of a file.
    guard transfer.isWanted else { return }
    transfer.item.traffic.received.add(byteCount, mirror: transfer.exchange.order.mirror)
    state.meter.received(byteCount)
  }

  /// Flushes buffers that are older than a moment, so that a kill loses little.
  private func flushAged() {
    for transfer in Array(transfers.all) where transfer.segment.collected.count > 0 {
      // A small body gets more time: if it arrives completely it needs no part file.
      let patience: Duration = transfer.item.hasPart ? .milliseconds(150) : .milliseconds(400)
      if state.now - transfer.segment.collectedSince > patience { flush(transfer) }
    }
  }

  private func endStalled() {
    let limit = state.settings.transport.stallTimeout
    let stalled = transfers.stalled(for: { $0.item.request.settings?.stallTimeout ?? limit }, now: state.now)
    let faults = stalled.map(\.transfer.exchange.stall)
    for (transfer, closes) in stalled { loop.stop(transfer.exchange, closesConnection: closes) }
    for (entry, fault) in zip(stalled, faults) { ended(entry.transfer, .failed(fault)) }
  }

  /// Ends transfers on shared connections where a limit has begun; each begins again on a connection of its own.
  private func separateTransfers() {
    guard rates.takeSeparation() else { return }
    for transfer in Array(transfers.all)
    where !transfer.exchange.isSeparate && !transfer.isDead && !transfer.hasEnded {
      guard transfer.exchange.order.location.scheme.isEncrypted, rates.needsOwnConnection(transfer.membership) else {
        continue
      }
      loop.stop(transfer.exchange)
      ended(transfer, .stopped)
    }
  }

  /// Lets throttled transfers go on, as far as the limits admit.
  func resumeThrottled() {
    guard rates.beginRound() else { return }
    while let id = rates.next() {
      // libcurl delivers the paused bytes at once, so the pause does not count as a stall.
      if let transfer = transfers[id] { loop.unpause(transfer.exchange) }
    }
  }
}
