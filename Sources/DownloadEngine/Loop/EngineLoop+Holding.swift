internal import DownloadCore
internal import FileStore
internal import Transport

/// Items that can take no bytes for a moment: their storage is clearing, a stream's reader is slow, or they have no name
/// yet.
///
/// taking ──discard, full outlet, question──► holding ──cleared, drained, decision──► taking
///
/// While an item is holding nothing of it is written or recorded. What its transfers bring stays in their buffers;
/// beyond that their exchanges pause, and one that ends is told to the machine later. Nothing waits meanwhile.
extension EngineLoop {
  /// The storage thread has finished one clearing of the item.
  func cleared(_ handle: ItemHandle, _ part: PartFile) {
    guard let item = items[handle] else { return }
    item.storage?.cleared(part)
    goOn(item)
  }

  func clearingFailed(_ handle: ItemHandle, _ error: PartOpenError) {
    guard let item = items[handle] else { return }
    item.storage?.cleared(nil)
    storageFailed(item, StorageErrors.opening(error))
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
