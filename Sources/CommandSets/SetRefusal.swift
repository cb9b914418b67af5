package import DownloadScratch

/// Why the next set of a directory cannot be prepared or published.
package enum SetRefusal: Error, Hashable, Sendable {
  case failed(FileFailure)
  /// Another run prepares the next set.
  case held
  /// The working directory is in DIR, and would be removed with the previous set.
  case isWorkingDirectory
  case isNoDirectory
  /// DIR has a file system of its own, which cannot be exchanged.
  case isMountPoint
  /// The file system cannot exchange directories.
  case cannotExchange(errno: Int32)
  /// The file system has no hard links.
  case cannotLink(errno: Int32)
  /// A file of the previous set, or a new one, cannot get a name in the next one.
  case cannotKeep([UInt8], errno: Int32)
  /// There are files of an unfinished set that the run does not want, and files that this set lacks and the run does not
  /// want either, but none that are not of that set.
  case isPart
  /// A name is a directory in one set, and something else in the other one.
  case conflict([UInt8])
}
