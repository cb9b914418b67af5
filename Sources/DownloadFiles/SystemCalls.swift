internal import CSwiftGetShims
package import DownloadCore
internal import Glibc

/// The system calls that DownloadFiles makes, typed; `FileDescriptor` closes.
///
/// CSwiftGetShims repeats calls that a signal interrupted and reads errno right after the call. Any thread may call.
package enum SystemCalls {
  /// The working directory, for calls that take a directory's descriptor.
  package static let workingDirectory = AT_FDCWD
  /// Effective user id: the owner of the files that this process makes.
  package static let user: UInt32 = geteuid()

  // MARK: Descriptors

  /// Adds O_CLOEXEC. `mode`, less the umask, applies only to a file that this call creates.
  package static func openat(
    _ directory: Int32, _ path: [UInt8], _ flags: Int32, mode: UInt32 = 0
  ) throws(SystemCallError) -> FileDescriptor {
    let raw = try Interception.perform(.openat, CallDetail(directory, path, flags: flags, mode: mode)) {
      file_openat(directory, path, path.count, flags, mode)
    }
    return FileDescriptor(owning: Int32(truncatingIfNeeded: raw))
  }

  package static func duplicate(_ descriptor: Int32) throws(SystemCallError) -> FileDescriptor {
    let raw = try Interception.perform(.dup, CallDetail(descriptor)) { file_duplicate(descriptor) }
    return FileDescriptor(owning: Int32(truncatingIfNeeded: raw))
  }

  // MARK: Bytes

  /// The most bytes per write to a file system on a disk.
  ///
  /// ext4 allocates page cache in units as large as the write. Large units may have to be freed first, or fetched back
  /// from the host by a virtual machine that returns free memory. There, 1 GiB took twice as long in writes of 256 KiB
  /// as in writes of this size, and 2,000 files of 100 KiB took half as long again in writes of 64 KiB. tmpfs allocates
  /// single pages whatever the write; writes of 256 KiB are 10 to 25 % faster there.
  package static let diskWriteByteCount = 16 << 10

  /// - Returns: bytes written, which may be fewer than given.
  package static func pwrite(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(SystemCallError) -> Int {
    try Interception.performCounted(.pwrite, CallDetail(descriptor, writing: bytes, at: offset), count: bytes.count) {
      file_pwrite(descriptor, bytes.baseAddress, $0, offset)
    }
  }

  /// Writes all bytes.
  ///
  /// - Parameter atMost: bytes per call.
  package static func pwriteAll(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64, atMost: Int = diskWriteByteCount
  ) throws(SystemCallError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done..<done + min(atMost, bytes.count - done)])
      let written = try pwrite(descriptor, rest, at: offset + Int64(done))
      // A file system that takes nothing and gives no reason would keep this loop running for ever.
      if written == 0 { throw SystemCallError(.pwrite, EIO) }
      done += written
    }
  }

  /// Writes all bytes.
  package static func pwriteAll(
    _ descriptor: Int32, _ bytes: [UInt8], at offset: Int64
  ) throws(SystemCallError) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(SystemCallError) in
      try pwriteAll(descriptor, UnsafeRawBufferPointer(buffer), at: offset)
    }
  }

  /// - Returns: bytes read; 0 at the end of the file.
  package static func pread(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemCallError) -> Int {
    try Interception.performCounted(
      .pread, CallDetail(descriptor, offset: offset, length: Int64(buffer.count)), count: buffer.count
    ) {
      file_pread(descriptor, buffer.baseAddress, $0, offset)
    }
  }

  /// Reads until the buffer is full or the file ends.
  /// - Returns: bytes read.
  package static func preadAll(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemCallError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try pread(descriptor, into: rest, at: offset + Int64(done))
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Reads `limit` bytes from `offset` on, or fewer where the file ends before.
  package static func preadAll(
    _ descriptor: Int32, limit: Int, at offset: Int64
  ) throws(SystemCallError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(SystemCallError) in
      try preadAll(descriptor, into: UnsafeMutableRawBufferPointer(buffer), at: offset)
    }
    bytes.removeLast(limit - count)
    return bytes
  }

  /// All bytes of a file; nil where it cannot be read. Follows no symbolic link.
  ///
  /// - Parameter limit: more bytes are not read.
  package static func content(of name: [UInt8], in directory: Int32, atMost limit: Int = .max) -> [UInt8]? {
    guard let file = try? openat(directory, name, O_RDONLY | O_NOFOLLOW), let size = try? fstat(file.raw).size else {
      return nil
    }
    return try? preadAll(file.raw, limit: min(Int(size), limit), at: 0)
  }

  package static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> Int {
    try Interception.performCounted(.write, CallDetail(descriptor, writing: bytes, at: 0), count: bytes.count) {
      file_write(descriptor, bytes.baseAddress, $0)
    }
  }

  /// Waits until the descriptor accepts bytes or has failed.
  /// - Parameter milliseconds: -1 waits without limit.
  /// - Returns: false on timeout.
  package static func pollWritable(_ descriptor: Int32, milliseconds: Int32) throws(SystemCallError) -> Bool {
    try Interception.perform(.poll, CallDetail(descriptor)) { file_poll_writable(descriptor, milliseconds) } > 0
  }

  package static func ftruncate(_ descriptor: Int32, length: Int64) throws(SystemCallError) {
    _ = try Interception.perform(.ftruncate, CallDetail(descriptor, length: length)) {
      file_ftruncate(descriptor, length)
    }
  }

  // MARK: Stable storage

  /// - Returns: false where the file system cannot sync such files.
  @discardableResult
  package static func fdatasync(_ descriptor: Int32) throws(SystemCallError) -> Bool {
    try synced { () throws(SystemCallError) in
      try Interception.perform(.fdatasync, CallDetail(descriptor)) { file_fdatasync(descriptor) }
    }
  }

  /// - Returns: as `fdatasync`.
  @discardableResult
  package static func fsync(_ descriptor: Int32) throws(SystemCallError) -> Bool {
    try synced { () throws(SystemCallError) in
      try Interception.perform(.fsync, CallDetail(descriptor)) { file_fsync(descriptor) }
    }
  }

  /// Syncs the whole file system that holds the descriptor's file.
  /// - Returns: as `fdatasync`.
  static func syncfs(_ descriptor: Int32) throws(SystemCallError) -> Bool {
    try synced { () throws(SystemCallError) in
      try Interception.perform(.syncfs, CallDetail(descriptor)) { file_syncfs(descriptor) }
    }
  }

  /// As `syncfs`, or for all file systems where this one cannot be synced alone.
  package static func syncFileSystem(_ descriptor: Int32) throws(SystemCallError) {
    if try !syncfs(descriptor) { try sync() }
  }

  /// Some file systems have no sync, and others none for directories. That is no failed write.
  private static func synced(_ sync: () throws(SystemCallError) -> Int) throws(SystemCallError) -> Bool {
    do { _ = try sync() } catch let error where [EINVAL, EOPNOTSUPP, ENOSYS].contains(error.errno) { return false }
    return true
  }

  /// Syncs all file systems. Reports no errors.
  package static func sync() throws(SystemCallError) {
    _ = try Interception.perform(.sync, CallDetail(-1)) { file_sync() }
  }

  /// Starts writeback of a range without waiting. Guarantees nothing about stable storage.
  package static func syncFileRange(_ descriptor: Int32, _ range: Range<Int64>) throws(SystemCallError) {
    let length = range.upperBound - range.lowerBound
    _ = try Interception.perform(.syncFileRange, CallDetail(descriptor, offset: range.lowerBound, length: length)) {
      file_sync_file_range(descriptor, range.lowerBound, length)
    }
  }

  // MARK: Names

  /// - Parameter replacing: false fails with EEXIST where `to` exists, and with EINVAL where the file system does not
  ///   support RENAME_NOREPLACE.
  package static func renameat(
    _ fromDirectory: Int32, _ from: [UInt8], _ toDirectory: Int32, _ to: [UInt8], replacing: Bool
  ) throws(SystemCallError) {
    let flags = replacing ? 0 : FILE_RENAME_NOREPLACE
    _ = try Interception.perform(.renameat, CallDetail(fromDirectory, from, toDirectory, to, flags: Int32(flags))) {
      file_renameat(fromDirectory, from, from.count, toDirectory, to, to.count, flags)
    }
  }

  /// Makes each of two names refer to what the other one did, at once.
  ///
  /// - Throws: EINVAL where the file system does not support RENAME_EXCHANGE, ENOSYS before Linux 3.15.
  package static func exchange(
    _ oneDirectory: Int32, _ one: [UInt8], _ otherDirectory: Int32, _ other: [UInt8]
  ) throws(SystemCallError) {
    let detail = CallDetail(oneDirectory, one, otherDirectory, other, flags: Int32(FILE_RENAME_EXCHANGE))
    _ = try Interception.perform(.renameat, detail) {
      file_renameat(oneDirectory, one, one.count, otherDirectory, other, other.count, FILE_RENAME_EXCHANGE)
    }
  }

  package static func linkat(
    _ fromDirectory: Int32, _ from: [UInt8], _ toDirectory: Int32, _ to: [UInt8], flags: Int32
  ) throws(SystemCallError) {
    _ = try Interception.perform(.linkat, CallDetail(fromDirectory, from, toDirectory, to, flags: flags)) {
      file_linkat(fromDirectory, from, from.count, toDirectory, to, to.count, flags)
    }
  }

  package static func unlinkat(_ directory: Int32, _ name: [UInt8]) throws(SystemCallError) {
    _ = try Interception.perform(.unlinkat, CallDetail(directory, name)) { file_unlinkat(directory, name, name.count) }
  }

  /// Removes an empty directory.
  package static func rmdirat(_ directory: Int32, _ name: [UInt8]) throws(SystemCallError) {
    _ = try Interception.perform(.unlinkat, CallDetail(directory, name)) { file_rmdirat(directory, name, name.count) }
  }

  package static func mkdirat(_ directory: Int32, _ name: [UInt8], mode: UInt32) throws(SystemCallError) {
    _ = try Interception.perform(.mkdirat, CallDetail(directory, name, mode: mode)) {
      file_mkdirat(directory, name, name.count, mode)
    }
  }

  // MARK: Status, locks and attributes

  package static func fstat(_ descriptor: Int32) throws(SystemCallError) -> FileStatus {
    var status = file_status()
    _ = try Interception.perform(.fstat, CallDetail(descriptor)) { file_fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// Does not follow a symbolic link in the last component.
  package static func fstatat(_ directory: Int32, _ name: [UInt8]) throws(SystemCallError) -> FileStatus {
    var status = file_status()
    _ = try Interception.perform(.fstatat, CallDetail(directory, name)) {
      file_fstatat(directory, name, name.count, &status)
    }
    return FileStatus(status)
  }

  /// As `fstatat`; nil where nothing has the name.
  package static func statusIfThere(_ directory: Int32, _ name: [UInt8]) throws(SystemCallError) -> FileStatus? {
    do { return try fstatat(directory, name) } catch let error where error.isMissing { return nil }
  }

  package static func fstatfs(_ descriptor: Int32) throws(SystemCallError) -> FileSystemStatus {
    var status = file_system_status()
    _ = try Interception.perform(.fstatfs, CallDetail(descriptor)) { file_fstatfs(descriptor, &status) }
    func byteCount(_ blocks: UInt64) -> Int64 {
      let (bytes, overflow) = Int64(clamping: blocks).multipliedReportingOverflow(by: status.block_size)
      return overflow ? .max : bytes
    }
    return FileSystemStatus(
      availableByteCount: byteCount(status.available_blocks), byteCount: byteCount(status.blocks),
      isInMemory: status.in_memory != 0, isOverlay: status.overlay != 0,
      isRemote: status.remote != 0, nameLimit: Int(clamping: status.name_limit))
  }

  /// Takes the exclusive lock, or fails with EWOULDBLOCK.
  package static func flock(_ descriptor: Int32) throws(SystemCallError) {
    _ = try Interception.perform(.flock, CallDetail(descriptor)) { file_lock(descriptor) }
  }

  package static func fchmod(_ descriptor: Int32, mode: UInt32) throws(SystemCallError) {
    _ = try Interception.perform(.fchmod, CallDetail(descriptor, mode: mode)) { file_fchmod(descriptor, mode) }
  }

  /// - Parameter modified: nil sets the current time.
  package static func futimens(_ descriptor: Int32, modified: FileTime?) throws(SystemCallError) {
    _ = try Interception.perform(.futimens, CallDetail(descriptor)) {
      file_futimens(descriptor, modified?.seconds ?? 0, modified?.nanoseconds ?? 0, modified == nil ? 1 : 0)
    }
  }

  package static func fsetxattr(_ descriptor: Int32, _ name: AttributeName, _ value: [UInt8]) throws(SystemCallError) {
    _ = try Interception.perform(.fsetxattr, CallDetail(descriptor, Array(name.rawValue.utf8), value: value)) {
      name.rawValue.withCString { file_fsetxattr(descriptor, $0, value, value.count) }
    }
  }

  /// - Throws: ENODATA where there is none.
  package static func fremovexattr(_ descriptor: Int32, _ name: AttributeName) throws(SystemCallError) {
    _ = try Interception.perform(.fremovexattr, CallDetail(descriptor, Array(name.rawValue.utf8))) {
      name.rawValue.withCString { file_fremovexattr(descriptor, $0) }
    }
  }

  /// - Returns: the length of the value.
  /// - Throws: ENODATA where there is none, ERANGE where the buffer is too short.
  package static func fgetxattr(
    _ descriptor: Int32, _ name: AttributeName, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemCallError) -> Int {
    try Interception.perform(.fgetxattr, CallDetail(descriptor, Array(name.rawValue.utf8))) {
      name.rawValue.withCString { file_fgetxattr(descriptor, $0, buffer.baseAddress, buffer.count) }
    }
  }
  /// Reads an attribute of a file by its name. Does not follow a symbolic link in the last component.
  ///
  /// - Returns: the length of the value.
  /// - Throws: ENODATA and ERANGE as `fgetxattr`, ENOSYS before Linux 6.13.
  package static func getxattrat(
    _ directory: Int32, _ file: [UInt8], _ name: AttributeName, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemCallError) -> Int {
    try Interception.perform(
      .getxattrat, CallDetail(directory, file, directory, Array(name.rawValue.utf8), flags: 0)
    ) {
      name.rawValue.withCString { file_getxattrat(directory, file, file.count, $0, buffer.baseAddress, buffer.count) }
    }
  }
}
