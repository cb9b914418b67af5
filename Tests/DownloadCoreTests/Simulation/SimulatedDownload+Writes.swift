import DownloadCore
import TestSupport

/// A writer that answers late: those of one transfer in their order, those of several in any order.
extension SimulatedDownload {
  /// Bytes on their way to the part file.
  struct Write {
    let number: Int
    let transfer: TransferID
    let range: Range<Int64>
    let version: Int
    let shift: Int64
  }

  /// Stores received bytes and reports them to the machine, or has the writer do so.
  func flush(_ id: TransferID) {
    guard let transfer = transfers[id], case .store(let at, _, _) = transfer.disposition else { return }
    let item = transfer.item
    let range = transfer.unflushed
    guard !range.isEmpty else { return }
    let write = Write(
      number: writeCount, transfer: id, range: range, version: transfer.body.version, shift: transfer.body.start - at)
    if hasSlowWriter, run.done(of: transfer.order.item).gaps(in: range) == [range] {
      // Those that are written first count.
      if items[item].writes.contains(where: { $0.range.overlaps(range) }) { return }
      writeCount += 1
      transfers[id]!.stored = range.upperBound
      items[item].writes.append(write)
      let writtenAt = max(now, transfer.writtenAt) + .milliseconds(Int64.random(in: 0..<80, using: &writerRandom))
      transfers[id]!.writtenAt = writtenAt
      events.insert(.written(item, write.number), at: writtenAt)
    } else if items[item].writes.isEmpty {
      transfers[id]!.stored = range.upperBound
      store(write, of: item, transfer.order.item)
    }
  }

  /// Writes what is not there yet. Bytes of a transfer that has been stopped are in the file then, and count for nothing.
  private func store(_ write: Write, of item: Int, _ handle: ItemHandle) {
    let gaps = run.done(of: handle).gaps(in: write.range)
    for gap in gaps { items[item].content.write(gap, version: write.version, shift: write.shift) }
    guard let transfer = transfers[write.transfer] else { return }
    let mirror = transfer.order.mirror
    for gap in gaps { items[item].sources[mirror, default: ByteRangeSet()].insert(gap) }
    items[item].covered.insert(write.range)
    var actions: [RunAction] = []
    let added = run.advanced(write.transfer, to: write.range.upperBound, &actions)
    note("advanced \(write.transfer.number) to \(write.range.upperBound) new \(added)")
    items[item].newSinceFault[mirror, default: 0] += added
    items[item].brought[mirror, default: 0] += added
    if items[item].covered.byteCount >= items[item].highWater + 4096 {
      items[item].highWater = items[item].covered.byteCount
      items[item].requestsWithoutProgress = 0
    }
    perform(actions)
  }

  /// The writer has written some bytes.
  func written(_ item: Int, _ number: Int) {
    guard let index = items[item].writes.firstIndex(where: { $0.number == number }), let handle = items[item].handle
    else { return }
    store(items[item].writes.remove(at: index), of: item, handle)
    // The end of a transfer waits for its bytes, which may wait for those of others.
    for (id, transfer) in transfers.sorted(by: { $0.key.number < $1.key.number }) where transfer.item == item {
      if let ending = transfers[id]?.deferredEnding { finish(id, ending) }
    }
  }

  /// Whether the transfer has brought bytes that are not in the part file.
  func isWriting(_ transfer: Transfer) -> Bool {
    guard case .store = transfer.disposition else { return false }
    return !transfer.unflushed.isEmpty || items[transfer.item].writes.contains { $0.transfer == transfer.order.id }
  }

  /// Nothing more is written for the item. What the writer had is in the part file, of a killed program by chance.
  func endWrites(of item: Int, isKilled: Bool = false) {
    for write in items[item].writes where !isKilled || Bool.random(using: &writerRandom) {
      items[item].content.write(write.range, version: write.version, shift: write.shift)
    }
    items[item].writes = []
  }
}

extension SimulatedDownload.Transfer {
  /// What was received and is wanted, and was not flushed.
  var unflushed: Range<Int64> {
    guard case .store(let at, _, _) = disposition else { return stored..<stored }
    return stored..<max(stored, min(at + received, end))
  }
}
