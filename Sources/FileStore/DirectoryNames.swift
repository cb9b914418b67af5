internal import CShims
internal import Glibc

/// The names in a directory.
package enum DirectoryNames {
  /// Reads all names of the directory with this path.
  package static func read(path: [UInt8]) throws(SystemCallError) -> [[UInt8]] {
    let directory = try SystemCalls.openat(SystemCalls.workingDirectory, path, O_RDONLY | O_DIRECTORY)
    return try read(directory.raw)
  }

  /// Reads all names but `.` and `..`, in no order.
  ///
  /// - Parameter directory: stays open; its own offset is not used.
  static func read(_ directory: Int32) throws(SystemCallError) -> [[UInt8]] {
    let opened = try SystemCalls.openat(directory, [UInt8(ascii: ".")], O_RDONLY | O_DIRECTORY)
    let duplicate = dup(opened.raw)
    guard duplicate >= 0 else { throw SystemCallError(.openat, errno) }
    guard let stream = fdopendir(duplicate) else {
      let cause = SystemCallError(.openat, errno)
      close(duplicate)
      throw cause
    }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      var name: UnsafePointer<CChar>?
      let result = file_next_name(UnsafeMutableRawPointer(stream), &name)
      // readdir reads what openat has opened; its errors have no call of their own.
      if result < 0 { throw SystemCallError(.openat, Int32(truncatingIfNeeded: -result)) }
      guard result > 0, let name else { return names }
      names.append(UnsafeBufferPointer(start: name, count: strlen(name)).map { UInt8(bitPattern: $0) })
    }
  }
}
