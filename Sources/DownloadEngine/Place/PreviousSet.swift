package import DownloadCore
internal import DownloadFiles

/// The files that a run finds in another directory than the one it writes to. Nothing in it is changed but marks.
package struct PreviousSet: Sendable {
  private let directory: TargetDirectory

  /// - Parameter path: of the directory; nil where there is no such set.
  package init?(path: [UInt8]?) throws(Failure) {
    guard let path else { return nil }
    do { directory = try TargetDirectory.open(path: path, creating: false) } catch {
      throw StorageErrors.directory(error)
    }
  }

  /// The place of components from a list or a URL; nil where a directory on the way is missing.
  func place(of components: [[UInt8]]) throws(Failure) -> TargetPlace? {
    do { return try directory.resolve(components, creating: false) } catch {
      if error.cause.isMissing { return nil }
      throw StorageErrors.directory(error)
    }
  }
}
