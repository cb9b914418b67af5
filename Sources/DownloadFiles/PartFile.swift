package import DownloadCore
internal import Glibc

/// The part file of an earlier run.
package struct LeftPart: Hashable, Sendable {
  /// In bytes.
  package let size: Int64
  /// Whether others could write to it.
  package let wasExposed: Bool
}

/// The unfinished bytes of one download: `NAME.swiftget-part` next to the target.
///
/// Always a regular file, opened without following links. One thread writes; another may sync, start writeback or read
/// at the same time. The sidecar records which of its bytes count and vouches for the file: hold the sidecar before you
/// open or make a part file.
package final class PartFile: Sendable {
  /// Where the finished file goes; the part file lies in the same directory.
  package let place: TargetPlace
  package let name: [UInt8]
  let descriptor: FileDescriptor
  /// Whether others could write to it before it was opened.
  package let wasExposed: Bool
  /// The error of the first failed sync. The kernel may have dropped those pages and would report the next sync as
  /// good.
  private let failedSync = Lock<SystemCallError?>(nil)

  private init(
    _ place: TargetPlace, name: [UInt8], _ descriptor: consuming FileDescriptor, wasExposed: Bool = false
  ) {
    self.place = place
    self.name = name
    self.descriptor = descriptor
    self.wasExposed = wasExposed
  }

  /// Opens the part file of an earlier run; nil where there is none.
  ///
  /// - Throws: `foreign` for a file that is not ours, or is no regular file.
  package static func openExisting(_ place: TargetPlace) throws(PartOpenError) -> PartFile? {
    let name = place.partName
    // Opening a pipe or a device for writing may have an effect, so inspect it first. A file that already has its final
    // name must not be written to.
    guard try look(name, place) == .ours else { return nil }
    do {
      let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
      let descriptor = try SystemCalls.openat(place.directory.raw, name, flags)
      let status = try SystemCalls.fstat(descriptor.raw)
      try status.requireOurs(name, in: place.directory)
      let wasExposed = descriptor.makePrivate(status)
      return PartFile(place, name: name, descriptor, wasExposed: wasExposed)
    } catch let error as SystemCallError {
      if error.isMissing { return nil }
      throw .systemCall(error)
    } catch let error as PartOpenError {
      throw error
    } catch {
      throw .systemCall(SystemCallError(.openat, EIO))
    }
  }

  /// What an earlier run left, without opening or changing anything; nil where there is no part file.
  ///
  /// - Throws: as `openExisting`.
  package static func peek(_ place: TargetPlace) throws(PartOpenError) -> LeftPart? {
    let name = place.partName
    guard try look(name, place, probesOwner: false) == .ours, let status = try status(name, in: place.directory) else {
      return nil
    }
    return LeftPart(size: status.size, wasExposed: status.mode & FileMode.writableByOthers != 0)
  }

  /// What tells whether another program has written to the file since. Times are by the file system's clock, which may
  /// stand still for some milliseconds.
  package struct Seal: Hashable, Sendable {
    fileprivate let size: Int64
    fileprivate let modified: FileTime
    fileprivate let changed: FileTime
  }

  /// What has happened to a file since it was sealed.
  package enum Touch: Hashable, Sendable {
    case none
    /// Attributes, mode or names, or content whose time was restored.
    case metadata
    case content
  }

  /// Dates the file back, so that every later write changes its time.
  package func seal() throws(SystemCallError) -> Seal {
    // A file system that sets no times has its own.
    try? SystemCalls.futimens(descriptor.raw, modified: FileTime(seconds: 0))
    return try currentSeal()
  }

  package func touch(since seal: Seal) throws(SystemCallError) -> Touch {
    let now = try currentSeal()
    if now.size != seal.size || now.modified != seal.modified { return .content }
    return now.changed == seal.changed ? .none : .metadata
  }

  private func currentSeal() throws(SystemCallError) -> Seal {
    let status = try SystemCalls.fstat(descriptor.raw)
    return Seal(size: status.size, modified: status.modified, changed: status.changed)
  }

  /// What it holds of an earlier run.
  package func asLeft() throws(PartOpenError) -> LeftPart {
    do { return LeftPart(size: try size, wasExposed: wasExposed) } catch { throw .systemCall(error) }
  }

  /// Makes an empty part file, and removes an existing one first.
  ///
  /// Call it after `SidecarFile.startOver`, so that no record claims bytes of the old file. The mode is 0600 less the
  /// umask until publication: an unverified file is not for others to use.
  ///
  /// - Throws: as `openExisting`, where the existing file is not ours.
  package static func create(_ place: TargetPlace) throws(PartOpenError) -> PartFile {
    try removeExisting(place)
    let name = place.partName
    do {
      let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
      return PartFile(
        place, name: name, try SystemCalls.openat(place.directory.raw, name, flags, mode: FileMode.ownerOnly))
    } catch {
      throw .systemCall(error)
    }
  }

  /// Removes the part file of an earlier run, if there is one.
  ///
  /// - Throws: as `openExisting`, where the file is not ours.
  package static func removeExisting(_ place: TargetPlace) throws(PartOpenError) {
    let name = place.partName
    guard try look(name, place) != .absent else { return }
    do {
      try SystemCalls.unlinkat(place.directory.raw, name)
    } catch {
      if !error.isMissing { throw .systemCall(error) }
    }
  }

  private enum Found {
    case absent
    case ours
    /// The finished file: a run was killed after linking the final name and before removing this one.
    case target
  }

  private static func look(
    _ name: [UInt8], _ place: TargetPlace, probesOwner: Bool = true
  ) throws(PartOpenError) -> Found {
    guard let found = try status(name, in: place.directory) else { return .absent }
    if found.kind == .regular, found.linkCount == 2,
      try status(place.name, in: place.directory)?.isSameFile(as: found) == true
    {
      return .target
    }
    try found.requireOurs(name, in: place.directory, probesOwner: probesOwner)
    return .ours
  }

  /// Nil where nothing has the name.
  private static func status(_ name: [UInt8], in directory: DirectoryHandle) throws(PartOpenError) -> FileStatus? {
    do { return try SystemCalls.statusIfThere(directory.raw, name) } catch { throw .systemCall(error) }
  }

  /// Writes all bytes. On an error, none of them count.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemCallError) {
    try SystemCalls.pwriteAll(descriptor.raw, bytes, at: offset, atMost: place.directory.writeByteCount)
  }

  /// Writes the bytes outside `recorded`. Recorded bytes may have been verified and are not overwritten.
  ///
  /// - Returns: the ranges that were written.
  package func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64, keeping recorded: ByteRangeSet
  ) throws(SystemCallError) -> [Range<Int64>] {
    let gaps = recorded.gaps(in: offset..<offset + Int64(bytes.count))
    for gap in gaps {
      let part = bytes[Int(gap.lowerBound - offset)..<Int(gap.upperBound - offset)]
      try write(UnsafeRawBufferPointer(rebasing: part), at: gap.lowerBound)
    }
    return gaps
  }

  /// Reads until the buffer is full or the file ends.
  /// - Returns: bytes read.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemCallError) -> Int {
    try SystemCalls.preadAll(descriptor.raw, into: buffer, at: offset)
  }

  /// The length in bytes, holes included.
  package var size: Int64 {
    get throws(SystemCallError) { try SystemCalls.fstat(descriptor.raw).size }
  }

  /// Truncates the file to `end` bytes. No record may claim bytes beyond that.
  package func cut(to end: Int64) throws(SystemCallError) {
    try SystemCalls.ftruncate(descriptor.raw, length: end)
  }

  /// Puts the written bytes on stable storage.
  ///
  /// A failure is final: later calls throw the same error and do not sync. Ranges recorded as synced before remain
  /// valid. Bytes written since must not be recorded even as `written`; see `SidecarFile.startOver`.
  ///
  /// - Returns: false where the file system cannot sync. Then nothing is known to be on stable storage.
  package func dataSync() throws(SystemCallError) -> Bool {
    try syncOnce { () throws(SystemCallError) in try SystemCalls.fdatasync(descriptor.raw) }
  }

  /// As `dataSync`, including mode, times and attributes.
  @discardableResult
  func fullSync() throws(SystemCallError) -> Bool {
    try syncOnce { () throws(SystemCallError) in try SystemCalls.fsync(descriptor.raw) }
  }

  private func syncOnce(_ sync: () throws(SystemCallError) -> Bool) throws(SystemCallError) -> Bool {
    if let error = failedSync.withLock({ $0 }) { throw error }
    let isSynced: Bool
    do {
      isSynced = try sync()
    } catch {
      failedSync.withLock { $0 = $0 ?? error }
      throw error
    }
    // The kernel reports an error once, so the failed sync of another thread may have consumed it.
    if let error = failedSync.withLock({ $0 }) { throw error }
    place.directory.note(synced: isSynced)
    return isSynced
  }

  /// Starts writeback of a range, so that the sync at the end has less to do. Guarantees nothing.
  package func startWriteback(_ range: Range<Int64>) {
    // Only the sync decides; it reports failed writes.
    try? SystemCalls.syncFileRange(descriptor.raw, range)
  }

  /// Removes the part file. No error where it is gone or its name refers to another file.
  package func remove() throws(SystemCallError) { try descriptor.removeName(name, in: place.directory) }
}
