package import DownloadCore
internal import CSwiftGetShims
internal import Glibc

/// Why a sidecar could not be opened.
package enum SidecarOpenError: Error, Equatable, Sendable {
  /// Another run holds the target; its process id where that could be read.
  case held(process: Int32?)
  /// A file that is not ours has the sidecar's or the part file's name.
  case foreign(ForeignFile)
  case systemCall(SystemCallError)
}

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
    var mustSettle = false
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
  /// Attempts at a name that other runs make and remove at the same time.
  private static let openAttemptCount = 100

  package let name: [UInt8]
  /// False where the file system has no locks; `TargetHolder` stands in for them.
  package var isLocked: Bool { lock.isHeld }
  /// Whether this run has made it.
  package let isNew: Bool
  /// Whether others could write to it before it was opened.
  private let wasExposed: Bool
  /// Nil where there is a lock. Before the lock, so that it is released before another file can get the inode.
  private let target: OpenTarget?
  private let lock: FileLock
  private let state = Lock(State())

  private init(
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

  /// Opens the sidecar or makes an empty one, and locks the target for this run.
  ///
  /// The lock lasts as long as this object. Another run may have published the target before this call, so inspect the
  /// target again afterwards.
  ///
  /// - Throws: `foreign` for a file that is not ours, which stays as it is; also for a part file without a sidecar,
  ///   because a new sidecar would claim it as ours.
  package static func open(_ place: TargetPlace) throws(SidecarOpenError) -> SidecarFile {
    guard let file = try open(place, creating: true) else { throw .held(process: nil) }
    return file
  }

  /// As `open`, but does not make one; nil where there is neither a sidecar nor a part file.
  package static func openExisting(_ place: TargetPlace) throws(SidecarOpenError) -> SidecarFile? {
    try open(place, creating: false)
  }

  private static func open(_ place: TargetPlace, creating: Bool) throws(SidecarOpenError) -> SidecarFile? {
    try withSidecarErrors {
      for _ in 0..<openAttemptCount {
        switch try attempt(place, creating: creating) {
        case .opened(let file): return file
        case .absent: return nil
        case .again: continue
        }
      }
      // Another process removes it as fast as we make it.
      throw SidecarOpenError.held(process: nil)
    }
  }

  private static func withSidecarErrors<Value>(_ body: () throws -> Value) throws(SidecarOpenError) -> Value {
    do { return try body() } catch let error as SidecarOpenError {
      throw error
    } catch PartOpenError.foreign(let file) {
      throw .foreign(file)
    } catch PartOpenError.systemCall(let error) {
      throw .systemCall(error)
    } catch let error as SystemCallError {
      throw .systemCall(error)
    } catch {
      throw .systemCall(SystemCallError(.flock, EIO))
    }
  }

  /// What the sidecar records, without its lock and without changing anything; nil where there is neither a sidecar nor a
  /// part file.
  ///
  /// - Throws: `foreign` as `open`.
  package static func peek(_ place: TargetPlace) throws(SidecarOpenError) -> SidecarReading.Outcome? {
    try withSidecarErrors {
      let name = place.sidecarName
      let directory = place.directory.raw
      guard let found = try statusIfThere(directory, name) else {
        let part = place.partName
        guard let orphan = try statusIfThere(directory, part) else { return nil }
        try require(orphan: orphan, part, place, probesOwner: false)
        return .empty
      }
      try found.requireOurs(name, in: place.directory, probesOwner: false)
      let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
      let descriptor = try SystemCalls.openat(directory, name, flags)
      guard try isSigned(descriptor.raw) else {
        throw SidecarOpenError.foreign(ForeignFile(name: name, .unsigned))
      }
      let reading = SidecarReading(
        try SystemCalls.preadAll(descriptor.raw, limit: Int(SidecarReading.holderOffset), at: 0))
      let isExposed = found.mode & FileMode.writableByOthers != 0 && reading.outcome != .empty
      return isExposed ? .unusable(.exposed) : reading.outcome
    }
  }

  /// Requires that a part file without a sidecar is taken for ours.
  private static func require(
    orphan: FileStatus, _ part: [UInt8], _ place: TargetPlace, probesOwner: Bool = true
  ) throws {
    try orphan.requireOurs(part, in: place.directory, probesOwner: probesOwner)
    // A power cut may lose only the sidecar's name. A file that others cannot read is taken for a part file of ours.
    guard orphan.mode & FileMode.ofOthers == 0 else {
      throw SidecarOpenError.foreign(ForeignFile(name: part, .noSidecar))
    }
  }

  private enum Attempt {
    case opened(SidecarFile)
    case absent
    /// The name has changed its meaning meanwhile: try once more.
    case again
  }

  private static func attempt(_ place: TargetPlace, creating: Bool) throws -> Attempt {
    let name = place.sidecarName
    let directory = place.directory.raw
    let found = try statusIfThere(directory, name)
    if let found {
      // Opening a pipe or a device may have an effect, so check the kind first.
      try found.requireOurs(name, in: place.directory)
    } else {
      let part = place.partName
      if let orphan = try statusIfThere(directory, part) {
        // Another run may have made both files since.
        guard try statusIfThere(directory, name) == nil else { return .again }
        try require(orphan: orphan, part, place)
      }
      guard creating else { return .absent }
    }
    do {
      let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
      let descriptor = try SystemCalls.openat(
        directory, name, found == nil ? flags | O_CREAT | O_EXCL : flags, mode: FileMode.ownerOnly)
      return try lock(descriptor, name, place, isNew: found == nil)
    } catch let error as SystemCallError
      where error.call == .openat && error.errno == (found == nil ? EEXIST : ENOENT)
    {
      return .again
    }
  }

  private static func lock(
    _ descriptor: consuming FileDescriptor, _ name: [UInt8], _ place: TargetPlace, isNew: Bool
  ) throws -> Attempt {
    let status = try SystemCalls.fstat(descriptor.raw)
    if !isNew { try status.requireOurs(name, in: place.directory) }
    let isHeld: Bool
    do { isHeld = try lock(descriptor.raw) } catch let error as SystemCallError {
      if isNew { try? descriptor.removeName(name, in: place.directory) }
      throw error
    }
    let lock = FileLock(descriptor, isHeld: isHeld)
    let target = lock.isHeld ? nil : try requireNoHolder(lock.descriptor.raw, status)
    // A run that has just ended may have removed the file. A lock on a removed file has no effect.
    guard let named = try statusIfThere(place.directory.raw, name), named.isSameFile(as: status) else { return .again }
    if !isNew, try !isSigned(lock.descriptor.raw) {
      throw SidecarOpenError.foreign(ForeignFile(name: name, .unsigned))
    }
    let wasExposed = lock.descriptor.makePrivate(status)
    do {
      if try SystemCalls.fstat(lock.descriptor.raw).size == 0 {
        // Allocate both slots now, so that the state can be recorded on a full disk.
        let room = [UInt8](repeating: 0, count: Int(SidecarReading.holderOffset))
        try SystemCalls.pwriteAll(lock.descriptor.raw, room, at: 0)
      }
      try TargetHolder.current.write(to: lock.descriptor.raw)
    } catch {
      // Nothing is left of a file that was made in vain.
      if isNew { try? lock.descriptor.removeName(name, in: place.directory) }
      throw error
    }
    return .opened(SidecarFile(place, name: name, isNew: isNew, wasExposed: wasExposed, lock, target))
  }

  /// Whether swiftget made the file.
  ///
  /// A kill or a power cut right after its creation leaves it empty or all zeros. The private mode then identifies it,
  /// and it holds nothing that could be lost.
  private static func isSigned(_ descriptor: Int32) throws(SystemCallError) -> Bool {
    let most = Int(SidecarReading.holderOffset) + SidecarReading.holderByteCount
    let status = try SystemCalls.fstat(descriptor)
    let bytes = try SystemCalls.preadAll(descriptor, limit: most, at: 0)
    if SidecarReading.isSigned(bytes) { return true }
    // Without locks, the run that has just made it may go on writing.
    return status.size <= bytes.count && status.mode & FileMode.ofOthers == 0 && bytes.allSatisfy { $0 == 0 }
  }

  private static func lock(_ descriptor: Int32) throws -> Bool {
    do { return try FileLock.take(descriptor) } catch let error where error.errno == EWOULDBLOCK {
      throw SidecarOpenError.held(process: (try? TargetHolder(in: descriptor))?.process)
    }
  }

  /// For file systems without locks: neither another process that runs nor this one may work on the target.
  private static func requireNoHolder(_ descriptor: Int32, _ status: FileStatus) throws -> OpenTarget {
    if let holder = try TargetHolder(in: descriptor), holder != .current, holder.isRunning {
      throw SidecarOpenError.held(process: holder.process)
    }
    guard let target = OpenTarget(status) else {
      throw SidecarOpenError.held(process: TargetHolder.current.process)
    }
    return target
  }

  private static func statusIfThere(_ directory: Int32, _ name: [UInt8]) throws(SystemCallError) -> FileStatus? {
    do { return try SystemCalls.fstatat(directory, name) } catch let error where error.isMissing { return nil }
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
    state.mustSettle = reading.protectedSlot != nil
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
  package var isSettled: Bool { state.withLockIfAvailable { !$0.mustSettle } ?? true }

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
      return try TargetHolder(in: lock.descriptor.raw) == .current
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
  private func settle(_ state: inout State) throws(SystemCallError) {
    guard state.mustSettle, let slot = state.protectedSlot else { return }
    let offset = Int64(slot * SidecarSlot.byteCount)
    let bytes = try SystemCalls.preadAll(lock.descriptor.raw, limit: SidecarSlot.byteCount, at: offset)
    try SystemCalls.pwriteAll(lock.descriptor.raw, bytes, at: offset)
    try sync(&state)
    state.mustSettle = false
  }

  private func put(_ record: SidecarRecord, isSynced: Bool, in state: inout State) throws(SystemCallError) {
    try settle(&state)
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
