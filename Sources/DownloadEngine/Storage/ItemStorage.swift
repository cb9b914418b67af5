internal import DownloadCore
internal import FileStore

/// The bytes of one item before they have their name: its part file and its sidecar, and when they are recorded.
///
/// closed ──open──► locked ──create, resume──► storing ──discard──► clearing ──cleared──► storing
///
/// While it is clearing, records are being put out of force: nothing is written or recorded, and nothing waits.
/// Touched by the loop's thread only; the storage thread gets what it needs in messages.
final class ItemStorage {
  /// A mirror, and what is written of it.
  private struct Source {
    let location: Location
    var written = ByteRangeSet()
  }

  let place: TargetPlace
  private let publisher: Publisher
  /// The thread that has the jobs of this item, in their order.
  let thread: WorkerPort<StorageJob>
  private let syncs: Bool
  /// Whether nothing had the target's name when it was inspected.
  private let isNew: Bool
  private(set) var sidecar: SidecarFile?
  private(set) var part: PartFile?
  private var policy: CheckpointPolicy
  /// On stable storage, as the newest synced record says.
  private var synced = ByteRangeSet()
  /// By the numbers that the machine gives the mirrors.
  private var sources: [Source]
  /// Whether the record of an earlier run stays in force, which names another URL, because no answer has shown yet that its
  /// bytes are of this one.
  private var keepsFormerRecord = false
  /// Jobs of the storage thread that put records out of force.
  private var clearingCount = 0
  var hashes: HashFeed

  /// The kernel is asked to begin writing back every so many bytes, so that the sync at the end finds little left.
  private static let writebackStep: Int64 = 8 << 20

  /// - Parameters:
  ///   - mirrors: by the numbers that the machine gives them.
  ///   - syncs: whether data is brought to stable storage.
  ///   - isNew: whether nothing had the target's name when it was inspected.
  init(
    item: ItemHandle, mirrors: [Location], at place: TargetPlace, workers: Workers, syncs: Bool, isNew: Bool,
    now: Instant
  ) {
    self.place = place
    publisher = workers.client.publisher
    thread = workers.storage(of: place.directory)
    self.syncs = syncs
    self.isNew = isNew
    policy = CheckpointPolicy(now: now)
    sources = mirrors.map { Source(location: $0) }
    hashes = HashFeed(worker: workers.hasher(of: item))
  }

  /// Further mirrors may supply bytes.
  func join(_ locations: [Location]) { sources += locations.map { Source(location: $0) } }

  /// Whether something is written that is not recorded, or not synced.
  var isUnrecorded: Bool { policy.isUnrecorded }

  /// Nothing may be written now.
  var isClearing: Bool { clearingCount > 0 }

  // MARK: Beginning

  /// Takes the lock on the target.
  ///
  /// - Throws: `targetTaken` where another run has published the file between the inspection and the lock.
  func open() throws(DownloadError) {
    guard sidecar == nil else { return }
    let opened: SidecarFile
    do { opened = try SidecarFile.open(place) } catch { throw StorageErrors.locked(error) }
    var found = ExistingTarget.absent
    if isNew { do { found = try ExistingTarget.inspect(place) } catch { throw StorageErrors.inspecting(error) } }
    guard found == .absent else {
      opened.removeWithPart()
      throw DownloadError(.targetTaken(by: .newFile))
    }
    sidecar = opened
  }

  /// Makes an empty part file and a record that claims nothing, unless there is a part file. Where the record takes the
  /// place of an earlier run's, the storage thread does so and answers.
  ///
  /// - Parameter waits: whether it is done here in any case, and waits for the disk.
  func create(
    _ item: ItemHandle, _ knowledge: @autoclosure () -> VersionKnowledge, waits: Bool = false
  ) throws(DownloadError) {
    guard part == nil, !isClearing else { return }
    try open()
    if !waits, let sidecar, !sidecar.isNew { return clear(item, written: ByteRangeSet(), knowledge()) }
    do { try sidecar?.startOver(with: record(written: ByteRangeSet(), knowledge())) } catch {
      sidecar?.removeIfNew()
      throw StorageErrors.recording(error)
    }
    do { part = try PartFile.create(place) } catch {
      // It claims nothing any more.
      sidecar?.removeWithPart()
      throw StorageErrors.opening(error)
    }
  }

  /// Goes on with what an earlier run left.
  ///
  /// - Parameters:
  ///   - done: what counts of it.
  ///   - mirror: where it came from.
  ///   - isOfOtherURL: whether the mirror only takes the place of another URL.
  func resume(_ part: PartFile, synced: ByteRangeSet, done: ByteRangeSet, mirror: Int, isOfOtherURL: Bool) {
    self.part = part
    self.synced = synced
    keepsFormerRecord = isOfOtherURL
    sources[mirror].written = done
  }

  // MARK: Writing

  /// Writes what is not there yet. What is recorded is never written over: it may have been verified, and this mirror
  /// may have other bytes.
  func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64, keeping done: ByteRangeSet, mirror: Int
  ) throws(SystemCallError) {
    keepsFormerRecord = false
    for range in try part?.write(bytes, at: offset, keeping: done) ?? [] { sources[mirror].written.insert(range) }
    policy.wrote(Int64(bytes.count))
    startWriteback(offset..<(offset + Int64(bytes.count)))
  }

  private func startWriteback(_ range: Range<Int64>) {
    guard syncs, let part else { return }
    let step = Self.writebackStep
    guard range.lowerBound / step != range.upperBound / step else { return }
    let end = range.upperBound / step * step
    thread.post(.writeback(part, max(0, end - step)..<end))
  }

  // MARK: Records

  private func record(written: ByteRangeSet, _ knowledge: VersionKnowledge) -> SidecarRecord {
    var record = SidecarRecord(
      target: place.name, mirrors: sources.map(\.location), bootID: BootID.current, knowledge: knowledge)
    record.synced = synced
    record.written = written
    for (index, source) in sources.enumerated() {
      record.sources += source.written.ranges.map { SidecarRecord.SourcedRange($0, mirror: index) }
    }
    return record
  }

  /// Records or syncs the written ranges if the checkpoint policy says so.
  ///
  /// - Throws: why the record could not be written; the one before is still in force.
  func checkpoint(
    _ item: ItemHandle, written: @autoclosure () -> ByteRangeSet, _ knowledge: @autoclosure () -> VersionKnowledge,
    now: Instant
  ) throws(SystemCallError) {
    guard let part, let sidecar, !isClearing, !keepsFormerRecord else { return }
    switch policy.step(now: now, syncs: syncs) {
    case .nothing: break
    case .record: try write(record(written: written(), knowledge()), to: sidecar)
    case .sync: thread.post(.sync(item, part, sidecar, record(written: written(), knowledge())))
    }
  }

  /// Records what is written, whenever it was recorded last.
  /// - Throws: as `checkpoint`.
  func recordNow(written: ByteRangeSet, _ knowledge: VersionKnowledge) throws(SystemCallError) {
    guard part != nil, let sidecar, !isClearing, !keepsFormerRecord else { return }
    try write(record(written: written, knowledge), to: sidecar)
  }

  private func write(_ record: SidecarRecord, to sidecar: SidecarFile) throws(SystemCallError) {
    if sidecar.isSettled { try sidecar.recordWritten(record) } else { thread.post(.record(sidecar, record)) }
  }

  /// The storage thread is done with a sync, whatever came of it.
  func syncEnded(now: Instant) { policy.syncEnded(now: now) }

  /// What a sync brought to stable storage.
  func synced(_ ranges: ByteRangeSet) {
    // What is being put out of force may be among it.
    if !isClearing { synced = ranges }
  }

  // MARK: Discarding

  /// Forgets everything that is stored. Where there was something the storage thread makes it so, and answers.
  func discardAll(_ item: ItemHandle, _ knowledge: VersionKnowledge) {
    hashes.forget(item)
    synced = ByteRangeSet()
    for index in sources.indices { sources[index].written = ByteRangeSet() }
    policy.restarted()
    guard part != nil || isClearing else { return }
    part = nil
    clear(item, written: ByteRangeSet(), knowledge)
  }

  /// Has no record claim the bytes of a wrong piece before others take their place.
  func discard(_ range: Range<Int64>, _ item: ItemHandle, written: ByteRangeSet, _ knowledge: VersionKnowledge) {
    synced.remove(range)
    for mirror in sources.indices { sources[mirror].written.remove(range) }
    if part != nil { clear(item, written: written, knowledge) }
  }

  /// Has the storage thread put a record in force that claims less than the ones before, and make an empty part file
  /// where there is none. The thread takes its jobs in order, so a sync that is under way comes first.
  private func clear(_ item: ItemHandle, written: ByteRangeSet, _ knowledge: VersionKnowledge) {
    guard let sidecar else { return }
    keepsFormerRecord = false
    clearingCount += 1
    thread.post(.clear(item, part, sidecar, record(written: written, knowledge)))
  }

  /// The storage thread has done one clearing.
  ///
  /// - Parameter part: nil where it failed. Only that of the last clearing is the part file from now on: others have lost
  ///   their name to it.
  func cleared(_ part: PartFile?) {
    clearingCount -= 1
    if !isClearing, let part { self.part = part }
  }

  // MARK: Ends

  /// Removes everything: there is nothing to go on from. The part file first: without the sidecar nothing says that it
  /// is ours.
  func removeAll() {
    if isClearing, let sidecar {
      thread.post(.remove(sidecar))
    } else if part != nil {
      abandon()
    }
  }

  /// Has the storage thread remove everything, which may take long.
  func removeLater() {
    if let sidecar { thread.post(.remove(sidecar)) }
    close()
  }

  /// Has the storage thread close the files.
  func close() {
    guard part != nil || sidecar != nil else { return }
    thread.post(.close(part, sidecar))
    part = nil
    sidecar = nil
  }

  /// Removes what this run has begun and forgets it, so that nothing is recorded any more.
  func abandon() {
    try? part?.remove()
    try? sidecar?.remove()
    part = nil
    sidecar = nil
  }

  /// Has the whole part file synced and named; the storage thread answers.
  func publish(
    _ item: ItemHandle, byteCount: Int64, _ attributes: FileAttributes, modified: FileTime?, isReplacing: Bool
  ) {
    guard let part else { return }
    thread.post(
      .publish(
        item, part, sidecar, byteCount: byteCount, attributes, modified: modified, syncs: syncs,
        isReplacing: isReplacing))
  }

  /// Gives the part file another name and forgets it.
  /// - Returns: the name; nil where there is no part file.
  func setAside() throws(DownloadError) -> [UInt8]? {
    guard let part else { return nil }
    defer {
      self.part = nil
      sidecar = nil
    }
    do { return try publisher.setAside(part, sidecar: sidecar) } catch { throw StorageErrors.opening(error) }
  }
}
