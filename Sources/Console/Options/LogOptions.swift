import DownloadCore

/// `--log` and `--log-format`.
package struct LogOptions: Sendable, Equatable {
  package enum Format: String, Sendable, CaseIterable {
    /// Those of `--progress lines`, with their times.
    case lines
    /// The events of `--progress json`, without the progress.
    case json
  }

  /// Nil for none.
  package var path: [UInt8]?
  package var format: Format?

  package init() {}

  /// What contradicts itself.
  ///
  /// - Parameter isStanding: whether the format is meant for every run that has a log.
  func errors(isStanding: Bool) -> [DownloadError] {
    guard format != nil, path == nil, !isStanding else { return [] }
    return [DownloadError(.usage, "--log-format needs a log", hint: "name its file with --log FILE")]
  }
}
