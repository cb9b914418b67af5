internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// The end of the work: what is saved, counted and named.
extension EngineLoop {
  /// Saves, waits for the threads, and counts.
  func finish() -> RunEnd {
    if state.endsEarly {
      state.workers.client.isHashingStopped.set()
      saveAll()
      state.gate.forgetAll()
    }
    verifyCommands.stop(hearing: inbox)
    let areJobsDone = state.workers.stop(hearing: inbox)
    handleLastReplies()
    if areJobsDone { itemRunner.releases.answerAll() } else { state.end.unreleased = itemRunner.unreleased }
    judgeStop()
    if state.settings.secrets.cookies != nil { state.end.cookies = transferRunner.loop.cookies }
    state.end.unfinished += state.items.values.map { itemRunner.savedOutcome(of: $0, isWritten: areJobsDone) }
    state.end.progress = progress()
    let isLeftOpen = state.endsEarly || state.place.space.error != nil
    if state.end.stoppedBy == nil { state.end.stoppedBy = state.place.space.error }
    if isLeftOpen { countUnfinished() }
    if state.end.stoppedBy != nil { admission.nameUnstarted() }
    state.tellEvents()
    return state.end
  }

  /// The workers have finished: what they were about to do at the time of the order may have been all that was left.
  private func judgeStop() {
    guard state.end.wasStopped || state.queue.finishes else { return }
    state.end.wasStopped = !state.isNothingLeft
    guard let reason = inbox.stop.reason, state.end.stoppedBy == reason else { return }
    if state.end.wasStopped { state.end.failureCodes.insert(reason.code) } else { state.end.stoppedBy = nil }
  }

  /// Handles the workers' last replies, so that every published file is counted.
  private func handleLastReplies() {
    for reply in state.workers.client.replies.takeAll() {
      switch reply {
      case .published, .smallFailed, .existingRight, .setAside, .released: handle(reply)
      case .created(_, let sidecar, _): sidecar.removeWithPart()
      default: break
      }
    }
  }

  private func countUnfinished() {
    let unfinished = state.end.unfinished.count + state.queue.waiting(for: .otherRun).count
    state.end.progress.unfinishedCount = unfinished
    state.end.progress.unstartedCount = max(
      0, (state.end.progress.itemCount ?? 0) - state.meter.endedCount - unfinished)
  }

  /// Stops all transfers and records everything for the next run.
  private func saveAll() {
    for transfer in Array(transferRunner.transfers.all) {
      transferRunner.loop.stop(transfer.exchange)
      transferRunner.tellReceived(transfer)
      if !transfer.isDead { transferRunner.flush(transfer) }
    }
    for item in state.items.values {
      itemRunner.recordNow(item)
      // Closing may take long on a network file system. What gets its name is closed after that.
      if !state.machine.isPublishing(item.handle) { item.storage?.close() }
    }
    transferRunner.transfers.removeAll()
  }
}
