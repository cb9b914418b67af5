internal import Glibc

/// A file beside another one for data that need not outlive the process: it has no name, and its space is free when it is
/// closed.
package enum UnnamedFile {
  /// Opens a new file for reading and writing in the directory of `path`.
  package static func beside(_ path: [UInt8]) throws(SystemCallError) -> FileDescriptor {
    let (directory, name) = WholeFile.split(path)
    let opened = try OpenDirectory(SystemCalls.workingDirectory, directory)
    let file = try TemporaryFile(in: opened.descriptor.raw, beside: name, access: O_RDWR, mode: FileMode.ownerOnly)
    try SystemCalls.unlinkat(opened.descriptor.raw, file.name)
    return file.descriptor
  }
}
