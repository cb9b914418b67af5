package import DownloadCore
internal import Glibc

/// Why a sidecar could not be opened.
package enum SidecarOpenError: Error, Equatable, Sendable {
  /// Another run holds the target; its process id where that could be read.
  case held(process: Int32?)
  /// A file that is not ours has the sidecar's or the part file's name.
  case foreign(ForeignFile)
  case systemCall(SystemCallError)
}

extension SidecarFile {
  /// Attempts at a name that other runs make and remove at the same time.
  private static let openAttemptCount = 100

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
      guard let found = try SystemCalls.statusIfThere(directory, name) else {
        let part = place.partName
        guard let orphan = try SystemCalls.statusIfThere(directory, part) else { return nil }
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
    let found = try SystemCalls.statusIfThere(directory, name)
    if let found {
      // Opening a pipe or a device may have an effect, so check the kind first.
      try found.requireOurs(name, in: place.directory)
    } else {
      let part = place.partName
      if let orphan = try SystemCalls.statusIfThere(directory, part) {
        // Another run may have made both files since.
        guard try SystemCalls.statusIfThere(directory, name) == nil else { return .again }
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
    guard let named = try SystemCalls.statusIfThere(place.directory.raw, name), named.isSameFile(as: status) else {
      return .again
    }
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
      try ProcessStamp.current.write(to: lock.descriptor.raw)
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
      throw SidecarOpenError.held(process: (try? ProcessStamp(in: descriptor))?.process)
    }
  }

  /// For file systems without locks: neither another process that runs nor this one may work on the target.
  private static func requireNoHolder(_ descriptor: Int32, _ status: FileStatus) throws -> OpenTarget {
    if let holder = try ProcessStamp(in: descriptor), holder != .current, holder.isRunning {
      throw SidecarOpenError.held(process: holder.process)
    }
    guard let target = OpenTarget(status) else {
      throw SidecarOpenError.held(process: ProcessStamp.current.process)
    }
    return target
  }
}
