package import DownloadCore
internal import Glibc
internal import Synchronization

/// The unfinished bytes of one download: `NAME.swiftget-part` next to the target.
///
/// Regular file only, never reached through a link. One thread writes; another may sync, start writeback or read at
/// the same time. Which of its bytes count is the sidecar's to say, and whether it is ours: whoever opens it or makes it
/// holds the sidecar.
package final class PartFile: Sendable {
  /// Where the finished file goes; the part file lies in the same directory.
  package let place: TargetPlace
  package let name: [UInt8]
  let descriptor: FileDescriptor
  /// Others could write to it before it was opened.
  package let wasExposed: Bool
  /// What the first failed sync said. The kernel may have dropped those bytes and would call the next sync good.
  private let failedSync = Mutex<SystemCallError?>(nil)

  private init(
    _ place: TargetPlace, name: [UInt8], _ descriptor: consuming FileDescriptor, wasExposed: Bool = false
  ) {
    self.place = place
    self.name = name
    self.descriptor = descriptor
    self.wasExposed = wasExposed
  }

  /// Opens the part file that an earlier run left; nil where there is none.
  ///
  /// - Throws: `foreign` for a file that is not ours; ELOOP for a symbolic link in its place, EISDIR for a directory,
  ///   EINVAL for anything else.
  package static func openExisting(_ place: TargetPlace) throws(PartOpenError) -> PartFile? {
    let name = TargetName.partName(for: place.name)
    // Write access to a pipe or a device may do something, so look before opening. What has got the final name is not
    // to be written to any more.
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

  /// Makes an empty part file, in place of one that is there.
  ///
  /// Only after the sidecar has stopped claiming anything of the old one (`SidecarFile.startOver`). The mode is 0600
  /// less the umask until publication: an unverified file is nobody's to use.
  ///
  /// - Throws: as `openExisting`, where what is there is not ours to remove.
  package static func create(_ place: TargetPlace) throws(PartOpenError) -> PartFile {
    try removeExisting(place)
    let name = TargetName.partName(for: place.name)
    do {
      let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
      return PartFile(place, name: name, try SystemCalls.openat(place.directory.raw, name, flags, mode: 0o600))
    } catch {
      throw .systemCall(error)
    }
  }

  /// Removes the part file that an earlier run left; none is no error.
  ///
  /// - Throws: as `openExisting`, where what is there is not ours to remove.
  package static func removeExisting(_ place: TargetPlace) throws(PartOpenError) {
    let name = TargetName.partName(for: place.name)
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
    /// The finished file, which a killed run has given its name and not yet taken this one from.
    case target
  }

  private static func look(_ name: [UInt8], _ place: TargetPlace) throws(PartOpenError) -> Found {
    guard let found = try status(name, in: place.directory) else { return .absent }
    if found.kind == .regular, found.linkCount == 2,
      try status(place.name, in: place.directory)?.isSameFile(as: found) == true
    {
      return .target
    }
    try found.requireOurs(name, in: place.directory)
    return .ours
  }

  /// nil where nothing has the name.
  private static func status(_ name: [UInt8], in directory: DirectoryHandle) throws(PartOpenError) -> FileStatus? {
    do {
      return try SystemCalls.fstatat(directory.raw, name)
    } catch {
      if error.isMissing { return nil }
      throw .systemCall(error)
    }
  }

  /// Writes all of `bytes`; on an error none of them count.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemCallError) {
    try SystemCalls.pwriteAll(descriptor.raw, bytes, at: offset, atMost: place.directory.writeByteCount)
  }

  /// Writes what is not in `recorded`, which may have been verified and stays as it is.
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

  /// Reads until the buffer is full or the file ends, and returns how many bytes that were.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemCallError) -> Int {
    try SystemCalls.preadAll(descriptor.raw, into: buffer, at: offset)
  }

  /// Bytes, holes included.
  package var size: Int64 {
    get throws(SystemCallError) { try SystemCalls.fstat(descriptor.raw).size }
  }

  /// Cuts off what lies behind `end`, which no record claims.
  package func cut(to end: Int64) throws(SystemCallError) {
    try SystemCalls.ftruncate(descriptor.raw, length: end)
  }

  /// Puts what was written on stable storage.
  ///
  /// A failure is final: the same error is thrown from then on and no sync is tried again. What was recorded as synced
  /// before still holds; nothing written since does, not even as `written` (`SidecarFile.startOver`).
  package func dataSync() throws(SystemCallError) {
    try syncOnce { () throws(SystemCallError) in try SystemCalls.fdatasync(descriptor.raw) }
  }

  /// As `dataSync`, with mode, times and attributes.
  func fullSync() throws(SystemCallError) {
    try syncOnce { () throws(SystemCallError) in try SystemCalls.fsync(descriptor.raw) }
  }

  private func syncOnce(_ sync: () throws(SystemCallError) -> Void) throws(SystemCallError) {
    if let error = failedSync.withLock({ $0 }) { throw error }
    do {
      try sync()
    } catch {
      failedSync.withLock { $0 = $0 ?? error }
      throw error
    }
    // Another thread's sync may have failed meanwhile and used the error up.
    if let error = failedSync.withLock({ $0 }) { throw error }
  }

  /// Has the kernel begin to write a range back, so that the sync at the end finds little to do. Promises nothing.
  package func startWriteback(_ range: Range<Int64>) {
    // A failure shows in the sync, which alone decides.
    try? SystemCalls.syncFileRange(descriptor.raw, range)
  }

  /// Removes the part file; one that is gone already, or whose name means another file by now, is no error.
  package func remove() throws(SystemCallError) { try descriptor.removeName(name, in: place.directory) }
}
