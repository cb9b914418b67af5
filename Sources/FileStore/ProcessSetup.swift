internal import CShims
internal import Glibc

/// What a process must set right before it opens its first file.
package enum ProcessSetup {
  /// The most descriptors that are asked for; more would only slow down whatever closes them all.
  private static let wantedDescriptors: UInt64 = 8192

  /// Opens a null device on each of the descriptors 0 to 2 that is closed, or a part file would become somebody's
  /// stderr. It can be neither read as standard input nor written as standard output or error: EBADF.
  package static func openStandardDescriptors() throws(SystemCallError) {
    let result = file_open_standard_descriptors()
    if result < 0 { throw SystemCallError(.openat, Int32(truncatingIfNeeded: -result)) }
  }

  /// Raises the soft limit of descriptors towards the hard one and returns the limit now in force.
  package static func raiseDescriptorLimit() -> Int {
    let result = file_raise_descriptor_limit(wantedDescriptors)
    // Not to be told is to be careful: POSIX promises 20, every Linux gives 64 at the least.
    return result < 0 ? 64 : result
  }

  /// SIGPIPE and SIGXFSZ become EPIPE and EFBIG of the call that caused them. Inherited by children: undo it there.
  package static func ignoreSignals() throws(SystemCallError) {
    let result = file_ignore_signals()
    if result < 0 { throw SystemCallError(.sigaction, Int32(truncatingIfNeeded: -result)) }
  }

  /// The file mode creation mask, read without changing it where /proc tells it (Linux 4.7).
  ///
  /// First asked for before a second thread exists (`Publisher.init` does): the way without /proc sets it for a moment.
  package static let umask: UInt32 = {
    let path = Array("/proc/self/status".utf8)
    if let descriptor = try? SystemCalls.openat(SystemCalls.workingDirectory, path, O_RDONLY) {
      let found = withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer -> UInt32? in
        guard let count = try? SystemCalls.preadAll(descriptor.raw, into: buffer, at: 0) else { return nil }
        for line in buffer[..<count].split(separator: UInt8(ascii: "\n")) where line.starts(with: "Umask:".utf8) {
          let digits = line.dropFirst(6).filter { $0 > 0x20 }
          return UInt32(String(decoding: digits, as: UTF8.self), radix: 8)
        }
        return nil
      }
      if let found { return found & 0o777 }
    }
    return file_swap_umask() & 0o777
  }()
}
