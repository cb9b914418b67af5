package import DownloadFiles

/// A failure with the name of its file or directory, as the user knows it.
package struct FileFailure: Error, Hashable, Sendable {
  package let name: [UInt8]
  package let problem: FileProblem

  package init(_ name: [UInt8], _ problem: FileProblem) {
    self.name = name
    self.problem = problem
  }

  package init(_ failure: FileTree.Fault, in root: [UInt8]) {
    let operation: FileProblem.Operation = failure.cause.call == .openat ? .list : .read
    self.init(
      failure.name.isEmpty ? root : failure.name, .failed(operation, errno: failure.cause.errno))
  }

  package init(_ error: DirectoryError) {
    self.init(error.path, .failed(error.cause.call == .mkdirat ? .create : .list, errno: error.cause.errno))
  }
}
