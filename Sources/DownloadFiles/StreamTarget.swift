internal import Glibc

/// A target without a name to publish: standard output, a pipe, a device, an unnamed file. Bytes are written in order.
///
/// One thread at a time.
package final class StreamTarget: Sendable {
  /// A pipe that polls as writable takes this many bytes without blocking (PIPE_BUF, pipe(7)).
  private static let certainByteCount = 4096

  private let owned: FileDescriptor
  /// Whether a write may block: true for all but regular files.
  private let mayWait: Bool
  /// Whether what was written may be taken back.
  private let mayStartOver: Bool

  private init(_ descriptor: consuming FileDescriptor, mayWait: Bool, mayStartOver: Bool = false) {
    owned = descriptor
    self.mayWait = mayWait
    self.mayStartOver = mayStartOver
  }

  /// Duplicates standard output, or another descriptor that the program was started with. Its flags and its offset are
  /// shared with other processes and stay as they are.
  ///
  /// A terminal is opened again without blocking where possible, because a write may block although poll reports it as
  /// writable.
  ///
  /// - Throws: EBADF for a descriptor that is not open, that the program has opened itself, or that only reads.
  package static func inherited(_ number: Int32) throws(SystemCallError) -> StreamTarget {
    guard mayInherit(number) else { throw SystemCallError(.dup, EBADF) }
    if isatty(number) == 1 {
      let path = Array("/proc/self/fd/\(number)".utf8)
      let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY
      if let own = try? SystemCalls.openat(SystemCalls.workingDirectory, path, flags) {
        return StreamTarget(own, mayWait: true)
      }
    }
    let descriptor = try SystemCalls.duplicate(number)
    let kind = try SystemCalls.fstat(descriptor.raw).kind
    return StreamTarget(descriptor, mayWait: kind != .regular)
  }

  /// Whether a descriptor is open for writing, and not one of those that are closed on exec, as ours are. Libraries may
  /// open others: ask before a run begins.
  package static func mayInherit(_ number: Int32) -> Bool {
    let flags = fcntl(number, F_GETFD)
    return flags >= 0 && (number <= STDERR_FILENO || flags & FD_CLOEXEC == 0)
      && fcntl(number, F_GETFL) & O_ACCMODE != O_RDONLY
  }

  /// Duplicates a descriptor of a regular file that belongs to this program and is open for appending.
  package static func file(_ descriptor: Int32) throws(SystemCallError) -> StreamTarget {
    StreamTarget(try SystemCalls.duplicate(descriptor), mayWait: false, mayStartOver: true)
  }

  /// Opens a pipe or device that has the target's name.
  ///
  /// - Throws: ENXIO where a pipe has no reader yet (try again later), EINVAL for other kinds of files.
  package static func open(_ place: TargetPlace) throws(SystemCallError) -> StreamTarget {
    guard try SystemCalls.fstatat(place.directory.raw, place.name).kind == .special else {
      throw SystemCallError(.openat, EINVAL)
    }
    let descriptor = try SystemCalls.openat(
      place.directory.raw, place.name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    guard try SystemCalls.fstat(descriptor.raw).kind == .special else { throw SystemCallError(.openat, EINVAL) }
    return StreamTarget(descriptor, mayWait: true)
  }

  /// Poll it for writability.
  package var descriptor: Int32 { owned.raw }

  /// Takes back what was written.
  ///
  /// - Returns: false where others may have read it, or the file has other content.
  package func startOver() throws(SystemCallError) -> Bool {
    guard mayStartOver else { return false }
    try SystemCalls.ftruncate(owned.raw, length: 0)
    return true
  }

  /// Writes as many bytes as possible without blocking.
  ///
  /// - Returns: bytes written; 0 where the reader is not ready.
  /// - Throws: EPIPE where the reader is gone.
  package func writeAvailable(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> Int {
    var done = 0
    while done < bytes.count {
      var next = UnsafeRawBufferPointer(rebasing: bytes[done...])
      if mayWait {
        guard try SystemCalls.pollWritable(owned.raw, milliseconds: 0) else { return done }
        next = UnsafeRawBufferPointer(rebasing: next.prefix(Self.certainByteCount))
      }
      do {
        done += try SystemCalls.write(owned.raw, next)
      } catch let error where error.errno == EAGAIN {
        // Another writer has filled the pipe since the poll.
        return done
      }
    }
    return done
  }
}
