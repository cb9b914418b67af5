internal import CSwiftGetShims
package import DownloadCore
internal import Glibc
internal import Synchronization

/// Gives finished files their final names, so that a final name always refers to a complete file.
///
/// The order is always: times, mode and attributes; sync of the file; the name; sync of the directory. Any thread may
/// publish, but only one thread per place at a time.
package final class Publisher: Sendable {
  /// Attempts at a temporary name that is free; names are taken by killed runs and by runs with the same process id.
  private static let nameAttemptCount = 1000

  private let umask: UInt32
  /// Milliseconds after which a mark is written again before the file gets its name.
  private let markPatience: Int64
  private let process: Int32
  private let temporaryCount = Atomic<Int>(0)
  private let groupSync = GroupSync()
  /// Whether an unnamed file can be linked to a name; both ways may need /proc.
  private let linksUnnamedFiles: Bool
  /// Whether to try AT_EMPTY_PATH. Cleared when refused; before Linux 6.10 it needs a capability.
  private let linksByEmptyPath = Atomic<Bool>(true)

  /// Call it on the main thread before other threads exist; see `FileCreationMask`.
  package convenience init() { self.init(markPatience: FreshMark.patience) }

  init(markPatience: Int64) {
    self.markPatience = markPatience
    umask = FileCreationMask.current
    process = getpid()
    let descriptors = try? SystemCalls.fstatat(SystemCalls.workingDirectory, Array("/proc/self/fd".utf8))
    linksUnnamedFiles = descriptors?.kind == .directory
  }

  // MARK: One large file

  /// Gives a complete, verified part file its final name and removes its sidecar.
  ///
  /// - Parameters:
  ///   - byteCount: the expected length; nil is not checked.
  ///   - syncs: false neither syncs nor writes attributes.
  ///   - isStopped: asked after the sync, which may take long; then nothing more is done.
  /// - Returns: what an index may remember of the file; nil where it has no mark.
  @discardableResult
  package func publish(
    _ part: PartFile, sidecar: SidecarFile?, byteCount: Int64?, _ order: PublishOrder, syncs: Bool,
    isStopped: () -> Bool = { false }
  ) throws(PublicationError) -> FinishedFile? {
    try translated { () throws(SystemCallError) in try sidecar?.requireHeld() }
    try check(part, byteCount)
    let raw = part.descriptor.raw
    let mark = try translated { () throws(SystemCallError) in
      try setRights(of: raw, at: part.place, order)
      let mark = try order.attributes.apply(to: raw, modified: order.modified, marks: syncs)
      do throws(SystemCallError) {
        if syncs {
          try part.fullSync()
        } else {
          // NFS reports failed writes when a descriptor is closed.
          try SystemCalls.duplicate(raw).close()
        }
      } catch {
        sidecar?.keepSyncedOnly(after: error)
        throw error
      }
      return mark
    }
    if isStopped() { throw .stopped }
    let finished = mark?.renew(on: raw, patience: markPatience)
    try move(part.place.directory, part.name, to: part.place, isReplacing: order.isReplacing, syncs: syncs)
    if syncs {
      do { try part.place.directory.sync() } catch { throw .directorySync(error) }
    }
    try translated { () throws(SystemCallError) in try sidecar?.remove() }
    return finished
  }

  /// Renames a part file with wrong content to `NAME.swiftget-bad`, replacing an older one, and removes its sidecar.
  ///
  /// - Returns: the new name, in the target's directory.
  /// - Throws: `foreign` where somebody else's file has that name; the part file stays then.
  @discardableResult
  package func setAside(_ part: PartFile, sidecar: SidecarFile?) throws(PartOpenError) -> [UInt8] {
    let name = part.place.rejectedName
    let directory = part.place.directory
    let isReplacing = try Self.mayReplace(name, in: directory)
    do throws(SystemCallError) {
      // The name may refer to another file by now.
      guard try part.descriptor.isNamed(part.name, in: directory) else { throw SystemCallError(.renameat, ENOENT) }
      if isReplacing {
        try SystemCalls.renameat(directory.raw, part.name, directory.raw, name, replacing: true)
      } else {
        try FileTree.move(directory.raw, part.name, to: name)
      }
      try sidecar?.remove()
    } catch {
      throw .systemCall(error)
    }
    return name
  }

  /// Whether content that was set aside has the name; false where nothing has it.
  private static func mayReplace(_ name: [UInt8], in directory: DirectoryHandle) throws(PartOpenError) -> Bool {
    let found: FileStatus?
    do { found = try SystemCalls.statusIfThere(directory.raw, name) } catch { throw .systemCall(error) }
    guard let status = found else { return false }
    try status.requireOurs(name, in: directory)
    // Part files are private from the first byte on, where the file system has modes.
    guard status.mode & FileMode.ofOthers == 0 || !directory.makesPrivateFiles else {
      throw .foreign(ForeignFile(name: name, .notPrivate))
    }
    return true
  }

  /// Removes content that was set aside, now that the right file is in place. A file that others own or that has other
  /// names stays.
  package static func removeRejected(beside place: TargetPlace) {
    let name = place.rejectedName
    guard (try? mayReplace(name, in: place.directory)) == true else { return }
    try? SystemCalls.unlinkat(place.directory.raw, name)
  }

  /// Checks that the part file has the expected length and that its name still refers to it.
  private func check(_ part: PartFile, _ byteCount: Int64?) throws(PublicationError) {
    let (status, isNamed) = try translated { () throws(SystemCallError) in
      (try SystemCalls.fstat(part.descriptor.raw), try part.descriptor.isNamed(part.name, in: part.place.directory))
    }
    if let byteCount, status.size != byteCount { throw .wrongLength(found: status.size) }
    if !isNamed { throw .partReplaced }
  }

  // MARK: Small files in groups

  /// Writes a small file to its directory without giving it its final name. Holds one descriptor until publication.
  package func stage(_ file: SmallFile, syncs: Bool) throws(SystemCallError) -> StagedFile {
    let directory = file.place.directory
    let replaced = file.order.isReplacing ? ReplacedFile(in: directory.raw, file.place.name) : nil
    let own = replaced == nil ? ownMode(file.order.umask, in: directory) : nil
    // Nobody may read what will be in it who may not read what it replaces.
    let mode = replaced == nil ? own ?? FileMode.new : FileMode.ownerOnly
    if linksUnnamedFiles, directory.supportsUnnamedFiles {
      do {
        let flags = FILE_O_TMPFILE | O_RDWR
        return try fill(
          file, SystemCalls.openat(directory.raw, currentName, flags, mode: mode), temporaryName: nil,
          replaced: replaced, mode: own, syncs: syncs)
      } catch let error
        where error.call == .openat && [EOPNOTSUPP, EISDIR, EINVAL, ENOENT, ENOSYS].contains(error.errno)
      {
        // NFS, FAT and FUSE have no unnamed files, and refuse them with different errors.
        directory.supportsUnnamedFiles = false
      }
    }
    for _ in 0..<Self.nameAttemptCount {
      let name = freshName(for: file.place)
      do {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        return try fill(
          file, SystemCalls.openat(directory.raw, name, flags, mode: mode),
          temporaryName: TemporaryName(directory, name), replaced: replaced, mode: own, syncs: syncs)
      } catch let error where error.call == .openat && error.errno == EEXIST {
        // The file belongs to a killed run, or to a run with the same process id in another container. Leave it.
      }
    }
    throw SystemCallError(.openat, EEXIST)
  }

  private func fill(
    _ file: SmallFile, _ descriptor: consuming FileDescriptor, temporaryName: TemporaryName?, replaced: ReplacedFile?,
    mode: UInt32?, syncs: Bool
  ) throws(SystemCallError) -> StagedFile {
    let raw = descriptor.raw
    try SystemCalls.pwriteAll(raw, file.body.bytes, at: 0)
    try replaced?.giveRights(to: raw)
    if let mode { try FileMode.set(mode, of: raw) }
    let mark = try file.order.attributes.apply(to: raw, modified: file.order.modified, marks: syncs)
    let device = syncs ? try file.place.directory.device : 0
    if !syncs, temporaryName != nil { try SystemCalls.duplicate(raw).close() }
    return StagedFile(file, descriptor, temporaryName: temporaryName, device: device, mark: mark)
  }

  /// Gives staged files their names: syncs all files, names all, then syncs each directory once.
  ///
  /// - Parameter isStopped: asked before each name; then no further file gets one.
  /// - Returns: for each file, in their order, what an index may remember of it, or why it has no name. A failure affects
  ///   one file only.
  package func publishGroup(
    _ files: [StagedFile], syncs: Bool, isStopped: () -> Bool = { false }
  ) -> [Result<FinishedFile?, PublicationError>] {
    var results = [Result<FinishedFile?, PublicationError>](repeating: .success(nil), count: files.count)
    if syncs {
      let errors = groupSync.sync(files.map { ($0.descriptor.raw, $0.device, $0.place.directory) })
      for (index, error) in errors.enumerated() {
        if let error { results[index] = .failure(.systemCall(error)) }
      }
    }
    var directories = [DirectoryHandle?](repeating: nil, count: files.count)
    for index in files.indices {
      guard case .success = results[index] else { continue }
      do throws(PublicationError) {
        if isStopped() { throw .stopped }
        results[index] = .success(try name(files[index]))
        directories[index] = files[index].place.directory
      } catch {
        results[index] = .failure(error)
      }
    }
    guard syncs else { return results }
    for (index, error) in GroupSync.syncNames(in: directories).enumerated() {
      if let error { results[index] = .failure(.directorySync(error)) }
    }
    return results
  }

  private func name(_ file: StagedFile) throws(PublicationError) -> FinishedFile? {
    let finished = file.mark?.renew(on: file.descriptor.raw, patience: markPatience)
    if let temporary = file.temporaryName {
      try move(temporary.directory, temporary.name, to: file.place, isReplacing: file.isReplacing, syncs: false)
      temporary.markGone()
      return finished
    }
    do throws(SystemCallError) {
      try link(file.descriptor.raw, file.place.directory, file.place.name)
    } catch let error where error.errno == EEXIST {
      guard file.isReplacing else { throw .targetAppeared }
      // linkat cannot replace a name. Link a temporary name, then rename it.
      try translated { () throws(SystemCallError) in
        let temporary = try linkBeside(file)
        let directory = file.place.directory.raw
        try SystemCalls.renameat(directory, temporary.name, directory, file.place.name, replacing: true)
        temporary.markGone()
      }
    } catch {
      throw .systemCall(error)
    }
    return finished
  }

  private func linkBeside(_ file: StagedFile) throws(SystemCallError) -> TemporaryName {
    for _ in 0..<Self.nameAttemptCount {
      let name = freshName(for: file.place)
      do {
        try link(file.descriptor.raw, file.place.directory, name)
        return TemporaryName(file.place.directory, name)
      } catch let error where error.errno == EEXIST {
        continue
      }
    }
    throw SystemCallError(.linkat, EEXIST)
  }

  private func link(_ descriptor: Int32, _ directory: DirectoryHandle, _ name: [UInt8]) throws(SystemCallError) {
    if linksByEmptyPath.load(ordering: .relaxed) {
      do {
        return try SystemCalls.linkat(descriptor, [], directory.raw, name, flags: FILE_AT_EMPTY_PATH)
      } catch let error where error.errno == ENOENT || error.errno == EPERM {
        linksByEmptyPath.store(false, ordering: .relaxed)
      }
    }
    let path = Array("/proc/self/fd/\(descriptor)".utf8)
    try SystemCalls.linkat(SystemCalls.workingDirectory, path, directory.raw, name, flags: AT_SYMLINK_FOLLOW)
  }

  // MARK: Names and rights

  private func move(
    _ directory: DirectoryHandle, _ name: [UInt8], to place: TargetPlace, isReplacing: Bool, syncs: Bool
  ) throws(PublicationError) {
    let target = place.directory.raw
    do throws(SystemCallError) {
      do {
        try SystemCalls.renameat(directory.raw, name, target, place.name, replacing: isReplacing)
      } catch let error where !isReplacing && [EINVAL, ENOSYS, ENOTSUP].contains(error.errno) {
        try moveByLink(directory, name, to: place, syncs: syncs)
      }
    } catch {
      throw !isReplacing && error.errno == EEXIST ? .targetAppeared : .systemCall(error)
    }
  }

  /// For file systems without RENAME_NOREPLACE.
  private func moveByLink(
    _ directory: DirectoryHandle, _ name: [UInt8], to place: TargetPlace, syncs: Bool
  ) throws(SystemCallError) {
    do {
      try SystemCalls.linkat(directory.raw, name, place.directory.raw, place.name, flags: 0)
      // After a power cut the old name may be gone and the new one not there yet.
      if syncs { try place.directory.sync() }
      try SystemCalls.unlinkat(directory.raw, name)
    } catch let error where error.call == .linkat && [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(error.errno) {
      // No links either (FAT): inspect the name, then rename. A file that appears in between is lost.
      do {
        _ = try SystemCalls.fstatat(place.directory.raw, place.name)
      } catch let error where error.isMissing {
        return try SystemCalls.renameat(directory.raw, name, place.directory.raw, place.name, replacing: true)
      }
      throw SystemCallError(.renameat, EEXIST)
    }
  }

  /// Gives a part file the rights of the file that it replaces, or those of a new file there: the umask is not all that
  /// decides about these.
  private func setRights(of part: Int32, at place: TargetPlace, _ order: PublishOrder) throws(SystemCallError) {
    if order.isReplacing, let replaced = ReplacedFile(in: place.directory.raw, place.name) {
      return try replaced.giveRights(to: part)
    }
    let own = ownMode(order.umask, in: place.directory)
    if let new = newFile(in: place.directory, mode: own ?? FileMode.new) {
      try FileMode.adopt(new.raw, on: part)
      if own == nil { return }
    }
    try FileMode.set(own ?? FileMode.new & ~umask, of: part)
  }

  /// The mode of a new file for somebody with another umask than the process; nil if that umask makes no difference.
  private func ownMode(_ other: UInt32?, in directory: DirectoryHandle) -> UInt32? {
    guard let other, other != umask, !directory.hasDefaultAccessList else { return nil }
    return FileMode.new & ~other
  }

  /// An empty file without a name; nil where none can be made.
  private func newFile(in directory: DirectoryHandle, mode: UInt32) -> FileDescriptor? {
    if directory.supportsUnnamedFiles,
      let file = try? SystemCalls.openat(directory.raw, currentName, FILE_O_TMPFILE | O_WRONLY, mode: mode)
    {
      return file
    }
    guard let file = try? TemporaryFile(in: directory.raw, beside: [], access: O_WRONLY, mode: mode) else {
      return nil
    }
    try? SystemCalls.unlinkat(directory.raw, file.name)
    return file.descriptor
  }

  private func freshName(for place: TargetPlace) -> [UInt8] {
    let number = temporaryCount.add(1, ordering: .relaxed).newValue
    return StoredName.temporary(
      of: place.name, process: process, number: number, limit: place.directory.nameLimit)
  }

  private func translated<Value>(
    _ body: () throws(SystemCallError) -> Value
  ) throws(PublicationError) -> Value {
    do { return try body() } catch { throw .systemCall(error) }
  }
}

private let currentName = [UInt8(ascii: ".")]
