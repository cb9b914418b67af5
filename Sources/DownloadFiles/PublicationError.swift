/// Why a finished file did not get its name, or may lose it again.
package enum PublicationError: Error, Hashable, Sendable {
  case systemCall(SystemCallError)
  /// The file has its name but may lose it in a power cut.
  case directorySync(SystemCallError)
  /// Another file got the name during the download, and replacing is not allowed.
  case targetAppeared
  /// The part file does not have the expected length.
  case wrongLength(found: Int64)
  /// The part file's name refers to another file.
  case partReplaced
  /// It was not wanted any more. What is there stays.
  case stopped
}
