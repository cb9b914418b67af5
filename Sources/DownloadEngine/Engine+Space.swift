internal import DownloadCore
internal import FileStore

/// Compares the space that active files still need with the free space.
///
/// A file that does not fit fails alone. A full file system stops the items there; those elsewhere go on.
extension Engine {
  /// An item met a full file system: the others there end, resumable, and none begins there any more.
  func stopItems(onFileSystemOf directory: DirectoryHandle, _ error: DownloadError) {
    inspector.fullFileSystems.add(directory, error)
    for item in Array(items.values) where items[item.handle] === item && !machine.isPublishing(item.handle) {
      guard case .file(let place) = item.destination, inspector.fullFileSystems.contains(place) else { continue }
      recordNow(item)
      end.unfinished.append(unfinishedOutcome(of: item))
      forget(item)
      leave(item.task, item.handle)
    }
  }

  /// Reserves the space that the rest of a file of this length needs, until the item ends.
  ///
  /// - Returns: an error if there is not enough; `diskFull` if the file system has none left for anyone.
  func claimSpace(for length: Int64, of item: ActiveItem, at place: TargetPlace) -> DownloadError? {
    guard let free = FreeSpace(in: place.directory) else { return nil }
    let needed = length - machine.done(of: item.handle).byteCount
    guard needed > 0 else { return nil }
    if free.isExhausted { return DownloadError(.spaceExhausted(DiskSpace(free))) }
    let claimed = claimedByteCount(besides: item, onDeviceOf: place)
    guard needed > free.usableByteCount - claimed else {
      storage(of: item, at: place).claimedLength = length
      return nil
    }
    return DownloadError(.spaceShort(needed: needed, claimed: claimed, DiskSpace(free)))
  }

  /// The bytes that the other active files on the same file system still have to write. Each of them fits, so their sum
  /// does not overflow.
  private func claimedByteCount(besides item: ActiveItem, onDeviceOf place: TargetPlace) -> Int64 {
    let device = try? place.directory.device
    return items.values.reduce(0) { sum, other in
      guard other !== item, let length = other.storage?.claimedLength, case .file(let place) = other.destination,
        (try? place.directory.device) == device
      else { return sum }
      return sum + max(0, length - machine.done(of: other.handle).byteCount)
    }
  }

  /// Fails items of unknown length when only the reserve is left: nothing else bounds them.
  func checkSpace() {
    for item in Array(items.values) where item.completeLength == nil && item.hasPart {
      guard case .file(let place) = item.destination, let free = FreeSpace(in: place.directory), free.isExhausted
      else { continue }
      storageFailed(item, DownloadError(.spaceExhausted(DiskSpace(free))))
    }
  }
}

extension DiskSpace {
  fileprivate init(_ space: FreeSpace) { self.init(free: space.availableByteCount, reserve: space.reserve) }
}

extension ExistingTargetPolicy.Decision {
  /// Whether bytes are going to be written.
  var needsSpace: Bool {
    switch self {
    case .download, .update: true
    case .keep, .hash, .compareLength, .refuse: false
    }
  }
}
