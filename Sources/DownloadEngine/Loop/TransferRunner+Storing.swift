internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Where the bytes of transfers go.
///
/// An item can take no bytes for a moment while its storage is clearing, a stream's reader is slow, or it has no name yet:
///
/// taking ──discard, full outlet, question──► buffering ──cleared, drained, decision──► taking
///
/// While an item is buffering nothing of it is written or recorded. What its transfers bring stays in their buffers;
/// beyond that their exchanges pause, and one that ends is told to the machine later. Nothing waits meanwhile. A
/// transfer for which the writer has no room is treated alike.
extension TransferRunner {
  /// Collects the wanted bytes of `body` and flushes the buffer whenever it is full.
  func store(_ body: UnsafeRawBufferPointer, of transfer: Transfer) -> BodyAnswer {
    var index = 0
    while true {
      switch transfer.segment.take(body, from: index, now: state.now) {
      case .all: return .taken
      case .ended: return .stop
      case .flushFirst(let rest):
        switch flush(transfer) {
        case .done: index = rest
        case .buffered:
          transfer.keep(UnsafeRawBufferPointer(rebasing: body[rest...]))
          // For the moments that a disk takes. The reader of a stream and who is asked for a name may take any time.
          if case .file = transfer.item.destination, !transfer.item.question.isAsking, transfer.exchange.isMultiplexed {
            loop.suspend(transfer.exchange)
          }
          return .taken
        case .useless: return .stop
        }
      }
    }
  }

  enum Flushed {
    case done
    /// The item is buffering, or the writer has enough: the bytes stay in the buffer.
    case buffered
    /// The transfer is of no further use.
    case useless
  }

  /// Writes what the transfer has collected and tells the machine, or has the writer do so.
  @discardableResult
  func flush(_ transfer: Transfer) -> Flushed {
    guard !transfer.isDead else { return .useless }
    guard transfer.segment.collected.count > 0 else { return .done }
    let item = transfer.item
    if item.isBuffering { return .buffered }
    let start = transfer.segment.start
    let count = transfer.segment.collected.count
    do throws(Failure) {
      switch item.destination {
      case .stream(let output):
        try output.write(transfer.segment.collected.bytes)
        watchOutlet(of: item)
      case .file(let target):
        let storage = client.storage(of: item, at: target)
        try storage.create(state.machine.knowledge(of: item.handle))
        if item.isBuffering { return .buffered }
        // A digest may have become known, or the content may have been discarded, since the part file was created.
        client.follow(item)
        let done = state.machine.done(of: item.handle)
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
      client.storageFailed(item, error)
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
      return .buffered
    }
    storage.handOver(
      transfer.segment.handedOver(state.workers.client.blocks), at: range.lowerBound,
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
    guard let item = state.items[answer.item], let storage = item.storage else { return giveBack(block) }
    do {
      let stored = try storage.answered(answer, isWanted: { transfers[$0] != nil })
      guard let (id, range) = stored, let transfer = transfers[id] else { return giveBack(block) }
      self.stored(range, of: transfer, in: block)
      // What it has brought is told to the machine before its end.
      if transfer.deferredResult != nil { awaitingWriter.insert(id) }
    } catch {
      giveBack(block)
      client.storageFailed(item, StorageErrors.writing(error))
    }
  }

  private func giveBack(_ block: FilledBlock?) {
    if let block { state.workers.client.blocks.giveBack(block.block) }
  }

  /// Bytes of the transfer are in the part file.
  ///
  /// - Parameter block: has them; nil for the segment's own, which is empty afterwards.
  private func stored(_ range: Range<Int64>, of transfer: Transfer, in block: FilledBlock?) {
    let item = transfer.item
    var actions: [RunAction] = []
    let added = state.machine.advanced(transfer.id, to: range.upperBound, &actions)
    let hashableEnd = state.machine.contiguousEnd(of: item.handle)
    if item.storage?.hashes.position == range.lowerBound, added == Int64(range.count), hashableEnd >= range.upperBound,
      state.workers.client.blocks.hasRoom(besides: handedOverCount)
    {
      let block = block ?? transfer.segment.handedOver(state.workers.client.blocks)
      item.storage?.hashes.hash(block, at: range.lowerBound, of: item.handle)
    } else if let block {
      giveBack(block)
    } else {
      transfer.segment.flushed()
    }
    item.storage?.hashes.advance(to: hashableEnd, of: item.handle)
    state.performer.perform(actions)
    if !transfer.isDead { client.checkpoint(item) }
  }

  // MARK: Buffering

  /// Writes the pending bytes of a stream as its reader accepts them.
  func watchOutlet(of item: ActiveItem) {
    guard case .stream(let output) = item.destination, output.outlet.isFull else { return }
    let outlet = output.outlet
    loop.watch(outlet.descriptor, .writable) { [unowned self, unowned item] in
      do throws(SystemCallError) { try outlet.drain() } catch {
        return client.storageFailed(item, StorageErrors.output(error))
      }
      guard !outlet.isFull else { return }
      loop.unwatch(outlet.descriptor)
      goOn(item)
    }
  }

  /// Continues the item's transfers when it takes bytes again. Must not be called from within libcurl's callbacks.
  func goOn(_ item: ActiveItem) {
    for transfer in transfers.of(item) { goOn(transfer) }
  }

  private func goOn(_ transfer: Transfer) {
    guard !transfer.item.isBuffering, !transfer.isDead else { return }
    let answer = transfer.leftover.isEmpty ? .taken : storeLeftover(of: transfer)
    guard !transfer.item.isBuffering, !transfer.isDead, transfer.leftover.isEmpty else { return }
    if let result = transfer.deferredResult {
      transfer.deferredResult = nil
      ended(transfer, result)
    } else if answer == .stop {
      loop.stop(transfer.exchange)
      ended(transfer, .stopped)
    } else {
      loop.unpause(transfer.exchange)
    }
  }

  /// The writer may have room again.
  func goOnAwaitingWriter() {
    guard !awaitingWriter.isEmpty else { return }
    let waiting = awaitingWriter.sorted { $0.number < $1.number }
    awaitingWriter = []
    for id in waiting {
      if let transfer = transfers[id] { goOn(transfer) }
    }
  }

  private func storeLeftover(of transfer: Transfer) -> BodyAnswer {
    let bytes = transfer.takeLeftover()
    return bytes.withUnsafeBytes { store($0, of: transfer) }
  }
}
