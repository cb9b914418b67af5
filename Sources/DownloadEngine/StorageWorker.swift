internal import DownloadCore
internal import FileStore

/// Syncs and publishes on a thread of its own, so that neither network nor hashing waits for the disk.
///
/// Small files are collected and synced as a group, because one sync costs about the same for one file as for a
/// thousand. The engine says when a group is closed.
final class StorageWorker: Sendable {
  let jobs = Mailbox<StorageJob>()
  private let replies: Mailbox<WorkerReply>
  private let publisher: Publisher
  private let syncs: Bool
  private let groupLimit: Int

  /// - Parameter groupLimit: the maximum size of a group; each file holds a descriptor until it has its name.
  init(replies: Mailbox<WorkerReply>, publisher: Publisher, syncs: Bool, groupLimit: Int) {
    self.replies = replies
    self.publisher = publisher
    self.syncs = syncs
    self.groupLimit = groupLimit
  }

  /// The thread's body.
  func run() {
    var group: [(item: ItemHandle, file: StagedFile)] = []
    while true {
      var isTime = false
      var hasEnded = false
      // Popped one by one, so that a lock is released with the last job that needs it.
      var left = Array(jobs.waitForAll().reversed())
      while let job = left.popLast() {
        switch job {
        case .sync(let item, let part, let sidecar, let record):
          replies.post(sync(item, part, sidecar, record))
        case .clear(let item, let part, let sidecar, let record): replies.post(clear(item, part, sidecar, record))
        case .remove(let sidecar): sidecar.removeWithPart()
        case .removeUnfinished(let place): try? SidecarFile.openExisting(place)?.removeWithPart()
        case .close: break
        case .release(let task): replies.post(.released(task))
        case .publish(
          let item, let part, let sidecar, let byteCount, let attributes, let modified, let syncs, let isReplacing):
          let result: Result<FinishedFile?, PublicationError>
          do {
            result = .success(
              try publisher.publish(
                part, sidecar: sidecar, byteCount: byteCount, attributes: attributes, modified: modified, syncs: syncs,
                isReplacing: isReplacing))
          } catch {
            result = .failure(error)
          }
          replies.post(.published(item, verified: attributes.digest, result))
        case .name(let item, let file): group.append((item, file))
        case .nameNow: isTime = true
        case .writeback(let part, let range): part.startWriteback(range)
        case .end: hasEnded = true
        }
      }
      if isTime || hasEnded || group.count >= groupLimit || !syncs {
        name(group)
        group.removeAll(keepingCapacity: true)
      }
      if hasEnded { return }
    }
  }

  private func sync(
    _ item: ItemHandle, _ part: PartFile, _ sidecar: SidecarFile, _ record: SidecarRecord
  ) -> WorkerReply {
    do {
      try sidecar.syncName()
      var record = record
      // Where nothing can be synced, what is written counts until the next boot.
      guard try part.dataSync() else { return .synced(item, record.synced) }
      record.synced = record.written
      try sidecar.recordSynced(record)
      return .synced(item, record.synced)
    } catch {
      return .syncFailed(item, error)
    }
  }

  private func clear(
    _ item: ItemHandle, _ part: PartFile?, _ sidecar: SidecarFile, _ record: SidecarRecord
  ) -> WorkerReply {
    do throws(PartOpenError) {
      do { try sidecar.startOver(with: record) } catch { throw .systemCall(error) }
      if let part { return .cleared(item, part) }
      return .cleared(item, try PartFile.create(sidecar.place))
    } catch {
      return .clearingFailed(item, error)
    }
  }

  private func name(_ group: [(item: ItemHandle, file: StagedFile)]) {
    guard !group.isEmpty else { return }
    let results = publisher.publishGroup(group.map(\.file), syncs: syncs)
    replies.post(
      zip(group, results).map { entry, result in
        .published(entry.item, verified: entry.file.verified, result)
      })
  }
}
