internal import CSwiftGetShims
internal import DownloadCore

/// Puts the content of several files on stable storage. Any thread may use it.
struct GroupSync: Sendable {
  /// The number of files from which one sync of the file system is cheaper than one of each file.
  static let threshold = 16

  /// False before Linux 5.8, where syncfs does not report failed writes.
  private let trustsFileSystemSync = file_kernel_is_at_least(5, 8) != 0

  /// - Parameter files: the descriptors in the order in which they were opened, the devices of their file systems, and the
  ///   directories that they were made in.
  /// - Returns: for each file the error that leaves its content in doubt, if any.
  func sync(_ files: [(descriptor: Int32, device: UInt64, directory: DirectoryHandle)]) -> [SystemCallError?] {
    var errors = [SystemCallError?](repeating: nil, count: files.count)
    // syncfs reports failures since the descriptor was opened. The first file was opened first, so its descriptor
    // covers the writes of all files.
    var byDevice: [UInt64: [Int]] = [:]
    for index in files.indices { byDevice[files[index].device, default: []].append(index) }
    for indices in byDevice.values {
      if indices.count >= Self.threshold, trustsFileSystemSync, let first = indices.first {
        // A failure may concern another file; the sync of each file tells which.
        if (try? SystemCalls.syncfs(files[first].descriptor)) == true { continue }
      }
      for index in indices {
        do throws(SystemCallError) {
          try files[index].directory.note(synced: SystemCalls.fsync(files[index].descriptor))
        } catch {
          errors[index] = error
        }
      }
    }
    return errors
  }

  /// Puts the names of several files on stable storage: one sync for each directory.
  ///
  /// - Parameter directories: of the files; nil for a file that does not count.
  /// - Returns: for each file the error that leaves its name in doubt, if any.
  static func syncNames(in directories: [DirectoryHandle?]) -> [SystemCallError?] {
    var errors = [SystemCallError?](repeating: nil, count: directories.count)
    var files: [ObjectIdentifier: [Int]] = [:]
    for (index, directory) in directories.enumerated() {
      if let directory { files[ObjectIdentifier(directory), default: []].append(index) }
    }
    for indices in files.values {
      do throws(SystemCallError) { try directories[indices[0]]?.sync() } catch {
        for index in indices { errors[index] = error }
      }
    }
    return errors
  }
}
