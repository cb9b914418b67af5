internal import CSwiftGetShims
internal import Glibc

package enum FileCreationMask {
  /// The process's umask, read without changing it where /proc tells it (Linux 4.7).
  ///
  /// The first use must come before a second thread exists, and `Publisher.init` is one: without /proc, reading the
  /// mask sets it for a moment.
  package static let current: UInt32 = {
    let path = Array("/proc/self/status".utf8)
    if let descriptor = try? SystemCalls.openat(SystemCalls.workingDirectory, path, O_RDONLY) {
      // The Umask line is the second one.
      let found = withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer -> UInt32? in
        guard let count = try? SystemCalls.preadAll(descriptor.raw, into: buffer, at: 0) else { return nil }
        for line in buffer[..<count].split(separator: UInt8(ascii: "\n")) where line.starts(with: "Umask:".utf8) {
          let digits = line.dropFirst(6).filter { $0 > 0x20 }
          return UInt32(String(decoding: digits, as: UTF8.self), radix: 8)
        }
        return nil
      }
      if let found { return found & FileMode.permissions }
    }
    return file_swap_umask() & FileMode.permissions
  }()
}
