package import DownloadCore
internal import CSwiftGetShims
internal import Glibc

/// The sidecar of one target: the target's lock, and the record of what the part file holds.
///
/// Records alternate between two slots. The slot with the newest *synced* record is not overwritten until a newer
/// record is on stable storage in the other slot; until then, *written* records overwrite each other there. After a
/// power cut at any instant there is a synced record; after a kill, the newest record.
///
/// Any thread may call. `recordSynced` waits for the disk, and meanwhile `recordWritten` declines.
package final class SidecarFile: Sendable {
  private struct State {
    var reading: SidecarReading?
    var protectedSlot: Int?
    var latestSlot: Int?
    var sequence: UInt64 = 0
    /// Whether the protected record is from an earlier run, which may have been killed before its sync ended.
    var mustSyncAgain = false
    /// Whether the slots must be cleared before a record is written.
    var mustClear = false
    var nameIsSynced = false
    /// The ranges that the newest synced record claims. Later records claim them too, except after `startOver`.
    var synced = ByteRangeSet()
    /// What is in force; nil where nothing is.
    var record: SidecarRecord?
    var failedSync: SystemCallError?
  }

  package let place: TargetPlace
  package let name: [UInt8]
  /// False where the file system has no locks; `ProcessStamp` stands in for them.
  package var isLocked: Bool { lock.isHeld }
  /// Whether this run has made it.
  package let isNew: Bool
  /// Whether others could write to it before it was opened.
  private let wasExposed: Bool
  /// Nil where there is a lock. Before the lock, so that it is released before another file can get the inode.
  private let target: OpenTarget?
  private let lock: FileLock
  private let state = Lock(State())

  init(
    _ place: TargetPlace, name: [UInt8], isNew: Bool, wasExposed: Bool, _ lock: consuming FileLock,
    _ target: OpenTarget?
  ) {
    self.place = place
    self.name = name
    self.isNew = isNew
    self.wasExposed = wasExposed
    self.lock = lock
    self.target = target
  }

  // MARK: Reading

  /// Reads what an earlier run recorded. Call it once, before the first record is written.
  ///
  /// If the part file is shorter than the ranges of the record, start over.
  package func load() throws(SystemCallError) -> SidecarReading.Outcome {
    try state.withLock { state throws(SystemCallError) in
      try read(into: &state)
      return state.reading?.outcome ?? .empty
    }
  }

  private func read(into state: inout State) throws(SystemCallError) {
    let bytes = try SystemCalls.preadAll(lock.descriptor.raw, limit: Int(SidecarReading.holderOffset), at: 0)
    let reading = SidecarReading(bytes)
    state.reading = reading
    state.sequence = reading.highestSequence
    state.protectedSlot = reading.protectedSlot
    state.latestSlot = reading.newestSlot
    state.mustSyncAgain = reading.protectedSlot != nil
    if case .record(let record) = reading.outcome { state.record = record }
    if case .unusable = reading.outcome { state.mustClear = true }
    if wasExposed, reading.outcome != .empty {
      state.reading = reading.refused(.exposed)
      state.record = nil
      state.mustClear = true
    }
  }

  // MARK: Writing

  /// Replaces all earlier records. Use it for a fresh start, and whenever a record claims less than an earlier one
  /// (another version of the representation, pieces to be fetched again, a failed sync of the part file).
  ///
  /// Call it before the bytes on disk change. Waits for the disk unless the sidecar is new.
  package func startOver(with record: SidecarRecord) throws(SystemCallError) {
    try state.withLock { state throws(SystemCallError) in try startOver(with: record, &state) }
  }

  private func startOver(with record: SidecarRecord, _ state: inout State) throws(SystemCallError) {
    try prepare(&state)
    // A new part file takes the old one's name. Until that is on stable storage, the name may refer to the old bytes.
    state.nameIsSynced = false
    let isNew = state.reading?.outcome == .empty && state.sequence == 0
    if isNew { return try put(record, isSynced: false, in: &state) }
    // Overwrite both slots, so that damage to one cannot bring an old claim back.
    if state.mustClear { try clear(&state) }
    try put(record, isSynced: true, in: &state)
    try put(record, isSynced: true, in: &state)
  }

  /// The sync of the part file has failed, and the kernel may have dropped what was written since the last one: only
  /// what was synced before is claimed from now on. Waits for the disk. Later calls throw the error.
  package func keepSyncedOnly(after error: SystemCallError) {
    state.withLock { state in
      if var record = state.record {
        record.written = record.synced
        try? startOver(with: record, &state)
      }
      state.failedSync = state.failedSync ?? error
    }
  }

  /// Whether `recordWritten` does not wait for the disk. The first record after that of an earlier run does.
  package var writesAtOnce: Bool { state.withLockIfAvailable { !$0.mustSyncAgain } ?? true }

  /// Records bytes that were handed to the kernel. The record is valid for this boot only.
  ///
  /// The newest synced ranges stay claimed, even if the caller does not know them yet.
  ///
  /// - Returns: false where another thread is writing a synced record; nothing is recorded then.
  @discardableResult
  package func recordWritten(_ record: SidecarRecord) throws(SystemCallError) -> Bool {
    let done: Void? = try state.withLockIfAvailable { state throws(SystemCallError) in
      try prepare(&state)
      if state.mustClear { try clear(&state) }
      var record = record
      for range in state.synced.ranges { record.synced.insert(range) }
      try put(record, isSynced: false, in: &state)
    }
    return done != nil
  }

  /// Records bytes that are on stable storage. Call `syncName`, then sync the part file, before this.
  ///
  /// A failed sync is final: later calls throw the same error, and the record before stays in force.
  package func recordSynced(_ record: SidecarRecord) throws(SystemCallError) {
    try state.withLock { state throws(SystemCallError) in
      try prepare(&state)
      if state.mustClear { try clear(&state) }
      try put(record, isSynced: true, in: &state)
    }
  }

  /// Puts the names of sidecar and part file on stable storage; only the first call syncs.
  package func syncName() throws(SystemCallError) {
    if state.withLock({ $0.nameIsSynced }) { return }
    try place.directory.sync()
    state.withLock { $0.nameIsSynced = true }
  }

  /// Removes the sidecar. No error where it is gone, its name refers to another file, or another run has taken the
  /// target. The lock lasts as long as this object.
  package func remove() throws(SystemCallError) {
    if try isHeld { try lock.descriptor.removeName(name, in: place.directory) }
  }

  /// Requires that the target is still this run's. Without locks another run may have taken it, with a part file of its
  /// own.
  ///
  /// - Throws: EWOULDBLOCK of flock.
  package func requireHeld() throws(SystemCallError) {
    guard try isHeld else { throw SystemCallError(.flock, EWOULDBLOCK) }
  }

  private var isHeld: Bool {
    get throws(SystemCallError) {
      if lock.isHeld { return true }
      return try ProcessStamp(in: lock.descriptor.raw) == .current
    }
  }

  /// Removes the part file beside it, then the sidecar, which proves that the part file is ours. Where the part file
  /// cannot be removed both stay.
  package func removeWithPart() {
    do { try PartFile.removeExisting(place) } catch { return }
    try? remove()
  }

  /// Removes a sidecar that this run has made and could not write to. One of an earlier run stays: its record counts.
  package func removeIfNew() {
    if isNew { try? remove() }
  }

  private func prepare(_ state: inout State) throws(SystemCallError) {
    if let error = state.failedSync { throw error }
    try requireHeld()
    if state.reading == nil { try read(into: &state) }
  }

  /// Zeros slots that cannot be used, so that they are not found next to the new records.
  ///
  /// The zeros reach stable storage with the next sync. What a power cut brings back before that is still unusable.
  private func clear(_ state: inout State) throws(SystemCallError) {
    let room = [UInt8](repeating: 0, count: Int(SidecarReading.holderOffset))
    try SystemCalls.pwriteAll(lock.descriptor.raw, room, at: 0)
    state.mustClear = false
  }

  /// Puts the record of the earlier run on stable storage before the other slot is overwritten.
  ///
  /// That run may have been killed before its sync ended. Writing the record again makes its pages dirty, so that the
  /// sync writes them even if an earlier writeback failed.
  private func syncAgain(_ state: inout State) throws(SystemCallError) {
    guard state.mustSyncAgain, let slot = state.protectedSlot else { return }
    let offset = Int64(slot * SidecarSlot.byteCount)
    let bytes = try SystemCalls.preadAll(lock.descriptor.raw, limit: SidecarSlot.byteCount, at: offset)
    try SystemCalls.pwriteAll(lock.descriptor.raw, bytes, at: offset)
    try sync(&state)
    state.mustSyncAgain = false
  }

  private func put(_ record: SidecarRecord, isSynced: Bool, in state: inout State) throws(SystemCallError) {
    try syncAgain(&state)
    let slot = (state.protectedSlot ?? state.latestSlot).map { 1 - $0 } ?? 0
    var record = record
    record.sequence = state.sequence + 1
    let bytes = SidecarSlot.encode(record, isSynced: isSynced)
    try SystemCalls.pwriteAll(lock.descriptor.raw, bytes, at: Int64(slot * SidecarSlot.byteCount))
    state.sequence = record.sequence
    state.latestSlot = slot
    state.record = record
    guard isSynced else { return }
    try sync(&state)
    state.protectedSlot = slot
    state.synced = record.synced
  }

  private func sync(_ state: inout State) throws(SystemCallError) {
    do {
      try SystemCalls.fdatasync(lock.descriptor.raw)
    } catch {
      state.failedSync = error
      throw error
    }
  }
}
