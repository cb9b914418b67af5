internal import DownloadCore
internal import DownloadFiles

/// The end of the work: what is saved, counted and named.
extension EngineLoop {
  /// The workers have finished: what they were about to do at the time of the order may have been all that was left.
  func settleStop() {
    guard end.wasStopped || queue.finishes else { return }
    end.wasStopped = !isNothingLeft
    guard let reason = inbox.stop.reason, end.stoppedBy == reason else { return }
    if end.wasStopped { end.failureCodes.insert(reason.code) } else { end.stoppedBy = nil }
  }

  /// Handles the workers' last replies, so that every published file is counted.
  func settleReplies() {
    for reply in workers.client.replies.takeAll() {
      switch reply {
      case .published, .smallFailed, .existingRight, .released: handle(reply)
      case .created(_, let sidecar, _): sidecar.removeWithPart()
      default: break
      }
    }
  }

  func countUnfinished() {
    let unfinished = end.unfinished.count + queue.waiting(for: .otherRun).count
    end.progress.unfinishedCount = unfinished
    end.progress.unstartedCount = max(0, (end.progress.itemCount ?? 0) - meter.endedCount - unfinished)
  }

  /// Tasks that never began are named one by one up to this number.
  static let mostNamed = 20

  /// Names tasks that never began.
  func nameUnstarted() {
    let begun = Set(items.values.map(\.task))
    let unbegun =
      (left
      + requests.takeUnbegun(atMost: Self.mostNamed - left.count) { task in
        queue.isQueued(task) || queue.handle(of: task) != nil && !begun.contains(task)
      }).sorted { $0.task < $1.task }
    for request in unbegun.prefix(Self.mostNamed) {
      tell(.noticed(Notice(task: request.task, name: request.target.name, level: .warning, .notStarted)))
    }
    let others = end.progress.unstartedCount - min(unbegun.count, Self.mostNamed)
    if !unbegun.isEmpty, others > 0 { notice(nil, .warning, .othersNotStarted(others)) }
  }

  /// Stops all transfers and records everything for the next run.
  func saveAll() {
    for transfer in Array(transfers.all) {
      loop.stop(transfer.exchange)
      report(transfer)
      if !transfer.isDead { flush(transfer) }
    }
    for item in items.values {
      recordNow(item)
      // Closing may take long on a network file system. What gets its name is closed after that.
      if !machine.isPublishing(item.handle) { item.storage?.close() }
    }
    transfers.removeAll()
  }
}
