internal import DownloadFiles
internal import Glibc

/// Makes stores for bytes that are needed while a run lasts. All but small ones have an unnamed
/// file.
package final class TemporaryStores {
  /// TMPDIR, or /tmp.
  package static var usualDirectory: [UInt8] { Array((getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp").utf8) }

  /// Where the files are made.
  package let directory: [UInt8]
  /// The most bytes of a store in memory. A file is made for more.
  let memoryLimit: Int
  /// The first failure of one of the stores.
  package private(set) var failure: FileFailure?

  /// - Parameter directory: nil for TMPDIR.
  package init(directory: [UInt8]? = nil, memoryLimit: Int = 1 << 20) {
    self.directory = directory ?? Self.usualDirectory
    self.memoryLimit = memoryLimit
  }

  func fail(_ operation: FileProblem.Operation, _ error: SystemCallError) {
    failure = failure ?? FileFailure(directory, .failed(operation, errno: error.errno))
  }
}
