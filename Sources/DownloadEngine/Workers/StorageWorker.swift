internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Syncs and publishes, or writes, on a thread of its own, for all engines of the process, so that neither network nor
/// hashing waits for the disk.
///
/// Small files are collected and synced as a group, because one sync costs about the same for one file as for a
/// thousand. The engine says when its group is closed.
final class StorageWorker: Sendable {
  let messages = Mailbox<WorkerMessage<StorageJob>>()

  /// The small files of one engine that wait for their names.
  private final class Group {
    let client: WorkerClient
    var files: [NamedItem] = []
    var isClosed = false

    init(_ client: WorkerClient) { self.client = client }

    var isDue: Bool { isClosed || files.count >= client.groupLimit || !client.syncs }

    func name() {
      defer {
        files.removeAll(keepingCapacity: true)
        isClosed = false
      }
      if files.isEmpty || client.isGone.isSet { return }
      let results = client.publisher.publishGroup(
        files.map(\.file), syncs: client.syncs, isStopped: { [client] in client.isGone.isSet })
      client.replies.post(
        zip(files, results).map { entry, result in
          .published(entry.item, verified: entry.file.verified, result)
        })
    }
  }

  /// The thread's body.
  func run() {
    var groups: [Group] = []
    var answers = WriteAnswers()
    while true {
      var hasEnded = false
      // Popped one by one, so that a lock is released with the last job that needs it.
      var left = Array(messages.waitForAll().reversed())
      while let message = left.popLast() {
        switch message {
        case .job(let job, let client): if !client.isGone.isSet { take(job, client, &groups, &answers) }
        case .fence(let fence, let client):
          answers.post()
          if let index = groups.firstIndex(where: { $0.client === client }) { groups.remove(at: index).name() }
          fence.pass()
        case .end: hasEnded = true
        }
      }
      answers.post()
      for group in groups where hasEnded || group.isDue { group.name() }
      if hasEnded { return }
    }
  }

  private func take(_ job: StorageJob, _ client: WorkerClient, _ groups: inout [Group], _ answers: inout WriteAnswers) {
    let replies = client.replies
    switch job {
    case .sync(let item, let order): order.perform { replies.post(sync(item, $0)) }
    case .record(let order):
      order.perform { if !$0.writeHasFailed.isSet { _ = try? $0.sidecar.recordWritten($0.record) } }
    case .create(let item, let place, let isNew, let record, let whole):
      do throws(Failure) {
        let sidecar = try SidecarFile.open(place, isNew: isNew)
        replies.post(.created(item, sidecar, try sidecar.begin(with: record, whole: whole)))
      } catch {
        replies.post(.creationFailed(item, error))
      }
    case .clear(let item, let part, let sidecar, let record, let whole):
      replies.post(clear(item, part, sidecar, record, whole))
    case .cut(let item, let part, let end):
      do {
        try part.cut(to: end)
        replies.post(.cleared(item, part))
      } catch {
        replies.post(.clearingFailed(item, error))
      }
    case .remove(let sidecar): sidecar.removeWithPart()
    case .removeUnfinished(let place): try? SidecarFile.openExisting(place)?.removeWithPart()
    case .removeRejected(let place): Publisher.removeRejected(beside: place)
    case .syncNames(let directories): for directory in directories { try? directory.sync() }
    case .close: break
    case .release(let task): replies.post(.released(task))
    case .setAside(let item, let part, let sidecar):
      do throws(PartOpenError) {
        replies.post(.setAside(item, .success(try client.publisher.setAside(part, sidecar: sidecar))))
      } catch {
        replies.post(.setAside(item, .failure(error)))
      }
    case .publish(let item, let part, let sidecar, let byteCount, let order, let syncs):
      let result: Result<FinishedFile?, PublicationError>
      do {
        result = .success(
          try client.publisher.publish(
            part, sidecar: sidecar, byteCount: byteCount, order, syncs: syncs, isStopped: { client.isGone.isSet }))
      } catch {
        result = .failure(error)
      }
      replies.post(.published(item, verified: order.attributes.digest, result))
    case .name(let files): group(of: client, &groups).files += files
    case .nameNow: group(of: client, &groups).isClosed = true
    case .write(let item, let part, let write): answers.add(Self.write(item, part, write), client)
    case .handOn(let job, let thread, let answer):
      thread.post(job)
      if let (item, number) = answer {
        answers.add(WriteAnswer(item: item, number: number, write: nil, error: nil, duration: .zero), client)
      }
    case .writeback(let part, let range): part.startWriteback(range)
    }
  }

  private static func write(_ item: ItemHandle, _ part: PartFile, _ write: BlockWrite) -> WriteAnswer {
    let began = Clock.now()
    var failure: SystemCallError?
    do { try part.write(write.block.bytes, at: write.offset) } catch {
      write.hasFailed.set()
      failure = error
    }
    return WriteAnswer(
      item: item, number: write.number, write: write, error: failure, duration: Clock.now() - began)
  }

  private func group(of client: WorkerClient, _ groups: inout [Group]) -> Group {
    if let known = groups.first(where: { $0.client === client }) { return known }
    let new = Group(client)
    groups.append(new)
    return new
  }

  private func sync(_ item: ItemHandle, _ files: FilesToSync) -> WorkerReply {
    let (part, sidecar) = (files.part, files.sidecar)
    var record = files.record
    do {
      try sidecar.syncName()
      // Where nothing can be synced, what is written counts until the next boot.
      guard try part.dataSync() else { return .synced(item, record.synced) }
      record.synced = record.written
      try sidecar.recordSynced(record)
      return .synced(item, record.synced)
    } catch {
      sidecar.keepSyncedOnly(after: error)
      return .syncFailed(item, error)
    }
  }

  private func clear(
    _ item: ItemHandle, _ part: PartFile?, _ sidecar: SidecarFile, _ record: SidecarRecord, _ whole: FilledBlock?
  ) -> WorkerReply {
    guard let part else {
      do { return .cleared(item, try sidecar.begin(with: record, whole: whole)) } catch {
        return .creationFailed(item, error)
      }
    }
    do { try sidecar.startOver(with: record) } catch { return .clearingFailed(item, error) }
    return .cleared(item, part)
  }
}

/// Answers of a writer that have not been posted yet: several wake the engine once.
private struct WriteAnswers {
  private var answers: [WriteAnswer] = []
  private var client: WorkerClient?
  private var since = Instant.distantFuture

  private static let mostAnswers = 16
  /// How long the first one may wait for others.
  private static let patience: Duration = .milliseconds(2)

  mutating func add(_ answer: WriteAnswer, _ client: WorkerClient) {
    if self.client !== client { post() }
    let now = Clock.now()
    if answers.isEmpty { since = now }
    answers.append(answer)
    self.client = client
    if answers.count == Self.mostAnswers || now - since > Self.patience { post() }
  }

  mutating func post() {
    guard let client, !answers.isEmpty else { return }
    client.replies.post(.wrote(answers))
    answers = []
    self.client = nil
  }
}
