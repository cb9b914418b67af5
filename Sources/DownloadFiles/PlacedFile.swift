package import DownloadCore
internal import Glibc

/// What identifies a file that a session has put in its place.
package struct PlacedFile: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64
  package let size: Int64
  /// When its content changed last; nil for what an earlier version has stored.
  package let modified: FileTime?

  package init(device: UInt64, inode: UInt64, size: Int64, modified: FileTime?) {
    (self.device, self.inode, self.size, self.modified) = (device, inode, size, modified)
  }

  private init?(_ status: FileStatus) {
    guard status.kind == .regular else { return nil }
    self.init(device: status.device, inode: status.inode, size: status.size, modified: status.modified)
  }

  /// The regular file of this path; nil if there is none.
  package init?(path: [UInt8]) {
    guard let status = try? SystemCalls.fstatat(AT_FDCWD, path) else { return nil }
    self.init(status)
  }

  /// Whether a file that is there is this one, with this content.
  package func isSame(as file: PlacedFile) -> Bool {
    device == file.device && inode == file.inode && size == file.size && (modified == nil || modified == file.modified)
  }

  /// Removes it, if it is still what has this path, and as it was.
  package func delete(at path: [UInt8]) {
    if let file = PlacedFile(path: path), isSame(as: file) { try? SystemCalls.unlinkat(AT_FDCWD, path) }
  }

  /// Whether it is still what has this name, and as it was.
  func isAt(_ place: TargetPlace) throws(SystemCallError) -> Bool {
    try SystemCalls.statusIfThere(place.directory.raw, place.name).flatMap { PlacedFile($0) }.map(isSame) ?? false
  }
}
