internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Does what the machines want of items: their content, records, names and ends.
final class ItemRunner: TransferClient {
  let state: EngineState
  let transferRunner: TransferRunner
  let inspector: TargetInspector
  /// Whether a policy judges all files.
  private let isValidated: Bool
  var releases = FileReleases()
  /// Items that start over under the names that their answers gave them. Their transfers are dropped first, which is not
  /// possible within libcurl's callbacks.
  var renamed: [ActiveItem] = []
  var smallFiles: SmallFileBatcher
  /// Whether a limit of the time for a file may hold.
  var limitsTimes = false

  init(_ state: EngineState, _ transferRunner: TransferRunner, _ inspector: TargetInspector, isValidated: Bool) {
    self.state = state
    self.transferRunner = transferRunner
    self.inspector = inspector
    self.isValidated = isValidated
    smallFiles = SmallFileBatcher(workers: state.workers, now: state.now)
  }

  // MARK: Content

  func adopt(_ representation: Representation, _ item: ActiveItem) {
    item.completeLength = representation.completeLength
    guard let length = representation.completeLength, case .file(let target) = item.destination else { return }
    if length > SegmentBuffer.byteCount, let error = claimSpace(for: length, of: item, at: target) {
      storageFailed(item, error)
    }
  }

  func discardContent(of item: ActiveItem) {
    if case .stream(let output) = item.destination, output.byteCount > 0 {
      do throws(Failure) { try output.startOver() } catch { return storageFailed(item, error) }
    }
    item.forgetContent()
    state.place.space.release(item.handle)
    item.storage?.discardAll(state.machine.knowledge(of: item.handle))
  }

  func storageFailed(_ item: ActiveItem, _ error: Failure) {
    state.feed { $0.storageFailed(item.handle, error, &$1) }
  }

  /// Starts hashing the item's part file behind the writer, if a digest is expected or recorded.
  func follow(_ item: ActiveItem) {
    guard let storage = item.storage, let part = storage.part, !storage.hashes.isFollowing else { return }
    storage.hashes.follow(
      part,
      state.machine.expectedDigests(of: item.handle).algorithms(
        and: state.settings.target.computedAlgorithms(for: item.request)),
      of: item.handle,
      contiguousEnd: state.machine.contiguousEnd(of: item.handle))
  }

  /// Returns the item's storage, and creates it on the first call.
  func storage(of item: ActiveItem, at target: TargetPlace) -> ItemStorage {
    if let storage = item.storage { return storage }
    let storage = ItemStorage(
      item: item.handle, url: item.request.originalURL, mirrors: item.mirrors, at: target, workers: state.workers,
      syncs: state.settings.target.syncs, isNew: item.existing == .absent, now: state.now)
    item.storage = storage
    return storage
  }

  /// The storage thread has finished one clearing of the item.
  func cleared(_ handle: ItemHandle, _ part: PartFile) {
    guard let item = state.items[handle] else { return }
    item.storage?.cleared(part)
    goOn(item)
  }

  /// The storage thread has made the files of the item.
  func created(_ handle: ItemHandle, _ sidecar: SidecarFile, _ part: PartFile) {
    // The item has ended meanwhile, with nothing to go on from.
    guard let item = state.items[handle] else { return sidecar.removeWithPart() }
    item.storage?.created(sidecar, part)
    goOn(item)
  }

  private func goOn(_ item: ActiveItem) {
    if item.content.partUse != nil { usePart(of: item) } else { transferRunner.goOn(item) }
  }

  func clearingFailed(_ handle: ItemHandle, _ error: Failure) {
    guard let item = state.items[handle] else { return }
    item.storage?.cleared(nil)
    creationFailed(item, error)
  }

  func creationFailed(_ item: ActiveItem, _ error: Failure) {
    guard case .settingAside(let failure) = item.content.partUse else { return storageFailed(item, error) }
    state.notice(item, .warning, .failed(error))
    fail(item, failure)
  }

  // MARK: Pieces

  /// Sends a complete piece to a hash worker. Both workers share the pieces of a file.
  func verify(_ check: PieceCheck, of item: ActiveItem) {
    guard let part = item.storage?.part else { return }
    state.workers.hasher(of: check).post(.piece(item.handle, part, check))
  }

  func hashed(_ check: PieceCheck, actual: ContentDigest, of item: ActiveItem) {
    var actions: [RunAction] = []
    if actual == check.expected {
      state.machine.pieceVerified(item.handle, check, &actions)
      item.storage?.hashes.advance(to: state.machine.contiguousEnd(of: item.handle), of: item.handle)
    } else {
      state.machine.pieceMismatched(item.handle, check, actual: actual, now: state.now, &actions)
    }
    state.performer.perform(actions)
  }

  /// Discards a piece whose digest is wrong.
  func discard(_ range: Range<Int64>, of item: ActiveItem) {
    item.storage?.discard(
      range, written: state.machine.done(of: item.handle), state.machine.knowledge(of: item.handle))
  }

  // MARK: Records

  /// Records or syncs the written ranges if the checkpoint policy says so.
  func checkpoint(_ item: ActiveItem) {
    guard let storage = item.storage, !state.machine.isPublishing(item.handle) else { return }
    do {
      try storage.checkpoint(
        written: state.machine.done(of: item.handle), state.machine.knowledge(of: item.handle), now: state.now)
    } catch {
      state.notice(item, .detail, .failed(StorageErrors.recording(error)))
    }
  }

  /// - Parameter isLast: whether its files are released then.
  func recordNow(_ item: ActiveItem, isLast: Bool = false) {
    guard let storage = item.storage, !state.machine.isPublishing(item.handle) else { return }
    do {
      try storage.recordNow(
        written: state.machine.done(of: item.handle), state.machine.knowledge(of: item.handle), isLast: isLast,
        isWanted: { transferRunner.transfers[$0] != nil })
    } catch {
      state.notice(item, .detail, .failed(StorageErrors.recording(error)))
    }
  }

  // MARK: Settings

  /// The settings for the item's file.
  func fileSettings(of item: ActiveItem) -> FileSettings {
    var file = item.request.settings?.over(state.machine.fileSettings) ?? state.machine.fileSettings
    if state.settings.target.refusesCodings, !state.settings.asksOnly { file.nameForCodings = item.name }
    file.isJudged = isJudged(item.request)
    if case .stream = item.destination {
      file.maxConnections = 1
      file.canHashLate = false
    }
    return file
  }

  /// Whether somebody is asked before the file gets its name.
  func isJudged(_ request: FileRequest) -> Bool {
    isValidated || state.settings.target.verifyCommand(for: request) != nil
  }

  func attributes(of item: ActiveItem) -> FileAttributes {
    // Without a mark the next run asks again.
    if state.machine.file(item.handle)?.machine.isDoubtful == true { return FileAttributes() }
    // The entity tag is recorded only for later runs with --timestamping, which send it as a condition.
    let entityTag =
      state.settings.target.timestamping(for: item.request)
      ? state.machine.knowledge(of: item.handle).validators.first.flatMap { $0?.entityTag } : nil
    return FileAttributes(
      originURL: item.url.withoutQuery, digest: item.content.verified, urlHash: item.urlHash, entityTag: entityTag)
  }

  // MARK: Time

  /// When a file's time is over, if nothing else wakes the loop before that.
  var nextLateTime: Instant {
    guard limitsTimes, transferRunner.loop.exchangeCount == 0 else { return .distantFuture }
    var earliest = Instant.distantFuture
    for item in state.items.values where !state.machine.isPublishing(item.handle) {
      if let time = item.maxTime(state.settings.limits) {
        earliest = min(earliest, item.startedAt + time + .milliseconds(1))
      }
    }
    return earliest
  }

  func endLate() {
    guard limitsTimes else { return }
    for item in Array(state.items.values) {
      guard let maxTime = item.maxTime(state.settings.limits), state.now - item.startedAt > maxTime,
        !state.machine.isPublishing(item.handle)
      else { continue }
      let lastFault = state.machine.lastFault(of: item.handle)
      storageFailed(item, Failure(.deadline(lastFault: lastFault, hasReceived: item.traffic.received.total > 0)))
    }
  }

  // MARK: Space

  /// Reserves the space that the rest of a file of this length needs, until the item ends.
  func claimSpace(for length: Int64, of item: ActiveItem, at target: TargetPlace) -> Failure? {
    state.place.space.claim(length, for: item.handle, at: target) { state.machine.done(of: $0).byteCount }
  }

  /// Fails items of unknown length when only the reserve is left: nothing else bounds them.
  func checkSpace() {
    for item in Array(state.items.values) where item.completeLength == nil && item.hasPart {
      guard case .file(let target) = item.destination, let free = FreeSpace(in: target.directory), free.isExhausted
      else { continue }
      storageFailed(item, Failure(.spaceExhausted(DiskSpace(free))))
    }
  }
}
