internal import CSwiftGetShims
internal import Glibc

/// A regular file that another one is to replace, open for its rights only.
final class ReplacedFile: Sendable {
  private let descriptor: FileDescriptor

  /// Nil where no regular file has the name.
  init?(in directory: Int32, _ name: [UInt8]) {
    guard let found = try? SystemCalls.openat(directory, name, FILE_O_PATH | O_NOFOLLOW),
      (try? SystemCalls.fstat(found.raw))?.kind == .regular
    else { return nil }
    descriptor = found
  }

  /// Gives its rights to the open file that replaces it.
  func giveRights(to file: Int32) throws(SystemCallError) { try FileMode.adopt(descriptor.raw, on: file) }
}
