package import DownloadCore

/// Why a finished file did not get its name, or not for certain.
package enum PublicationError: Error, Hashable, Sendable {
  case systemCall(SystemCallError)
  /// The file has its name, but may lose it in a power cut.
  case directorySync(SystemCallError)
  /// Something has come to stand under the name meanwhile, and was not to be replaced.
  case targetAppeared
  /// The part file is not as long as the file should be.
  case wrongLength(found: Int64)
  /// Its name means another file.
  case partReplaced
}

/// A whole, verified file that was small enough to be held in memory.
package struct SmallFile: Sendable {
  package var place: TargetPlace
  package var bytes: [UInt8]
  package var attributes: FileAttributes
  /// nil: now.
  package var modified: FileTime?
  /// Whether what stands under the name may be replaced.
  package var isReplacing: Bool

  package init(
    place: TargetPlace, bytes: [UInt8], attributes: FileAttributes = FileAttributes(), modified: FileTime? = nil,
    isReplacing: Bool = false
  ) {
    self.place = place
    self.bytes = bytes
    self.attributes = attributes
    self.modified = modified
    self.isReplacing = isReplacing
  }
}

/// A small file on disk without its name yet: unnamed, or under a temporary name that goes with this object.
package final class StagedFile: Sendable {
  package let place: TargetPlace
  package let isReplacing: Bool
  let descriptor: FileDescriptor
  /// nil: it has no name at all.
  let temporaryName: TemporaryName?
  /// The file system it lies on.
  let device: UInt64
  /// What the file was found to be.
  package let verified: VerifiedDigest?
  let mark: FreshMark?

  init(
    _ file: SmallFile, _ descriptor: consuming FileDescriptor, temporaryName: TemporaryName?, device: UInt64,
    mark: FreshMark?
  ) {
    place = file.place
    isReplacing = file.isReplacing
    verified = file.attributes.digest
    self.descriptor = descriptor
    self.temporaryName = temporaryName
    self.device = device
    self.mark = mark
  }
}
