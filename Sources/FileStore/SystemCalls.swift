internal import CShims
package import DownloadCore
internal import Glibc

/// The single place that calls the kernel for files.
///
/// Calls that a signal interrupted are repeated, and the error number is read right after the call (both in CShims).
/// Any thread may call; nothing here keeps state but the fault table, which only tests arm.
package enum SystemCalls {
  /// Stands for the working directory in the calls that take a directory.
  package static let workingDirectory = AT_FDCWD
  /// The user that files made by this process belong to.
  package static let user = file_user()

  @inline(__always)
  private static func perform(
    _ call: SystemCall, _ detail: @autoclosure () -> CallDetail, _ body: () -> Int
  ) throws(SystemCallError) -> Int {
    if FaultTable.isArmed { return try FaultTable.perform(call, detail()) { _ in body() } }
    let result = body()
    if result < 0 { throw SystemCallError(call, Int32(truncatingIfNeeded: -result)) }
    return result
  }

  /// As `perform`, for calls that a fault can make move fewer bytes than asked.
  @inline(__always)
  private static func performCounted(
    _ call: SystemCall, _ detail: @autoclosure () -> CallDetail, count: Int, _ body: (Int) -> Int
  ) throws(SystemCallError) -> Int {
    if FaultTable.isArmed { return try FaultTable.perform(call, detail()) { limit in body(min(count, limit)) } }
    let result = body(count)
    if result < 0 { throw SystemCallError(call, Int32(truncatingIfNeeded: -result)) }
    return result
  }

  // MARK: Descriptors

  /// Always with O_CLOEXEC. `mode` counts only where the file is made, less the umask.
  package static func openat(
    _ directory: Int32, _ path: [UInt8], _ flags: Int32, mode: UInt32 = 0
  ) throws(SystemCallError) -> FileDescriptor {
    let raw = try perform(.openat, CallDetail(directory, path, flags: flags, mode: mode)) {
      file_openat(directory, path, path.count, flags, mode)
    }
    return FileDescriptor(owning: Int32(truncatingIfNeeded: raw))
  }

  package static func close(_ descriptor: Int32) throws(SystemCallError) {
    _ = try perform(.close, CallDetail(descriptor)) { file_close(descriptor) }
  }

  package static func duplicate(_ descriptor: Int32) throws(SystemCallError) -> FileDescriptor {
    let raw = try perform(.dup, CallDetail(descriptor)) { file_duplicate(descriptor) }
    return FileDescriptor(owning: Int32(truncatingIfNeeded: raw))
  }

  // MARK: Bytes

  /// Bytes to be written at a time to a file that is not in memory alone. ext4 takes memory for a file in pieces as large
  /// as the write, and large pieces may have to be freed first, or fetched: a virtual machine that gives free memory back
  /// to its host parts with the large ones. 1 GiB in writes of 256 KiB took twice as long there as in these, 2,000 files
  /// of 100 KiB in writes of 64 KiB half as long again. tmpfs takes single pages whatever the write, and 256 KiB at a
  /// time are a tenth to a quarter faster there.
  package static let diskWriteByteCount = 16 << 10

  /// Returns how many bytes were written, which may be fewer than asked.
  package static func pwrite(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(SystemCallError) -> Int {
    try performCounted(.pwrite, CallDetail(descriptor, writing: bytes, at: offset), count: bytes.count) {
      file_pwrite(descriptor, bytes.baseAddress, $0, offset)
    }
  }

  /// Writes all of `bytes`, however many calls that takes.
  ///
  /// - Parameter atMost: bytes for each call.
  package static func pwriteAll(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64, atMost: Int = diskWriteByteCount
  ) throws(SystemCallError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done..<done + min(atMost, bytes.count - done)])
      let written = try pwrite(descriptor, rest, at: offset + Int64(done))
      // A file system that takes nothing and names no reason would be asked forever.
      if written == 0 { throw SystemCallError(.pwrite, EIO) }
      done += written
    }
  }

  /// Writes all of `bytes`, however many calls that takes.
  package static func pwriteAll(
    _ descriptor: Int32, _ bytes: [UInt8], at offset: Int64
  ) throws(SystemCallError) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(SystemCallError) in
      try pwriteAll(descriptor, UnsafeRawBufferPointer(buffer), at: offset)
    }
  }

  /// Returns how many bytes were read; 0 is the end of the file.
  package static func pread(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemCallError) -> Int {
    try performCounted(
      .pread, CallDetail(descriptor, offset: offset, length: Int64(buffer.count)), count: buffer.count
    ) {
      file_pread(descriptor, buffer.baseAddress, $0, offset)
    }
  }

  /// Reads until the buffer is full or the file ends, and returns how many bytes that were.
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

  /// At most `limit` bytes from `offset` on; fewer where the file ends.
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

  package static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> Int {
    try performCounted(.write, CallDetail(descriptor, writing: bytes, at: 0), count: bytes.count) {
      file_write(descriptor, bytes.baseAddress, $0)
    }
  }

  /// Whether the descriptor takes bytes, or has failed, within so many milliseconds; -1 waits for ever.
  package static func pollWritable(_ descriptor: Int32, milliseconds: Int32) throws(SystemCallError) -> Bool {
    try perform(.poll, CallDetail(descriptor)) { file_poll_writable(descriptor, milliseconds) } > 0
  }

  package static func ftruncate(_ descriptor: Int32, length: Int64) throws(SystemCallError) {
    _ = try perform(.ftruncate, CallDetail(descriptor, length: length)) { file_ftruncate(descriptor, length) }
  }

  // MARK: Stable storage

  package static func fdatasync(_ descriptor: Int32) throws(SystemCallError) {
    _ = try perform(.fdatasync, CallDetail(descriptor)) { file_fdatasync(descriptor) }
  }

  package static func fsync(_ descriptor: Int32) throws(SystemCallError) {
    _ = try perform(.fsync, CallDetail(descriptor)) { file_fsync(descriptor) }
  }

  /// Syncs the whole file system that holds the descriptor's file.
  package static func syncfs(_ descriptor: Int32) throws(SystemCallError) {
    _ = try perform(.syncfs, CallDetail(descriptor)) { file_syncfs(descriptor) }
  }

  /// Syncs everything the machine has; it cannot fail and reports nothing.
  package static func sync() throws(SystemCallError) {
    _ = try perform(.sync, CallDetail(-1)) { file_sync() }
  }

  /// Starts writing a range back and does not wait for it; promises nothing about stable storage.
  package static func syncFileRange(_ descriptor: Int32, _ range: Range<Int64>) throws(SystemCallError) {
    let length = range.upperBound - range.lowerBound
    _ = try perform(.syncFileRange, CallDetail(descriptor, offset: range.lowerBound, length: length)) {
      file_sync_file_range(descriptor, range.lowerBound, length)
    }
  }

  // MARK: Names

  /// - Parameter replacing: false fails with EEXIST where `to` exists, and with EINVAL where the file system cannot.
  package static func renameat(
    _ fromDirectory: Int32, _ from: [UInt8], _ toDirectory: Int32, _ to: [UInt8], replacing: Bool
  ) throws(SystemCallError) {
    let flags = replacing ? 0 : FILE_RENAME_NOREPLACE
    _ = try perform(.renameat, CallDetail(fromDirectory, from, toDirectory, to, flags: Int32(flags))) {
      file_renameat(fromDirectory, from, from.count, toDirectory, to, to.count, flags)
    }
  }

  package static func linkat(
    _ fromDirectory: Int32, _ from: [UInt8], _ toDirectory: Int32, _ to: [UInt8], flags: Int32
  ) throws(SystemCallError) {
    _ = try perform(.linkat, CallDetail(fromDirectory, from, toDirectory, to, flags: flags)) {
      file_linkat(fromDirectory, from, from.count, toDirectory, to, to.count, flags)
    }
  }

  package static func unlinkat(_ directory: Int32, _ name: [UInt8]) throws(SystemCallError) {
    _ = try perform(.unlinkat, CallDetail(directory, name)) { file_unlinkat(directory, name, name.count) }
  }

  package static func mkdirat(_ directory: Int32, _ name: [UInt8], mode: UInt32) throws(SystemCallError) {
    _ = try perform(.mkdirat, CallDetail(directory, name, mode: mode)) {
      file_mkdirat(directory, name, name.count, mode)
    }
  }

  // MARK: What a file is

  package static func fstat(_ descriptor: Int32) throws(SystemCallError) -> FileStatus {
    var status = file_status()
    _ = try perform(.fstat, CallDetail(descriptor)) { file_fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// Does not follow a symbolic link in the last component.
  package static func fstatat(_ directory: Int32, _ name: [UInt8]) throws(SystemCallError) -> FileStatus {
    var status = file_status()
    _ = try perform(.fstatat, CallDetail(directory, name)) {
      file_fstatat(directory, name, name.count, &status)
    }
    return FileStatus(status)
  }

  package static func fstatfs(_ descriptor: Int32) throws(SystemCallError) -> FileSystemStatus {
    var status = file_system_status()
    _ = try perform(.fstatfs, CallDetail(descriptor)) { file_fstatfs(descriptor, &status) }
    func byteCount(_ blocks: UInt64) -> Int64 {
      let (bytes, overflow) = Int64(clamping: blocks).multipliedReportingOverflow(by: status.block_size)
      return overflow ? .max : bytes
    }
    return FileSystemStatus(
      availableByteCount: byteCount(status.available_blocks), byteCount: byteCount(status.blocks),
      isInMemory: status.in_memory != 0)
  }

  /// Takes the exclusive lock, or fails with EWOULDBLOCK.
  package static func flock(_ descriptor: Int32) throws(SystemCallError) {
    _ = try perform(.flock, CallDetail(descriptor)) { file_lock(descriptor) }
  }

  package static func fchmod(_ descriptor: Int32, mode: UInt32) throws(SystemCallError) {
    _ = try perform(.fchmod, CallDetail(descriptor, mode: mode)) { file_fchmod(descriptor, mode) }
  }

  /// nil is the clock's time.
  package static func futimens(_ descriptor: Int32, modified: FileTime?) throws(SystemCallError) {
    _ = try perform(.futimens, CallDetail(descriptor)) {
      file_futimens(descriptor, modified?.seconds ?? 0, modified?.nanoseconds ?? 0, modified == nil ? 1 : 0)
    }
  }

  package static func fsetxattr(_ descriptor: Int32, _ name: AttributeName, _ value: [UInt8]) throws(SystemCallError) {
    _ = try perform(.fsetxattr, CallDetail(descriptor, Array(name.rawValue.utf8), value: value)) {
      name.rawValue.withCString { file_fsetxattr(descriptor, $0, value, value.count) }
    }
  }

  /// Returns the length of the value; ENODATA where there is none, ERANGE where the buffer is too short.
  package static func fgetxattr(
    _ descriptor: Int32, _ name: AttributeName, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemCallError) -> Int {
    try perform(.fgetxattr, CallDetail(descriptor, Array(name.rawValue.utf8))) {
      name.rawValue.withCString { file_fgetxattr(descriptor, $0, buffer.baseAddress, buffer.count) }
    }
  }
}
