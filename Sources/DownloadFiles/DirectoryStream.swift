internal import CSwiftGetShims
internal import Glibc

/// The names in a directory, read one after the other.
final class DirectoryStream {
  private let stream: OpaquePointer
  /// The directory.
  let descriptor: Int32

  /// Opens a directory.
  ///
  /// - Parameter name: in `parent`. No symbolic link is followed.
  init(_ name: [UInt8], in parent: Int32) throws(SystemCallError) {
    let opened = try SystemCalls.openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    descriptor = dup(opened.raw)
    guard descriptor >= 0 else { throw SystemCallError(.openat, errno) }
    guard let stream = fdopendir(descriptor) else {
      let cause = SystemCallError(.openat, errno)
      close(descriptor)
      throw cause
    }
    self.stream = stream
  }

  deinit { closedir(stream) }

  /// The next name but `.` and `..`, in no order; nil behind the last one.
  func next() throws(SystemCallError) -> [UInt8]? {
    var name: UnsafePointer<CChar>?
    let result = file_next_name(UnsafeMutableRawPointer(stream), &name)
    // readdir reads what openat has opened; its errors have no call of their own.
    if result < 0 { throw SystemCallError(.openat, Int32(truncatingIfNeeded: -result)) }
    guard result > 0, let name else { return nil }
    return UnsafeBufferPointer(start: name, count: strlen(name)).map { UInt8(bitPattern: $0) }
  }
}
