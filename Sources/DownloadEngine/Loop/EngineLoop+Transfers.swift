internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Transfers: how they begin, where their bytes go, how they end.
extension EngineLoop: TransferOwner {
  func startTransfer(_ order: TransferOrder) {
    guard let item = items[order.item] else { return }
    let origin = order.location.origin
    let host = servers.settings(of: origin, settings.transport)
    if let limit = host?.limitRate { rates.limit(.one(.host(origin)), to: limit, now: now) }
    let membership = RateMembership(item: item.handle, group: item.group, host: origin)
    let isAlone = item.isAlone ?? self.isAlone(at: origin)
    item.isAlone = isAlone
    var options = servers.options(
      for: order, of: item.request, host, settings.secrets,
      wantsOwnConnection: (order.isSegment || isAlone) && settings.transport.httpVersion != .http2
        || rates.needsOwnConnection(membership) || mayAskAboutAnswer(of: item),
      bufferByteCount: min(rates.pieceByteCount(membership), bufferByteCount(order)))
    options.cookies = item.cookies.field(for: order.location, unixTime: Clock.unixTime())
    let exchange = Exchange(order: order, now: now)
    let transfer = Transfer(item: item, exchange: exchange, owner: self)
    transfers.insert(transfer)
    loop.start(exchange, options: options, delegate: transfer)
  }

  /// A stream of HTTP/2 that is paused until there is a decision would hold up others of its connection.
  private func mayAskAboutAnswer(of item: ActiveItem) -> Bool {
    isToBeAccepted(item) || item.request.isNamedByAnswer && settings.target.nameSource(for: item.request) == .url
  }

  /// Whether nothing else is wanted, and the host has not answered yet, so that it has no connection to be shared.
  private func isAlone(at origin: Origin) -> Bool {
    wantedCount == 1 && machine.governor(of: origin)?.hasAnswered != true
  }

  /// The files that are wanted, as far as that is known.
  private var wantedCount: Int {
    min(requests.itemCount ?? .max, requests.hasEnded ? queue.unsettledCount : .max)
  }

  /// The receive buffer without limits of the rate: large for the few connections of big files, small for many small
  /// files.
  private func bufferByteCount(_ order: TransferOrder) -> Int {
    let isBig = order.isSegment || wantedCount <= 16 || meter.meanFileByteCount > 4 << 20
    guard isBig else { return 32 << 10 }
    return loop.exchangeCount < 6 ? 512 << 10 : loop.exchangeCount < 20 ? 128 << 10 : 64 << 10
  }

  // MARK: Inside libcurl's callbacks

  func received(_ head: ResponseHead, of transfer: Transfer) -> Bool {
    let exchange = transfer.exchange
    exchange.lastActivity = now
    transfer.item.lastAnswer = ServerAnswer(head, from: exchange.order.location)
    if settings.secrets.cookies == nil, !head.redirectCookies.isEmpty {
      transfer.item.cookies.take(head.redirectCookies, from: exchange.order.location, unixTime: Clock.unixTime())
    }
    servers.answered(exchange)
    ask(about: head, of: transfer.item)
    guard !transfer.isDead else { return false }
    let target = head.location.flatMap { try? URLParser.resolve($0, against: exchange.order.location).location }
    var actions: [RunAction] = []
    let disposition = machine.headReceived(
      exchange.id, Self.withoutUncomputable(head), redirectTarget: target,
      linkedMirrors: Self.linkedMirrors(head, base: exchange.order.location), roundTrip: exchange.roundTrip,
      unixTime: Clock.unixTime(), now: now, &actions)
    perform(actions)
    guard !transfer.isDead else { return false }
    transfer.begin(disposition, contentLength: head.contentLength, workers.client.smallBlocks)
    switch disposition {
    case .stop: return false
    case .drain, .hash: break
    case .store:
      if case .stream(let output) = transfer.item.destination {
        output.compute(machine.judgingAlgorithms(of: transfer.item.handle))
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
    if transfer.isWanted { transfer.exchange.lastActivity = now }
    guard
      rates.admits(transfer.id, transfer.membership, byteCount: body.count)
    else { return .pause }
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

  /// Collects the wanted bytes of `body` and flushes the buffer whenever it is full.
  func store(_ body: UnsafeRawBufferPointer, of transfer: Transfer) -> BodyAnswer {
    var index = 0
    while true {
      switch transfer.segment.take(body, from: index, now: now) {
      case .all: return .taken
      case .ended: return .stop
      case .flushFirst(let rest):
        switch flush(transfer) {
        case .done: index = rest
        case .held:
          transfer.keep(UnsafeRawBufferPointer(rebasing: body[rest...]))
          // For the moments that a disk takes. The reader of a stream and who is asked for a name may take any time.
          if case .file = transfer.item.destination, !transfer.item.isAsking, transfer.exchange.isMultiplexed {
            loop.hold(transfer.exchange)
          }
          return .taken
        case .useless: return .stop
        }
      }
    }
  }

  // MARK: Storing

  enum Flushed {
    case done
    /// The item is holding, or the writer has enough: the bytes stay in the buffer.
    case held
    /// The transfer is of no further use.
    case useless
  }

  /// Writes what the transfer has collected and tells the machine, or has the writer do so.
  @discardableResult
  func flush(_ transfer: Transfer) -> Flushed {
    guard !transfer.isDead else { return .useless }
    guard transfer.segment.collected.count > 0 else { return .done }
    let item = transfer.item
    if item.isHolding { return .held }
    let start = transfer.segment.start
    let count = transfer.segment.collected.count
    do throws(Failure) {
      switch item.destination {
      case .stream(let output):
        try output.write(transfer.segment.collected.bytes)
        watchOutlet(of: item)
      case .file(let target):
        let storage = storage(of: item, at: target)
        try storage.create(machine.knowledge(of: item.handle))
        if item.isHolding { return .held }
        // A digest may have become known, or the content may have been discarded, since the part file was created.
        follow(item)
        let done = machine.done(of: item.handle)
        guard storage.writesItself(transfer.segment.collectedRange, keeping: done) else {
          return handOver(transfer, to: storage, keeping: done)
        }
        do {
          try storage.write(
            transfer.segment.collected.bytes, at: start, keeping: done, mirror: transfer.exchange.order.mirror)
        } catch {
          throw StorageErrors.writing(error)
        }
      }
    } catch {
      storageFailed(item, error)
      return .useless
    }
    stored(start..<(start + Int64(count)), of: transfer, in: nil)
    return transfer.isDead ? .useless : .done
  }

  /// Has the writer write what the transfer has collected.
  private func handOver(_ transfer: Transfer, to storage: ItemStorage, keeping done: ByteRangeSet) -> Flushed {
    let most = loop.exchangeCount < Self.fewExchanges ? Self.mostBlocksOfFew : 1
    let range = transfer.segment.collectedRange
    guard
      let lease = storage.lease(
        range, keeping: done, of: transfer.id, atMost: most, byteCount: transfer.segment.collected.capacity)
    else {
      awaitingWriter.insert(transfer.id)
      return .held
    }
    storage.handOver(
      transfer.segment.handedOver(workers.client.blocks), at: range.lowerBound,
      mirror: transfer.exchange.order.mirror, of: transfer.id, lease)
    handedOverCount += 1
    return .done
  }

  /// While fewer exchanges than these run, the writer may have several blocks of each.
  private static let fewExchanges = 16
  private static let mostBlocksOfFew = 4

  /// The writer has answered.
  func wrote(_ answers: [WriteAnswer]) {
    for answer in answers {
      if answer.write != nil { handedOverCount -= 1 }
      wrote(answer)
    }
    goOnAwaitingWriter()
  }

  private func wrote(_ answer: WriteAnswer) {
    let block = answer.write?.block
    guard let item = items[answer.item], let storage = item.storage else { return giveBack(block) }
    do {
      let stored = try storage.answered(answer, isWanted: { transfers[$0] != nil })
      guard let (id, range) = stored, let transfer = transfers[id] else { return giveBack(block) }
      self.stored(range, of: transfer, in: block)
      // What it has brought is told to the machine before its end.
      if transfer.heldResult != nil { awaitingWriter.insert(id) }
    } catch {
      giveBack(block)
      storageFailed(item, StorageErrors.writing(error))
    }
  }

  private func giveBack(_ block: FilledBlock?) {
    if let block { workers.client.blocks.giveBack(block.block) }
  }

  /// Bytes of the transfer are in the part file.
  ///
  /// - Parameter block: has them; nil for the segment's own, which is empty afterwards.
  private func stored(_ range: Range<Int64>, of transfer: Transfer, in block: FilledBlock?) {
    let item = transfer.item
    var actions: [RunAction] = []
    let added = machine.advanced(transfer.id, to: range.upperBound, &actions)
    let hashableEnd = machine.contiguousEnd(of: item.handle)
    if item.storage?.hashes.position == range.lowerBound, added == Int64(range.count), hashableEnd >= range.upperBound,
      workers.client.blocks.hasRoom(besides: handedOverCount)
    {
      let block = block ?? transfer.segment.handedOver(workers.client.blocks)
      item.storage?.hashes.hash(block, at: range.lowerBound, of: item.handle)
    } else if let block {
      giveBack(block)
    } else {
      transfer.segment.flushed()
    }
    item.storage?.hashes.advance(to: hashableEnd, of: item.handle)
    perform(actions)
    if !transfer.isDead { checkpoint(item) }
  }

  /// Reports the received bytes to the machine, which measures rates.
  func report(_ transfer: Transfer) {
    let byteCount = transfer.takeUnreported()
    guard byteCount > 0 else { return }
    machine.received(transfer.id, byteCount: byteCount)
    // The body of an error or a redirect is no part of a file.
    guard transfer.isWanted else { return }
    transfer.item.received.add(byteCount, mirror: transfer.exchange.order.mirror)
    meter.received(byteCount)
  }

  // MARK: Ends

  func ended(_ transfer: Transfer, _ result: ExchangeResult) {
    let item = transfer.item
    let id = transfer.id
    report(transfer)
    if case .failed(.nameLookup) = result, lookups.repeats(transfer, replies: workers.client.replies) { return }
    if item.isHolding || !transfer.leftover.isEmpty {
      transfer.heldResult = result
      return
    }
    var actions: [RunAction] = []
    if case .store = transfer.disposition {
      if result == .complete, isWholeSmall(transfer) {
        let body = transfer.segment.takeWhole()
        item.body = body
        machine.advanced(id, to: Int64(body.count), &actions)
      } else {
        let flushed = flush(transfer)
        // A stream is complete when its reader has accepted every byte, a file when every byte is written.
        if !transfer.isDead, flushed == .held || item.isHolding || isWriting(transfer) {
          transfer.heldResult = result
          return
        }
      }
    }
    // A failed write has ended the item and its transfers.
    guard transfers.remove(id) else { return perform(actions) }
    let result = servers.ended(transfer.exchange, result, version: settings.transport.httpVersion)
    let ending: TransferEnding =
      switch result {
      case .complete: .complete(digest: transfer.confirmation?.finish().first)
      case .unauthenticatedEnd: .unauthenticatedEnd(digest: transfer.confirmation?.finish().first)
      case .stopped: .stopped
      case .failed(let fault): .failed(fault)
      }
    machine.transferEnded(id, ending, now: now, random: random(), &actions)
    perform(actions)
  }

  /// Whether the writer has something of the transfer.
  func isWriting(_ transfer: Transfer) -> Bool {
    (transfer.item.storage?.outstandingCount(of: transfer.id) ?? 0) > 0
  }

  /// Whether the buffer holds the whole content and nothing of it is on disk.
  private func isWholeSmall(_ transfer: Transfer) -> Bool {
    guard case .file = transfer.item.destination, !transfer.item.hasPart, transfer.item.request.pieces == nil,
      transfer.segment.start == 0,
      case .store(at: 0, skip: 0, end: _) = transfer.disposition
    else { return false }
    let length = machine.completeLength(of: transfer.item.handle)
    return length == nil || length == Int64(transfer.segment.collected.count)
  }

  /// The resolver has been asked once more.
  func lookedUp(_ host: String, _ lookup: HostLookup) {
    let detail = "Could not resolve host: \(host)"
    for transfer in lookups.answered(host, replies: workers.client.replies) where !transfer.isDead {
      switch lookup {
      case .unknown: ended(transfer, .failed(.unknownHost(detail)))
      case .uncertain: ended(transfer, .failed(.nameLookup(detail)))
      }
    }
  }

  // MARK: Ticks

  /// Flushes buffers that are older than a moment, so that a kill loses little.
  func flushAged() {
    for transfer in Array(transfers.all) where transfer.segment.collected.count > 0 {
      // A small body gets more time: if it arrives completely it needs no part file.
      let patience: Duration = transfer.item.hasPart ? .milliseconds(150) : .milliseconds(400)
      if now - transfer.segment.collectedSince > patience { flush(transfer) }
    }
  }

  /// Ends transfers that bring nothing.
  func endStalled() {
    let limit = settings.transport.stallTimeout
    let stalled = transfers.stalled(for: { $0.item.request.settings?.stallTimeout ?? limit }, now: now)
    let faults = stalled.map(\.transfer.exchange.stall)
    for (transfer, closes) in stalled { loop.stop(transfer.exchange, closesConnection: closes) }
    for (entry, fault) in zip(stalled, faults) { ended(entry.transfer, .failed(fault)) }
  }

  /// When a file's time is over, if nothing else wakes the loop before that.
  var nextLateTime: Instant {
    guard limitsTimes, loop.exchangeCount == 0 else { return .distantFuture }
    var earliest = Instant.distantFuture
    for item in items.values where !machine.isPublishing(item.handle) {
      if let time = item.maxTime(settings.limits) { earliest = min(earliest, item.startedAt + time + .milliseconds(1)) }
    }
    return earliest
  }

  func endLate() {
    guard limitsTimes else { return }
    for item in Array(items.values) {
      guard let maxTime = item.maxTime(settings.limits), now - item.startedAt > maxTime,
        !machine.isPublishing(item.handle)
      else { continue }
      let lastFault = machine.lastFault(of: item.handle)
      storageFailed(item, Failure(.deadline(lastFault: lastFault, hasReceived: item.received.total > 0)))
    }
  }
}
