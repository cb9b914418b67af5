/// A finished file as the index of a list remembers it: its mark, and the inode that the mark is about.
///
/// The mark is the one of the attribute `user.swiftget.verified`. In the index it does not move with the file as an
/// attribute does, so the inode must be the same, too.
package struct FinishedFile: Hashable, Sendable {
  package let inode: UInt64
  /// Names the URL by its hash, if at all.
  package let mark: VerifiedMark
  /// Whether the file has the mark as an attribute.
  package let isMarked: Bool

  /// - Parameter urlHash: of the URL that the mark refers to; it takes the place of an attribute with the URL.
  package init(inode: UInt64, mark: VerifiedMark, urlHash: UInt64?, isMarked: Bool) {
    self.inode = inode
    self.mark =
      mark.url == .originURL
      ? VerifiedMark(
        digest: mark.digest, size: mark.size, modified: mark.modified, writtenAt: mark.writtenAt,
        url: urlHash.map(VerifiedMark.URLReference.hash))
      : mark
    self.isMarked = isMarked
  }

  /// The mark, if the file with this inode, size and these times is the one that was verified, untouched since.
  package func mark(ofInode inode: UInt64, size: Int64, modified: FileTime, changed: FileTime) -> VerifiedMark? {
    self.inode == inode && mark.isUntouched(size: size, modified: modified, changed: changed) ? mark : nil
  }
}
