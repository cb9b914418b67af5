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
}
