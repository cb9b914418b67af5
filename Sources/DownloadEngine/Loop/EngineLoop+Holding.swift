internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Items that can take no bytes for a moment: their storage is clearing, a stream's reader is slow, or they have no name
/// yet.
///
/// taking ──discard, full outlet, question──► holding ──cleared, drained, decision──► taking
///
/// While an item is holding nothing of it is written or recorded. What its transfers bring stays in their buffers;
/// beyond that their exchanges pause, and one that ends is told to the machine later. Nothing waits meanwhile. A
/// transfer for which the writer has no room is treated alike.
extension EngineLoop {
  /// The storage thread has finished one clearing of the item.
  func cleared(_ handle: ItemHandle, _ part: PartFile) {
    guard let item = items[handle] else { return }
    item.storage?.cleared(part)
    goOn(item)
  }

  /// The storage thread has made the files of the item.
  func created(_ handle: ItemHandle, _ sidecar: SidecarFile, _ part: PartFile) {
    // The item has ended meanwhile, with nothing to go on from.
    guard let item = items[handle] else { return sidecar.removeWithPart() }
    item.storage?.created(sidecar, part)
    goOn(item)
  }

  func clearingFailed(_ handle: ItemHandle, _ error: Failure) {
    guard let item = items[handle] else { return }
    item.storage?.cleared(nil)
    storageFailed(item, error)
  }

  /// Writes the pending bytes of a stream as its reader accepts them.
  func watchOutlet(of item: ActiveItem) {
    guard case .stream(let output) = item.destination, output.outlet.isFull else { return }
    let outlet = output.outlet
    loop.watch(outlet.descriptor, .writable) { [unowned self, unowned item] in
      do throws(SystemCallError) { try outlet.drain() } catch {
        return storageFailed(item, StorageErrors.output(error))
      }
      guard !outlet.isFull else { return }
      loop.unwatch(outlet.descriptor)
      goOn(item)
    }
  }

  /// Continues the item's transfers after a hold. Must not be called from within libcurl's callbacks.
  func goOn(_ item: ActiveItem) {
    for transfer in transfers.of(item) { goOn(transfer) }
  }

  private func goOn(_ transfer: Transfer) {
    guard !transfer.item.isHolding, !transfer.isDead else { return }
    let answer = transfer.leftover.isEmpty ? .taken : storeLeftover(of: transfer)
    guard !transfer.item.isHolding, !transfer.isDead, transfer.leftover.isEmpty else { return }
    if let result = transfer.heldResult {
      transfer.heldResult = nil
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
