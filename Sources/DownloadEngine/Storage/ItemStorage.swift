internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// The bytes of one item before they have their name: its part file and its sidecar, and when they are recorded.
///
/// closed ──open──► locked ──create, resume──► storing ──discard──► clearing ──cleared──► storing
///
/// While it is clearing, records are being put out of force, or the files are made or cut: nothing is written or recorded,
/// and nothing waits.
/// Touched by the loop's thread only; the storage thread gets what it needs in messages.
final class ItemStorage {
  let item: ItemHandle
  let place: TargetPlace
  /// The thread that has the jobs of this item, in their order.
  let thread: WorkerPort<StorageJob>
  let writer: DeviceWriter
  /// What the writer has and has not answered yet.
  var outstanding = OutstandingWrites()
  /// Bytes that the writer had when they were recorded last. The record is written after them.
  private var promised = ByteRangeSet()
  /// Set once the writer has failed.
  private let writeHasFailed = StopFlag()
  let syncs: Bool
  /// Whether nothing had the target's name when it was inspected.
  private let isNew: Bool
  var sidecar: SidecarFile?
  var part: PartFile?
  private var policy: CheckpointPolicy
  var ranges: StoredRanges
  /// Whether the record of an earlier run stays in force, which names another URL, because no answer has shown yet that its
  /// bytes are of this one.
  private var keepsFormerRecord = false
  /// Jobs of the storage thread that put records out of force, or cut the part file.
  private var clearingCount = 0
  /// What the part file has when it is made.
  private var whole: FilledBlock?
  var records = PendingRecords()
  /// Whether the writer does what is left; nil until the item ends.
  var isLeftToWriter: Bool?
  var hashes: HashFeed

  /// The kernel is asked to begin writing back every so many bytes, so that the sync at the end finds little left.
  private static let writebackStep: Int64 = 8 << 20

  /// - Parameters:
  ///   - url: identifies the download in the sidecar.
  ///   - mirrors: by the numbers that the machine gives them.
  ///   - syncs: whether data is brought to stable storage.
  ///   - isNew: whether nothing had the target's name when it was inspected.
  init(
    item: ItemHandle, url: Location, mirrors: [Location], at place: TargetPlace, workers: Workers, syncs: Bool,
    isNew: Bool, now: Instant
  ) {
    self.item = item
    self.place = place
    thread = workers.storage(of: place.directory)
    writer = workers.writer(of: place.directory)
    self.syncs = syncs
    self.isNew = isNew
    policy = CheckpointPolicy(now: now)
    ranges = StoredRanges(of: url, target: place.name, mirrors: mirrors)
    hashes = HashFeed(worker: workers.hasher(of: item))
  }

  /// Whether something is written that is not recorded, or not synced.
  var isUnrecorded: Bool { policy.isUnrecorded }

  /// Nothing may be written now.
  var isClearing: Bool { clearingCount > 0 }

  // MARK: Beginning

  /// Takes the lock on the target.
  ///
  /// - Throws: `targetTaken` where another run has published the file between the inspection and the lock.
  func open() throws(Failure) {
    if sidecar == nil { sidecar = try SidecarFile.open(place, isNew: isNew) }
  }

  /// Makes an empty part file and a record that claims nothing, unless there is a part file. Where the record takes the
  /// place of an earlier run's, or the device is slow, the storage thread does so and answers.
  ///
  /// - Parameter content: what the part file gets, which the storage thread writes; nil leaves it empty.
  func create(_ knowledge: @autoclosure () -> VersionKnowledge, whole content: FilledBlock? = nil) throws(Failure) {
    guard part == nil, !isClearing else { return }
    let record = ranges.record(written: ByteRangeSet(), knowledge())
    let isPosted = writer.isSlow || content != nil
    whole = content
    if isPosted, sidecar == nil {
      clearingCount += 1
      return thread.post(.create(item, place, isNew: isNew, record, whole: content))
    }
    try open()
    if let sidecar, isPosted || !sidecar.isNew { return clear(record, whole: content) }
    part = try sidecar?.begin(with: record)
  }

  /// The storage thread has taken the lock and made a part file.
  func created(_ sidecar: SidecarFile, _ part: PartFile) {
    self.sidecar = sidecar
    cleared(part)
  }

  /// Goes on with what an earlier run left.
  ///
  /// - Parameters:
  ///   - done: what counts of it.
  ///   - mirror: where it came from.
  ///   - end: where the storage thread cuts off bytes that do not count; nil if there are none.
  ///   - isOfOtherURL: whether the mirror only takes the place of another URL.
  func resume(
    _ part: PartFile, synced: ByteRangeSet, done: ByteRangeSet, mirror: Int, cutTo end: Int64?, isOfOtherURL: Bool
  ) {
    self.part = part
    if let end {
      clearingCount += 1
      thread.post(.cut(item, part, to: end))
    }
    keepsFormerRecord = isOfOtherURL
    ranges.resume(synced: synced, done: done, mirror: mirror)
  }

  // MARK: Writing

  /// What the writer has, of transfers that may have ended meanwhile.
  var rangesBeingWritten: [Range<Int64>] { outstanding.promised { _ in true }.map(\.range) }

  /// Whether the loop may write these bytes now: nothing of the item is with the writer, and they need not go there.
  func writesItself(_ range: Range<Int64>, keeping done: ByteRangeSet) -> Bool {
    outstanding.isEmpty && !usesWriter(for: range, keeping: done)
  }

  /// Whether these bytes are the writer's: a write by the loop might wait. Some that are there already, which another
  /// transfer has brought, are left to the loop: nothing happens between its look and its write.
  private func usesWriter(for range: Range<Int64>, keeping done: ByteRangeSet) -> Bool {
    writer.isSlow && !done.overlaps(range)
  }

  /// Writes what is not there yet. What is recorded is never written over: it may have been verified, and this mirror
  /// may have other bytes.
  func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64, keeping done: ByteRangeSet, mirror: Int
  ) throws(SystemCallError) {
    keepsFormerRecord = false
    let began = Clock.now()
    let written = try part?.write(bytes, at: offset, keeping: done) ?? []
    writer.wrote(in: Clock.now() - began)
    wrote(written, of: offset..<(offset + Int64(bytes.count)), mirror: mirror)
  }

  private func wrote(_ written: [Range<Int64>], of range: Range<Int64>, mirror: Int) {
    ranges.wrote(written, mirror: mirror)
    policy.wrote(Int64(range.count))
    startWriteback(range)
  }

  /// Room for a block of these bytes with the writer.
  ///
  /// - Parameter limit: blocks of the transfer that the writer may have.
  /// - Returns: nil if it has to wait for an answer, be it because the loop is to write next.
  func lease(
    _ range: Range<Int64>, keeping done: ByteRangeSet, of transfer: TransferID, atMost limit: Int, byteCount: Int
  ) -> WriteLease? {
    // Another transfer may be bringing the same bytes, of which those that are written first count.
    guard usesWriter(for: range, keeping: done), outstanding.count(of: transfer) < limit, !outstanding.overlap(range)
    else { return nil }
    return writer.lease(byteCount: byteCount)
  }

  /// Has the writer write these bytes; it answers.
  func handOver(_ block: FilledBlock, at offset: Int64, mirror: Int, of transfer: TransferID, _ lease: WriteLease) {
    guard let part else { return }
    keepsFormerRecord = false
    let number = outstanding.add(transfer, offset..<(offset + Int64(block.count)), mirror: mirror)
    let write = BlockWrite(number: number, block: block, offset: offset, lease: lease, hasFailed: writeHasFailed)
    writer.port.post(.write(item, part, write))
  }

  /// The writer has answered.
  ///
  /// - Parameter isWanted: whether the bytes of a transfer are still wanted.
  /// - Returns: the transfer whose bytes are in the part file now, and which; nil if there are none.
  /// - Throws: why they could not be written.
  func answered(
    _ answer: WriteAnswer, isWanted: (TransferID) -> Bool
  ) throws(SystemCallError) -> (transfer: TransferID, range: Range<Int64>)? {
    let answered = outstanding.answered(answer.number)
    if answer.write != nil { writer.wrote(in: answer.duration) }
    guard let answered else { return nil }
    if let error = answer.error { throw error }
    guard isWanted(answered.transfer) else { return nil }
    wrote([answered.range], of: answered.range, mirror: answered.mirror)
    return (answered.transfer, answered.range)
  }

  /// The storage thread gets a job that has to come after all writes.
  func post(_ job: StorageJob) {
    if isLeftToWriter == true { return writer.port.post(job) }
    guard !outstanding.isEmpty else { return thread.post(job) }
    writer.port.post(.handOn(job, to: thread, answer: (item, outstanding.add())))
  }

  private func startWriteback(_ range: Range<Int64>) {
    guard syncs, let part else { return }
    let step = Self.writebackStep
    guard range.lowerBound / step != range.upperBound / step else { return }
    let end = range.upperBound / step * step
    thread.post(.writeback(part, max(0, end - step)..<end))
  }

  // MARK: Records

  /// Records or syncs the written ranges if the checkpoint policy says so.
  ///
  /// - Throws: why the record could not be written; the one before is still in force.
  func checkpoint(
    written: @autoclosure () -> ByteRangeSet, _ knowledge: @autoclosure () -> VersionKnowledge,
    now: Instant
  ) throws(SystemCallError) {
    guard let part, let sidecar, !isClearing, !keepsFormerRecord else { return }
    switch policy.step(now: now, syncs: syncs) {
    case .nothing: break
    case .record: try write(ranges.record(written: written(), knowledge()), to: sidecar)
    case .sync:
      let order = Revocable(
        FilesToSync(part: part, sidecar: sidecar, record: ranges.record(written: written(), knowledge())))
      records.sync = order
      thread.post(.sync(item, order))
    }
  }

  /// Records what is written, whenever it was recorded last, and what the writer has once that is written.
  ///
  /// - Parameters:
  ///   - isWanted: whether the bytes of a transfer are still wanted.
  ///   - isLast: whether the files are released then.
  /// - Throws: as `checkpoint`.
  func recordNow(
    written: ByteRangeSet, _ knowledge: VersionKnowledge, isLast: Bool, isWanted: (TransferID) -> Bool
  ) throws(SystemCallError) {
    promised = ByteRangeSet()
    if isLast { leaveToWriter() }
    guard part != nil, let sidecar, !isClearing, !keepsFormerRecord else { return }
    var record = ranges.record(written: written, knowledge)
    if outstanding.isEmpty { return try write(record, to: sidecar) }
    for (range, mirror) in outstanding.promised(isWanted) {
      promised.insert(range)
      record.written.insert(range)
      record.sources.append(SidecarRecord.SourcedRange(range, mirror: mirror))
    }
    postRecord(RecordToWrite(sidecar: sidecar, record: record, writeHasFailed: writeHasFailed))
  }

  /// Has a record written after all writes.
  func postRecord(_ record: RecordToWrite) { post(.record(records.add(record))) }

  /// The bytes that the last `recordNow` has recorded beside those that were written. Known once the writer has ended.
  var keptPromises: ByteRangeSet { writeHasFailed.isSet ? ByteRangeSet() : promised }

  private func write(_ record: SidecarRecord, to sidecar: SidecarFile) throws(SystemCallError) {
    // On a slow device the loop would wait for it.
    guard sidecar.writesAtOnce, !writer.isSlow else {
      return postRecord(RecordToWrite(sidecar: sidecar, record: record, writeHasFailed: writeHasFailed))
    }
    // One that waits has less.
    records.takeBack()
    try sidecar.recordWritten(record)
  }

  /// The storage thread is done with a sync, whatever came of it.
  func syncEnded(now: Instant) {
    records.sync = nil
    policy.syncEnded(now: now)
  }

  /// What a sync brought to stable storage.
  func synced(_ ranges: ByteRangeSet) {
    // What is being put out of force may be among it.
    if !isClearing { self.ranges.synced = ranges }
  }

  // MARK: Discarding

  /// Forgets everything that is stored. Where there was something the storage thread makes it so, and answers.
  func discardAll(_ knowledge: VersionKnowledge) {
    hashes.forget(item)
    ranges.removeAll()
    policy.restarted()
    guard part != nil || isClearing else { return }
    if let part { post(.close(part, nil)) }
    part = nil
    outstanding.voidAll()
    clear(ranges.record(written: ByteRangeSet(), knowledge))
  }

  /// Has no record claim the bytes of a wrong piece before others take their place.
  func discard(_ range: Range<Int64>, written: ByteRangeSet, _ knowledge: VersionKnowledge) {
    ranges.remove(range)
    if part != nil { clear(ranges.record(written: written, knowledge)) }
  }

  /// Has the storage thread put a record in force that claims less than the ones before, and make an empty part file
  /// where there is none. The thread takes its jobs in order, so a sync that is under way comes first.
  private func clear(_ record: SidecarRecord, whole content: FilledBlock? = nil) {
    guard let sidecar else { return }
    // They claim more, and may still wait for writes.
    records.takeBack()
    keepsFormerRecord = false
    clearingCount += 1
    thread.post(.clear(item, part, sidecar, record, whole: content))
  }

  /// The storage thread has done one clearing.
  ///
  /// - Parameter part: nil if it failed. Only that of the last clearing is the part file from now on: others have lost
  ///   their name to it.
  func cleared(_ part: PartFile?) {
    clearingCount -= 1
    guard !isClearing, let part else { return }
    self.part = part
    if let whole, whole.count > 0 { wrote([0..<Int64(whole.count)], of: 0..<Int64(whole.count), mirror: 0) }
    whole = nil
  }
}
