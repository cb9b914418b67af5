package import DownloadCore

/// What is remembered of a list's finished files from one run to the next. The loop's thread calls it.
///
/// It spares the next run the attributes of these files, and keeps their marks where the file system has no attributes.
package protocol FinishedFileIndex: AnyObject {
  /// What an earlier run has added for the name with this `FinishedFileRecord.key`; it may be out of date.
  func file(ofKey key: UInt64) -> FinishedFile?

  /// Takes a file that has its name and is on stable storage.
  ///
  /// - Parameter isKnown: whether the record is one that `file(ofKey:)` has given.
  func add(_ record: FinishedFileRecord, isKnown: Bool)
}

extension FinishedFileIndex {
  /// What is remembered of the file of a request.
  func file(of request: FileRequest) -> FinishedFile? {
    FinishedFileRecord.key(of: request.target).flatMap { file(ofKey: $0) }
  }
}
