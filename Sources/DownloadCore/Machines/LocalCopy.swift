/// A finished file that is to be replaced where the server has a newer one.
package struct LocalCopy: Hashable, Sendable {
  /// Unix seconds.
  package var modified: Int64
  /// Bytes.
  package var size: Int64
  /// The strong entity tag that the server told when the file was fetched; nil where the file may have changed since.
  package var entityTag: EntityTag?

  package init(modified: Int64, size: Int64, entityTag: EntityTag? = nil) {
    self.modified = modified
    self.size = size
    self.entityTag = entityTag
  }

  /// Whether a 200 to a conditional request says that this file is to stay.
  ///
  /// Some servers compare times for equality only and send an older file, so the times are compared here. An answer
  /// without a modification time is taken, as wget does. A recorded entity tag shows a change within one second.
  package func isCurrent(besides answer: Answer) -> Bool {
    let theirs = answer.representation
    guard let time = theirs.validators.lastModified else { return false }
    if time != modified { return time < modified }
    if let mine = entityTag, let other = theirs.validators.entityTag, mine.opaque != other.opaque { return false }
    return theirs.contentCoding != nil || answer.bodyLength.map { $0 == size } ?? true
  }
}
