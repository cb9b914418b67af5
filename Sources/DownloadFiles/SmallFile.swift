package import DownloadCore

/// A complete, verified file that is small enough to be held in memory.
package struct SmallFile: Sendable {
  package var place: TargetPlace
  package var body: FilledBlock
  package var order: PublishOrder

  package init(place: TargetPlace, body: FilledBlock, _ order: PublishOrder = PublishOrder()) {
    self.place = place
    self.body = body
    self.order = order
  }
}

/// A small file on disk that does not have its final name yet. It is unnamed, or has a temporary name that is removed
/// with this object.
package final class StagedFile: Sendable {
  package let place: TargetPlace
  package let isReplacing: Bool
  let descriptor: FileDescriptor
  /// Nil for an unnamed file.
  let temporaryName: TemporaryName?
  /// The device of its file system.
  let device: UInt64
  /// The digest that was verified.
  package let verified: VerifiedDigest?
  let mark: FreshMark?

  init(
    _ file: SmallFile, _ descriptor: consuming FileDescriptor, temporaryName: TemporaryName?, device: UInt64,
    mark: FreshMark?
  ) {
    place = file.place
    isReplacing = file.order.isReplacing
    verified = file.order.attributes.digest
    self.descriptor = descriptor
    self.temporaryName = temporaryName
    self.device = device
    self.mark = mark
  }
}
