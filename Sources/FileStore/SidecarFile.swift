package import DownloadCore
internal import CShims
internal import Glibc
internal import Synchronization

/// Why a sidecar could not be had.
package enum SidecarOpenError: Error, Equatable, Sendable {
  /// Another run works on this target; its process id where it could be read.
  case held(process: Int32?)
  /// A file that is not ours has its name, or the part file's.
  case foreign(ForeignFile)
  case systemCall(SystemCallError)
}

/// The sidecar of one target: the lock on it, and the record of what its part file holds.
///
/// Two slots take the records in turn. The slot with the newest *synced* record is never written to until a newer one
/// is on stable storage in the other slot; until then *written* records go over each other there. So a cut at any
/// instant leaves a synced record, and a kill the newest one.
///
/// Any thread may call, one at a time: `recordSynced` waits for the disk, and `recordWritten` meanwhile declines.
package final class SidecarFile: Sendable {
  private struct State {
    var reading: SidecarReading?
    var protectedSlot: Int?
    var latestSlot: Int?
    var sequence: UInt64 = 0
    /// Whether the protected record was found, not written by us, so that nobody knows if its sync ever ended.
    var mustSettle = false
    /// Whether what is in the file must go before a record may be written.
    var mustClear = false
    var nameIsSynced = false
    /// What the synced record in force claims: no later record claims less of it, except to start over.
    var synced = ByteRangeSet()
    var failedSync: SystemCallError?
  }

  package let place: TargetPlace
  package let name: [UInt8]
  /// False where the file system has no locks.
  package var isLocked: Bool { lock.isHeld }
  /// Others could write to it before it was opened.
  private let wasExposed: Bool
  private let lock: FileLock
  private let state = Mutex(State())

  private init(_ place: TargetPlace, name: [UInt8], wasExposed: Bool, _ lock: consuming FileLock) {
    self.place = place
    self.name = name
    self.wasExposed = wasExposed
    self.lock = lock
  }

  /// Opens the sidecar, or makes an empty one, and takes the lock that says that this run works on the target.
  ///
  /// The lock lasts as long as this object. Another run may have published between your look at the target and this
  /// call: look again.
  ///
  /// - Throws: `foreign` for a file that is not ours, which is left as it is; also for a part file without a sidecar,
  ///   which a new sidecar would make ours.
  package static func open(_ place: TargetPlace) throws(SidecarOpenError) -> SidecarFile {
    guard let file = try open(place, creating: true) else { throw .held(process: nil) }
    return file
  }

  /// As `open`, but makes none: nil where there is neither a sidecar nor a part file.
  package static func openExisting(_ place: TargetPlace) throws(SidecarOpenError) -> SidecarFile? {
    try open(place, creating: false)
  }

  private static func open(_ place: TargetPlace, creating: Bool) throws(SidecarOpenError) -> SidecarFile? {
    do {
      for _ in 0..<100 {
        switch try attempt(place, creating: creating) {
        case .opened(let file): return file
        case .absent: return nil
        case .again: continue
        }
      }
    } catch let error as SidecarOpenError {
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
    // Somebody removes it as fast as we make it.
    throw .held(process: nil)
  }

  private enum Attempt {
    case opened(SidecarFile)
    case absent
    /// The name has come to mean another file, or none, meanwhile.
    case again
  }

  private static func attempt(_ place: TargetPlace, creating: Bool) throws -> Attempt {
    let name = TargetName.sidecarName(for: place.name)
    let directory = place.directory.raw
    let found = try statusIfThere(directory, name)
    if let found {
      // Opening a pipe or a device may do something.
      try found.requireOurs(name, in: place.directory)
    } else {
      let part = TargetName.partName(for: place.name)
      if let orphan = try statusIfThere(directory, part) {
        // Another run may have made both since.
        guard try statusIfThere(directory, name) == nil else { return .again }
        try orphan.requireOurs(part, in: place.directory)
        // A power cut may lose the sidecar's name alone. Only a part file is made so that nobody else can read it.
        guard orphan.mode & 0o077 == 0 else { throw SidecarOpenError.foreign(ForeignFile(name: part, .noSidecar)) }
      }
      guard creating else { return .absent }
    }
    do {
      let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
      let descriptor = try SystemCalls.openat(
        directory, name, found == nil ? flags | O_CREAT | O_EXCL : flags, mode: 0o600)
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
    let isHeld = try lock(descriptor.raw)
    let lock = FileLock(descriptor, isHeld: isHeld)
    // A run that has just ended removes the file it holds: a lock on that one keeps nobody out.
    guard let named = try statusIfThere(place.directory.raw, name), named.isSameFile(as: status) else { return .again }
    if !isNew, try !isSigned(lock.descriptor.raw) {
      throw SidecarOpenError.foreign(ForeignFile(name: name, .unsigned))
    }
    let wasExposed = lock.descriptor.makePrivate(status)
    if try SystemCalls.fstat(lock.descriptor.raw).size == 0 {
      // The room for both slots is taken now: on a full disk the state can still be recorded.
      let room = [UInt8](repeating: 0, count: Int(SidecarReading.holderOffset))
      try SystemCalls.pwriteAll(lock.descriptor.raw, room, at: 0)
    }
    try writeHolder(lock.descriptor.raw)
    return .opened(SidecarFile(place, name: name, wasExposed: wasExposed, lock))
  }

  /// Whether this program has made the file.
  ///
  /// Right after that it is empty or all zeros for a moment, in which a kill or a power cut may come. Then its mode is
  /// what speaks for it, and there is nothing in it to be lost.
  private static func isSigned(_ descriptor: Int32) throws(SystemCallError) -> Bool {
    let most = Int(SidecarReading.holderOffset) + SidecarReading.holderByteCount
    let bytes = try SystemCalls.preadAll(descriptor, limit: most, at: 0)
    if SidecarReading.isSigned(bytes) { return true }
    let status = try SystemCalls.fstat(descriptor)
    return status.size == bytes.count && status.mode & 0o077 == 0 && bytes.allSatisfy { $0 == 0 }
  }

  private static func lock(_ descriptor: Int32) throws -> Bool {
    do throws(SystemCallError) {
      try SystemCalls.flock(descriptor)
      return true
    } catch {
      switch error.errno {
      case EWOULDBLOCK: throw SidecarOpenError.held(process: holder(descriptor))
      case ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL: return false
      default: throw error
      }
    }
  }

  private static func statusIfThere(_ directory: Int32, _ name: [UInt8]) throws(SystemCallError) -> FileStatus? {
    do { return try SystemCalls.fstatat(directory, name) } catch let error where error.isMissing { return nil }
  }

  private static func writeHolder(_ descriptor: Int32) throws(SystemCallError) {
    var line = Array("pid \(file_process())".utf8)
    line += [UInt8](repeating: UInt8(ascii: " "), count: SidecarReading.holderByteCount - 1 - line.count)
    line.append(UInt8(ascii: "\n"))
    try SystemCalls.pwriteAll(descriptor, line, at: SidecarReading.holderOffset)
  }

  /// The process id in the holder's line; the holder may not have written it yet.
  private static func holder(_ descriptor: Int32) -> Int32? {
    withUnsafeTemporaryAllocation(byteCount: SidecarReading.holderByteCount, alignment: 1) { buffer in
      guard let count = try? SystemCalls.preadAll(descriptor, into: buffer, at: SidecarReading.holderOffset)
      else { return nil }
      let line = String(decoding: buffer[..<count], as: UTF8.self)
      guard line.hasPrefix("pid ") else { return nil }
      return Int32(line.dropFirst(4).prefix { $0.isASCII && $0.isNumber })
    }
  }

  // MARK: Reading

  /// What an earlier run recorded. Once, before the first record is written.
  ///
  /// A record returned here is at odds with the part file where that is shorter than the ranges believed: start over.
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
    if case .unusable = reading.outcome { state.mustClear = true }
    if wasExposed, reading.outcome != .empty {
      state.reading = reading.refused(.exposed)
      state.mustClear = true
    }
  }

  // MARK: Writing

  /// Makes `record` the only one in force: for a fresh start, and whenever a record claims less than one before it
  /// (another version of the representation, pieces to be fetched again, a failed sync of the part file).
  ///
  /// To be called before the bytes on disk change. Waits for the disk unless the sidecar is new.
  package func startOver(with record: SidecarRecord) throws(SystemCallError) {
    try state.withLock { state throws(SystemCallError) in
      try prepare(&state)
      // A new part file takes the old one's name; until that is on stable storage the name may mean the old bytes.
      state.nameIsSynced = false
      let isNew = state.reading?.outcome == .empty && state.sequence == 0
      if isNew { return try put(record, isSynced: false, in: &state) }
      // One record over each slot: damage to the newer must not bring a claim of the past back.
      if state.mustClear { try clear(&state) }
      try put(record, isSynced: true, in: &state)
      try put(record, isSynced: true, in: &state)
    }
  }

  /// Records what the kernel has been given; believed only until the machine stops.
  ///
  /// The caller may not have heard yet what was recorded as synced last; that stays claimed all the same.
  ///
  /// - Returns: false where a synced record is just being written by another thread, and nothing was recorded.
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

  /// Records what is on stable storage; the caller has synced the part file, and `syncName` was called before that.
  ///
  /// A failed sync is final: the error is thrown from then on, and the record before stays in force.
  package func recordSynced(_ record: SidecarRecord) throws(SystemCallError) {
    try state.withLock { state throws(SystemCallError) in
      try prepare(&state)
      if state.mustClear { try clear(&state) }
      try put(record, isSynced: true, in: &state)
    }
  }

  /// Puts the names of sidecar and part file on stable storage, the first time it is called.
  package func syncName() throws(SystemCallError) {
    if state.withLock({ $0.nameIsSynced }) { return }
    try place.directory.sync()
    state.withLock { $0.nameIsSynced = true }
  }

  /// Removes the sidecar; one that is gone already, or whose name means another file by now, is no error. The lock lasts
  /// until this object goes.
  package func remove() throws(SystemCallError) { try lock.descriptor.removeName(name, in: place.directory) }

  private func prepare(_ state: inout State) throws(SystemCallError) {
    if let error = state.failedSync { throw error }
    if state.reading == nil { try read(into: &state) }
  }

  /// Takes out what cannot be used, or it would be found again next to the new records.
  ///
  /// The next sync takes it along; coming back before that, it is as unusable as it was.
  private func clear(_ state: inout State) throws(SystemCallError) {
    let room = [UInt8](repeating: 0, count: Int(SidecarReading.holderOffset))
    try SystemCalls.pwriteAll(lock.descriptor.raw, room, at: 0)
    state.mustClear = false
  }

  /// Makes sure that the record found at the start is on stable storage before the other slot is touched.
  ///
  /// The run that wrote it may have been killed before its sync ended. Written again it is dirty again, so that the
  /// sync cannot be content with pages whose writing had failed.
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
