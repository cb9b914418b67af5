internal import DownloadCore
internal import DownloadFiles

/// What full file systems mean for items: those there stop, those elsewhere go on.
extension EngineLoop {
  /// An item met a full file system: the others there end, resumable, and none begins there any more.
  func stopItems(onFileSystemOf directory: DirectoryHandle, _ error: Failure) {
    place.space.filled(directory, error)
    for item in Array(items.values) where items[item.handle] === item && !machine.isPublishing(item.handle) {
      guard case .file(let target) = item.destination, place.space.isFull(at: target) else { continue }
      recordNow(item)
      end.unfinished.append(unfinishedOutcome(of: item))
      forget(item)
      leave(item.task, item.handle)
    }
  }

  /// Reserves the space that the rest of a file of this length needs, until the item ends.
  func claimSpace(for length: Int64, of item: ActiveItem, at target: TargetPlace) -> Failure? {
    place.space.claim(length, for: item.handle, at: target) { machine.done(of: $0).byteCount }
  }

  /// Fails items of unknown length when only the reserve is left: nothing else bounds them.
  func checkSpace() {
    for item in Array(items.values) where item.completeLength == nil && item.hasPart {
      guard case .file(let target) = item.destination, let free = FreeSpace(in: target.directory), free.isExhausted
      else { continue }
      storageFailed(item, Failure(.spaceExhausted(DiskSpace(free))))
    }
  }
}

extension ExistingTargetPolicy.Decision {
  /// Whether bytes are going to be written.
  var needsSpace: Bool {
    switch self {
    case .download, .update: true
    case .keep, .hash, .compareLength, .refuse: false
    }
  }

  /// Whether servers are asked at once, which takes a place.
  var asksServers: Bool {
    switch self {
    case .download, .update, .compareLength: true
    case .keep, .hash, .refuse: false
    }
  }
}
