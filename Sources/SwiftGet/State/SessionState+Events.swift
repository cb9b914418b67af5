internal import DownloadCore
internal import DownloadEngine
internal import DownloadFiles
internal import DownloadWords

/// What the engine's events change.
extension SessionState {
  /// - Parameter place: what identifies the file of a path, which has just got its name.
  mutating func take(
    _ events: [EngineEvent], _ moment: Moment, _ effects: inout StateEffects, place: ([UInt8]) -> PlacedFile?
  ) {
    for event in events {
      switch event {
      case .started(let id, let name, _): started(id, name, moment, &effects)
      case .noticed(let notice): noticed(notice, moment, &effects)
      case .ended(let outcome): ended(outcome, moment, &effects, place: place)
      case .progressed(let progress), .status(let progress): progressed(progress, moment, &effects)
      }
    }
    prune(&effects)
  }

  private mutating func started(_ id: TaskID, _ name: [UInt8], _ moment: Moment, _ effects: inout StateEffects) {
    guard let record = records[id], !record.isSettled else { return }
    // The answer may have named the file.
    let path = [UInt8(ascii: "/")] + name
    if !record.hasPath(path) || record.packed.isNamedByAnswer { rename(record, path, &effects) }
    begun[id] = 0
    change(id, moment, &effects) { record in
      record.phase = .running
      if record.startedSince1970 == nil { record.startedSince1970 = moment.wall }
    }
  }

  private mutating func rename(_ record: TaskRecord, _ path: [UInt8], _ effects: inout StateEffects) {
    records.retarget(record.id, to: path)
    records[record.id]?.move(to: path)
    if let row = storedRequest(of: record.id) { effects.rows.append(row) }
  }

  private mutating func noticed(_ notice: Notice, _ moment: Moment, _ effects: inout StateEffects) {
    guard let id = notice.task, let record = records[id], !record.isSettled else { return }
    let wait: DownloadTaskWait
    switch notice.remark {
    case .heldElsewhere(let process): wait = .busyTarget(process: process)
    case .targetAppeared: wait = .busyTarget(process: nil)
    case .failed(let error) where error.isOfSpace: wait = .diskFull
    case .retrying, .mismatch, .unconfirmed:
      records[id]?.failedAttempts += 1
      return
    default: return
    }
    waits(id, for: wait, nil, moment, &effects)
  }

  /// The task has left its place, and waits.
  ///
  /// - Parameter remaining: for how long; nil if nobody knows.
  private mutating func waits(
    _ id: TaskID, for wait: DownloadTaskWait, _ remaining: Duration?, _ moment: Moment, _ effects: inout StateEffects
  ) {
    begun[id] = nil
    change(id, moment, &effects) { record in
      record.halt(for: wait)
      record.wait(remaining, moment)
    }
  }

  private mutating func ended(
    _ outcome: Outcome, _ moment: Moment, _ effects: inout StateEffects, place: ([UInt8]) -> PlacedFile?
  ) {
    let id = outcome.task
    guard let record = records[id] else { return }
    begun[id] = nil
    if case .withdrawn(.removed) = outcome.result {
      remove(id, moment, &effects)
      return
    }
    let path = [UInt8(ascii: "/")] + outcome.name
    if !record.hasPath(path) { rename(record, path, &effects) }
    let phase: TaskRecord.Phase
    var placed: PlacedFile?
    switch outcome.result {
    case .downloaded, .kept:
      phase = .succeeded(
        DownloadedFile(
          DownloadedFile.Fields(
            pathBytes: path, size: outcome.byteCount, verified: outcome.verified.map { StatedChecksum($0) },
            wasKept: outcome.result == .kept)))
      if outcome.result == .downloaded { placed = place(path) } else { placed = record.placed }
    case .failed(let failure):
      phase = .failed(
        DownloadError(
          failure, of: id, url: outcome.location, path: String(decoding: path, as: UTF8.self), status: outcome.status))
    case .withdrawn: phase = .cancelled
    case .unfinished: return
    }
    change(id, moment, &effects) { record in
      record.phase = phase
      record.isPaused = false
      record.rate = 0
      record.connections = 0
      record.isResumable = true
      record.endedSince1970 = moment.wall
      if record.startedSince1970 == nil { record.startedSince1970 = moment.wall }
      record.head = outcome.transfers.lastAnswer.map { ResponseHead($0) }
      record.placed = placed
      record.bytes = outcome.byteCount
      if case .succeeded = phase { record.total = outcome.byteCount }
    }
    guard let leaving = record.leaves else { return }
    if leaving == .deletingFile, let placed { effects.deletions.append((path, placed)) }
    remove(id, moment, &effects)
  }

  /// The engine has forgotten a task by order.
  mutating func remove(_ id: TaskID, _ moment: Moment, _ effects: inout StateEffects) {
    let wasUnsettled = records[id].map { !$0.isSettled } ?? false
    guard let record = forget(id) else { return }
    if storage != nil { effects.rows.append(.forget(id)) }
    history.remove(id)
    tellRemoval(record, &effects)
    if wasUnsettled { tellIdle(record.group, &effects) }
  }

  private mutating func progressed(_ progress: RunProgress, _ moment: Moment, _ effects: inout StateEffects) {
    var seen: Set<TaskID> = []
    for file in progress.active {
      guard let record = records[file.task], !record.isSettled else { continue }
      seen.insert(file.task)
      begun[file.task] = 0
      let phase: TaskRecord.Phase
      switch file.phase {
      case .waiting where progress.isOffline, .retrying where progress.isOffline: phase = .waiting(.network)
      case .waiting: phase = .waiting(.host)
      case .retrying: phase = .waiting(.retry)
      case .connecting, .receiving: phase = .running
      case .verifying, .publishing: phase = .verifying
      }
      let isProgress = record.phase == phase
      change(file.task, moment, &effects, isProgress: isProgress) { record in
        record.phase = phase
        record.bytes = file.doneByteCount
        record.total = file.completeLength ?? record.packed.expectedSize
        record.rate = Int64(max(0, min(file.rate, 9e18)))
        record.connections = file.connectionCount
        record.isResumable = file.isResumable
        record.lastError = file.fault.map(FaultMessages.message)
        record.wait(file.remaining, moment)
      }
    }
    // A small file whose name is still missing is in no report, and so is one that has gone back to the queue.
    for (id, missedCount) in begun where !seen.contains(id) {
      begun[id] = missedCount + 1
      if missedCount == 1 { effects.questions.append(id) }
    }
    tellTotals(moment, &effects)
  }

  /// What the engine says of tasks that are in no report.
  mutating func described(_ descriptions: [TaskDescription], _ moment: Moment, _ effects: inout StateEffects) {
    for description in descriptions {
      let wait: DownloadTaskWait
      var remaining: Duration?
      switch description.activity {
      case .queued(.host):
        remaining = description.hosts.first?.remaining
        wait = .host
      case .queued: wait = .slot
      case .waiting(let reason, let time):
        remaining = time
        wait =
          switch reason {
          case .otherRun: .busyTarget(process: nil)
          case .fullDisk: .diskFull
          case .time: .retry
          case .ownFiles: .checking
          }
      case .inspecting, .active, .settled: continue
      }
      guard let record = records[description.task], !record.isSettled else { continue }
      if case .waiting(.busyTarget) = record.phase, case .busyTarget = wait { continue }
      waits(description.task, for: wait, remaining, moment, &effects)
    }
  }
}

extension TaskRecord {
  /// It waits for this long from now; nil if it does not, or if nobody knows how long. A time that is known already stays
  /// if it is as good.
  fileprivate mutating func wait(_ remaining: Duration?, _ moment: Moment) {
    let end = remaining.map { moment.wall + $0 }
    if let end, let known = self.waitEndSince1970, abs((end - known).wholeMilliseconds) < 1000 { return }
    self.waitEndSince1970 = end
  }
}

extension ResponseHead {
  /// What may be shown of an answer.
  init(_ answer: ServerAnswer) {
    self.init(
      status: answer.status, url: answer.location.withoutQuery, contentCoding: answer.contentCoding,
      contentType: answer.contentType, contentLength: answer.contentLength, entityTag: answer.entityTag?.text,
      lastModifiedSince1970: answer.lastModified.map { .seconds($0) })
  }
}
