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
  package static func read(_ directory: Int32) throws(SystemCallError) -> [[UInt8]] {
    let stream = try DirectoryStream([UInt8(ascii: ".")], in: directory)
    var names: [[UInt8]] = []
    while let name = try stream.next() { names.append(name) }
    return names
  }
}
