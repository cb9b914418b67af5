internal import DownloadCore
internal import DownloadFiles

/// How the files of an item end: closed, removed, or named.
extension ItemStorage {
  /// The item ends. Leaves what is left to the writer if the storage thread does nothing for the item now, because it may be
  /// syncing a large file of another one. A sync that has not begun is not wanted any more.
  func leaveToWriter() {
    guard isLeftToWriter == nil else { return }
    let (waiting, areUnderWay) = records.takeBackAll()
    isLeftToWriter = !isClearing && !areUnderWay
    waiting.forEach(postRecord)
  }

  /// Has the files closed after all jobs of the item, and its task released.
  func release(_ task: TaskID) {
    leaveToWriter()
    post(.close(part, sidecar))
    post(.release(task))
    (part, sidecar) = (nil, nil)
  }

  /// Has the storage thread remove everything: there is nothing to go on from.
  func removeAll() {
    leaveToWriter()
    if let sidecar, part != nil || isClearing || !outstanding.isEmpty { post(.remove(sidecar)) }
  }

  /// Has the storage thread remove everything, which may take long.
  func removeLater() {
    leaveToWriter()
    if let sidecar { post(.remove(sidecar)) }
    close()
  }

  /// Has the storage thread close the files.
  func close() {
    guard part != nil || sidecar != nil else { return }
    post(.close(part, sidecar))
    part = nil
    sidecar = nil
  }

  /// Has the whole part file synced and named; the storage thread answers.
  func publish(byteCount: Int64, _ order: PublishOrder) {
    guard let part else { return }
    post(.publish(item, part, sidecar, byteCount: byteCount, order, syncs: syncs))
  }

  /// Has the part file get another name, by which the user finds it; the storage thread answers.
  func setAside() {
    leaveToWriter()
    guard let part else { return }
    post(.setAside(item, part, sidecar))
    (self.part, sidecar) = (nil, nil)
  }
}
