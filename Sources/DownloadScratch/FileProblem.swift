/// Why a file of this machine cannot be hashed, copied or moved.
package enum FileProblem: Error, Hashable, Sendable {
  /// Neither the file nor perhaps its directory is there.
  case missing
  case obstacle(Obstacle)
  case failed(Operation, errno: Int32)
  /// Its length or modification time is another one after reading than before.
  case changed
  /// OpenSSL does not compute a digest.
  case uncomputable
  /// The system has no thread for the work.
  case noThreads
  case stopped

  /// What stands in place of a regular file, or of a directory on the way to it.
  package enum Obstacle: Hashable, Sendable, CaseIterable { case directory, symbolicLink, special }

  package enum Operation: Hashable, Sendable, CaseIterable {
    case open, read, list, create, write, move, sync, remove
  }
}
