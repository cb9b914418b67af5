internal import DownloadCore
internal import FileStore
internal import Transport

/// Items that can take no bytes for a moment: their records are being put out of force, or a stream's reader is slow.
///
/// taking ──discard, full outlet──► holding ──cleared, drained──► taking
///
/// While an item is holding nothing of it is written or recorded. What its transfers bring stays in their buffers;
/// beyond that their exchanges pause, and one that ends is told to the machine later. Nothing waits meanwhile.
extension Engine {
  /// Has the storage thread put a record in force that claims less than the ones before, and make an empty part file
  /// where `part` is nil. The thread takes its jobs in order, so a sync that is under way comes first.
  func clear(_ item: ActiveItem, _ place: TargetPlace, _ sidecar: SidecarFile, keeping part: PartFile?) {
    item.clearingCount += 1
    let record = record(
      of: item, written: part == nil ? ByteRangeSet() : machine.done(of: item.request.item), place)
    workers.storage.jobs.post(
      .clear(ItemVersion(item: item.request.item, generation: item.generation), part, sidecar, record))
  }

  /// The storage thread has done one of the item's clearings.
  func cleared(_ version: ItemVersion, _ part: PartFile?) {
    guard let item = items[version.item] else { return }
    item.clearingCount -= 1
    // That of an older start has lost its name to a newer one.
    if item.generation == version.generation { item.part = part }
    goOn(item)
  }

  func clearingFailed(_ version: ItemVersion, _ error: PartOpenError) {
    guard let item = items[version.item] else { return }
    item.clearingCount -= 1
    storageFailed(item, StorageErrors.opening(error))
  }

  /// Hands the stream's bytes on as its reader takes them.
  func watchOutlet(of item: ActiveItem) {
    guard let outlet = item.outlet, outlet.isFull else { return }
    loop.watch(outlet.descriptor, .writable) { [unowned self, unowned item] in
      do throws(SystemCallError) { try outlet.drain() } catch {
        return storageFailed(item, StorageErrors.output(error))
      }
      guard !outlet.isFull else { return }
      loop.unwatch(outlet.descriptor)
      goOn(item)
    }
  }

  /// Lets the item's transfers go on where they were held. Not to be called from within libcurl's callbacks.
  private func goOn(_ item: ActiveItem) {
    for transfer in transfers.of(item) where !transfer.isDead {
      guard !item.isHolding else { return }
      let answer = transfer.leftover.isEmpty ? .taken : storeLeftover(of: transfer)
      guard !item.isHolding, !transfer.isDead else { continue }
      if let result = transfer.heldResult {
        transfer.heldResult = nil
        ended(transfer, result)
      } else if answer == .stop {
        loop.stop(transfer.exchange)
        ended(transfer, .stopped)
      } else if transfer.isPaused {
        transfer.isPaused = false
        loop.unpause(transfer.exchange)
      }
    }
  }

  private func storeLeftover(of transfer: Transfer) -> BodyAnswer {
    let bytes = transfer.takeLeftover()
    return bytes.withUnsafeBytes { store($0, of: transfer) }
  }
}
