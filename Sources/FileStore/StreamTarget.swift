internal import Glibc

/// A target that is no file: standard output, a pipe, a device. Bytes go in order and nothing is renamed over it.
///
/// One thread at a time.
package final class StreamTarget: Sendable {
  /// Linux promises that a pipe which polls as writable takes this much at once without waiting.
  private static let certainByteCount = 4096

  private let owned: FileDescriptor
  /// Whether a write may wait: pipes, sockets and terminals, not files and /dev/null.
  private let mayWait: Bool

  private init(_ descriptor: consuming FileDescriptor, mayWait: Bool) {
    owned = descriptor
    self.mayWait = mayWait
  }

  /// A descriptor of its own for standard output; its flags are shared with others and stay as they are.
  ///
  /// A terminal is opened once more where that can be done: one that polls as writable may still have a write wait.
  package static func standardOutput() throws(SystemCallError) -> StreamTarget {
    if isatty(1) == 1 {
      let path = Array("/proc/self/fd/1".utf8)
      let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY
      if let own = try? SystemCalls.openat(SystemCalls.workingDirectory, path, flags) {
        return StreamTarget(own, mayWait: true)
      }
    }
    let descriptor = try SystemCalls.duplicate(1)
    let kind = try SystemCalls.fstat(descriptor.raw).kind
    return StreamTarget(descriptor, mayWait: kind != .regular)
  }

  /// A pipe or device in the place of a target.
  ///
  /// - Throws: ENXIO where a pipe has no reader yet (try again later), EINVAL for a socket or a file of another kind.
  package static func open(_ place: TargetPlace) throws(SystemCallError) -> StreamTarget {
    guard try SystemCalls.fstatat(place.directory.raw, place.name).kind == .special else {
      throw SystemCallError(.openat, EINVAL)
    }
    let descriptor = try SystemCalls.openat(
      place.directory.raw, place.name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    guard try SystemCalls.fstat(descriptor.raw).kind == .special else { throw SystemCallError(.openat, EINVAL) }
    return StreamTarget(descriptor, mayWait: true)
  }

  /// To wait on until it takes more.
  package var descriptor: Int32 { owned.raw }

  /// Writes what is taken at once, without waiting. EPIPE: the reader has gone.
  ///
  /// - Returns: how many bytes were written; 0 where the reader is not ready.
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
        // Another writer was faster.
        return done
      }
    }
    return done
  }
}
