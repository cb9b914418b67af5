internal import Glibc

/// Identifies the current boot of the machine.
package enum BootID {
  /// The kernel's boot id; empty where it cannot be read, and then ranges count only once they are synced.
  package static let current: String = {
    let path = Array("/proc/sys/kernel/random/boot_id".utf8)
    guard let descriptor = try? SystemCalls.openat(SystemCalls.workingDirectory, path, O_RDONLY) else { return "" }
    // The id has 36 characters.
    return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      guard let count = try? SystemCalls.preadAll(descriptor.raw, into: buffer, at: 0) else { return "" }
      let text = buffer[..<count].prefix { $0 > 0x20 && $0 < 0x7F }
      return String(decoding: text, as: UTF8.self)
    }
  }()
}
