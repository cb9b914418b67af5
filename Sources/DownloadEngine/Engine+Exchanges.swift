internal import DownloadCore
internal import FileStore
internal import Transport

/// Exchanges: how they begin, where their bytes go, how they end.
extension Engine: ExchangeDelegate {
  func startExchange(_ order: TransferOrder) {
    guard let item = items[order.item] else { return }
    let origin = order.location.origin
    let own = item.request.mirrors.first { $0.location.origin == origin }
    let isTrusted = own != nil || trustedOrigins.contains(origin)
    let isSeparate = order.isSegment || mustSeparate || (source.itemCount == 1 && settings.httpVersion != .http2)
    let options = CurlOptions(
      isTrusted: isTrusted, headers: item.request.headers, userinfo: own?.userinfo ?? settings.user,
      isSeparate: isSeparate, bufferByteCount: bufferByteCount(order))
    let exchange = loop.start(order, options: options, delegate: self, now: now)
    let sink = BodySink(item: item, exchange: exchange)
    exchange.context = sink
    sinks[order.id] = sink
  }

  /// Large for the few connections of big files, small for the many of small ones and under a low limit.
  private func bufferByteCount(_ order: TransferOrder) -> Int {
    min(gate.pieceByteCount, usualBufferByteCount(order))
  }

  private func usualBufferByteCount(_ order: TransferOrder) -> Int {
    let isBig = order.isSegment || (source.itemCount ?? .max) <= 16 || meanFileByteCount > 4 << 20
    guard isBig else { return 32 << 10 }
    return loop.exchangeCount < 6 ? 512 << 10 : loop.exchangeCount < 20 ? 128 << 10 : 64 << 10
  }

  private var meanFileByteCount: Int64 {
    finishedByteCount / Int64(max(1, end.progress.downloadedCount + end.progress.keptCount))
  }

  // MARK: Inside libcurl's callbacks

  func exchange(_ exchange: Exchange, received head: ResponseHead) -> Bool {
    guard let sink = exchange.context as? BodySink, !sink.isDead else { return false }
    exchange.lastActivity = now
    let target = head.location.flatMap { try? URLParser.resolve($0, against: exchange.order.location).location }
    var actions: [RunAction] = []
    let disposition = machine.headReceived(
      exchange.id, Self.withoutUncomputable(head), redirectTarget: target, roundTrip: exchange.roundTrip,
      unixTime: Clock.unixTime(), now: now,
      &actions)
    perform(actions)
    guard !sink.isDead else { return false }
    sink.begin(disposition, contentLength: head.contentLength)
    switch disposition {
    case .stop: return false
    case .drain: break
    case .hash: sink.confirmation = DigestComputer([.sha256])
    case .store:
      if case .stream = sink.item.destination, sink.item.streamDigests == nil {
        sink.item.streamDigests = DigestComputer(
          machine.expectedDigests(of: sink.item.request.item).map(\.digest.algorithm))
      }
    }
    return true
  }

  /// Claims that nobody can check here are none.
  private static func withoutUncomputable(_ head: ResponseHead) -> ResponseHead {
    guard !head.representationDigests.isEmpty || head.contentMD5 != nil else { return head }
    var head = head
    head.representationDigests.removeAll { !DigestComputer.isAvailable($0.algorithm) }
    if let claimed = head.contentMD5, !DigestComputer.isAvailable(claimed.algorithm) { head.contentMD5 = nil }
    return head
  }

  func exchange(_ exchange: Exchange, body: UnsafeRawBufferPointer) -> BodyAnswer {
    guard let context = exchange.context else { return .stop }
    let sink = unsafeDowncast(context, to: BodySink.self)
    if sink.isDead { return .stop }
    exchange.lastActivity = now
    if !sink.leftover.isEmpty {
      sink.isPaused = true
      return .pause
    }
    if gate.isLimited {
      let item = sink.item.request.item
      guard gate.admits(exchange.id, of: item, now: Clock.now()) else { return .pause }
      gate.took(body.count, of: item)
    }
    sink.unreportedByteCount += Int64(body.count)
    switch sink.disposition {
    case .stop: return .stop
    case .drain: return sink.drain(body.count)
    case .hash:
      sink.confirmation?.update(body)
      return .taken
    case .store: return store(body, of: sink)
    }
  }

  /// Collects what is wanted of `body`, and writes it out as the buffer fills.
  func store(_ body: UnsafeRawBufferPointer, of sink: BodySink) -> BodyAnswer {
    var index = 0
    while true {
      switch sink.take(body, from: index, now: now) {
      case .all: return .taken
      case .ended: return .stop
      case .flushFirst(let rest):
        switch flush(sink) {
        case .done: index = rest
        case .held:
          sink.keep(UnsafeRawBufferPointer(rebasing: body[rest...]))
          return .taken
        case .useless: return .stop
        }
      }
    }
  }

  // MARK: Storing

  enum Flushed {
    case done
    /// The item takes nothing now: the bytes stay in the buffer.
    case held
    /// The transfer is of no further use.
    case useless
  }

  /// Writes what the sink has collected and tells the machine.
  @discardableResult
  func flush(_ sink: BodySink) -> Flushed {
    guard !sink.isDead else { return .useless }
    guard sink.buffer.count > 0 else { return .done }
    let item = sink.item
    if item.isHolding { return .held }
    let start = sink.bufferStart
    let count = sink.buffer.count
    do throws(DownloadError) {
      switch item.destination {
      case .stream:
        try item.streamPieces?.update(sink.buffer.bytes)
        do { try item.outlet?.offer(sink.buffer.bytes) } catch { throw StorageErrors.output(error) }
        watchOutlet(of: item)
        item.streamDigests?.update(sink.buffer.bytes)
        item.streamedByteCount += Int64(count)
      case .file(let place):
        try prepareStorage(item, place)
        // A digest may have been learnt, or the content started over, since the part file was made.
        if item.hashedTo == nil { follow(item, contiguousEnd: machine.contiguousEnd(of: item.request.item)) }
        do { try store(sink) } catch { throw StorageErrors.writing(error) }
        writeBack(item, start..<(start + Int64(count)))
      }
    } catch {
      storageFailed(item, error)
      return .useless
    }
    item.policy.wrote(Int64(count))
    var actions: [RunAction] = []
    let added = machine.advanced(sink.exchange.id, to: start + Int64(count), &actions)
    let hashableEnd = machine.contiguousEnd(of: item.request.item)
    if item.hashedTo == start, added == Int64(count), hashableEnd >= start + added, blocks.hasRoom {
      hashBlock(item, sink.handedOver(blocks), at: start)
    } else {
      sink.flushed()
    }
    if item.hashedTo != nil { advanceHash(item, to: hashableEnd) }
    perform(actions)
    if sink.isDead { return .useless }
    checkpoint(item)
    return .done
  }

  /// Writes what is not there yet. What is recorded is never written over: it may have been verified, and this mirror
  /// may have other bytes.
  private func store(_ sink: BodySink) throws(SystemCallError) {
    let (number, mirror) = (sink.item.request.item, sink.exchange.order.mirror)
    let written = try sink.item.part?.write(
      sink.buffer.bytes, at: sink.bufferStart, keeping: machine.done(of: number))
    for range in written ?? [] { sink.item.sources[mirror].insert(range) }
  }

  /// Has the kernel begin with every few MiB, so that the sync at the end finds little left.
  private func writeBack(_ item: ActiveItem, _ range: Range<Int64>) {
    guard settings.syncs, let part = item.part else { return }
    let step = Self.writebackStep
    guard range.lowerBound / step != range.upperBound / step else { return }
    let end = range.upperBound / step * step
    storage.jobs.post(.writeback(part, max(0, end - step)..<end))
  }

  private static let writebackStep: Int64 = 8 << 20

  /// Tells the machine what came in, for its measurements.
  func report(_ sink: BodySink) {
    guard sink.unreportedByteCount > 0 else { return }
    machine.received(sink.exchange.id, byteCount: sink.unreportedByteCount)
    sink.item.receivedByteCount += sink.unreportedByteCount
    receivedByteCount += sink.unreportedByteCount
    sink.unreportedByteCount = 0
  }

  // MARK: Ends

  func exchangeEnded(_ exchange: Exchange, _ result: ExchangeResult) {
    guard let sink = exchange.context as? BodySink, !sink.isDead else { return }
    ended(sink, result)
  }

  func ended(_ sink: BodySink, _ result: ExchangeResult) {
    let item = sink.item
    let id = sink.exchange.id
    report(sink)
    if item.isHolding {
      sink.heldResult = result
      return
    }
    var actions: [RunAction] = []
    if case .store = sink.disposition {
      if result == .complete, isWholeSmall(sink) {
        item.smallBody = Array(sink.buffer.bytes)
        machine.advanced(id, to: Int64(sink.buffer.count), &actions)
      } else {
        flush(sink)
        // A stream is whole when its reader has it all.
        if item.isHolding, !sink.isDead {
          sink.heldResult = result
          return
        }
      }
    }
    // A failed write has ended the item and this transfer with it.
    guard sinks.removeValue(forKey: id) != nil else { return perform(actions) }
    let ending: TransferEnding =
      switch result {
      case .complete: .complete(digest: sink.confirmation?.finish().first)
      case .unauthenticatedEnd: .unauthenticatedEnd(digest: sink.confirmation?.finish().first)
      case .stopped: .stopped
      case .failed(let fault): .failed(fault)
      }
    machine.transferEnded(id, ending, now: now, random: random(), &actions)
    perform(actions)
  }

  /// The whole content lies in this one buffer and nothing of it on disk.
  private func isWholeSmall(_ sink: BodySink) -> Bool {
    guard case .file = sink.item.destination, sink.item.part == nil, sink.item.request.pieces == nil,
      sink.bufferStart == 0,
      case .store(at: 0, skip: 0, end: _) = sink.disposition
    else { return false }
    let length = machine.completeLength(of: sink.item.request.item)
    return length == nil || length == Int64(sink.buffer.count)
  }

  // MARK: Ticks

  /// A kill must not lose what arrived a while ago.
  func flushAged() {
    for sink in Array(sinks.values) where sink.buffer.count > 0 {
      // A small body gets a little longer to arrive in one go, which saves its part file.
      let patience: Duration = sink.item.part == nil ? .milliseconds(400) : .milliseconds(150)
      if now - sink.bufferedSince > patience { flush(sink) }
    }
  }

  /// Ends transfers that bring nothing. Time that the loop itself spent elsewhere is not held against them.
  func watchStalls() {
    let lateness = now - stallCheckedAt
    stallCheckedAt = now
    if lateness > .milliseconds(500) {
      for sink in sinks.values { sink.exchange.lastActivity = sink.exchange.lastActivity + lateness }
    }
    endStalled()
    endLate()
  }

  private func endStalled() {
    func isSilent(_ sink: BodySink, for limit: Duration) -> Bool {
      !sink.exchange.isPaused && sink.heldResult == nil && now - sink.exchange.lastActivity > limit
    }
    let stalled = sinks.values.filter { isSilent($0, for: settings.stallTimeout) }
    guard !stalled.isEmpty else { return }
    // A connection whose streams are all silent is dead. They are given up together with it, before anything new is
    // started: it would be sent on that connection again. A stream that has no answer yet is no sign of life, however
    // young it is.
    let livePorts = sinks.values.filter { $0.exchange.head != nil && !isSilent($0, for: settings.stallTimeout / 2) }
      .map(\.exchange.localPort)
    let deadPorts = Set(stalled.compactMap(\.exchange.localPort)).subtracting(livePorts.compactMap(\.self))
    func isDead(_ sink: BodySink) -> Bool { sink.exchange.localPort.map(deadPorts.contains) ?? false }
    let ending = sinks.values
      .filter { $0.heldResult == nil && (isDead($0) || isSilent($0, for: settings.stallTimeout)) }
      .sorted { $0.exchange.id.number < $1.exchange.id.number }
    let faults = ending.map(\.exchange.stall)
    for (sink, closes) in ending.map({ ($0, isDead($0)) }) { loop.stop(sink.exchange, closesConnection: closes) }
    for (sink, fault) in zip(ending, faults) { ended(sink, .failed(fault)) }
  }

  private func endLate() {
    guard let maxTime = settings.maxTime else { return }
    for item in Array(items.values) where now - item.startedAt > maxTime && !item.isPublishing {
      storageFailed(
        item,
        DownloadError(
          .deadline, "not finished within --max-time", hint: "run the same command again: it goes on from here"))
    }
  }
}
