internal import DownloadCore

/// What the command does with the files of its lists, or with those of a directory.
protocol Verb {
  /// Does it once.
  ///
  /// - Throws: what stops it as a whole, which has not been told.
  mutating func run() throws(Failure) -> RunResult
}
