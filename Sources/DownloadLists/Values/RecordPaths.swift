package import DownloadCore

/// The files that a run writes about itself.
package struct RecordPaths: Sendable, Equatable {
  /// The document about the run, which it writes at its end (`--report`).
  package var report: [UInt8]?
  /// The list of what did not end well (`--failed`).
  package var failed: [UInt8]?
  /// The lock file (`--lock`).
  package var lock: [UInt8]?
  package var savedCookies: [UInt8]?
  package var log = LogOptions()

  package init() {}

  /// All of them, by the settings that name them.
  package var all: [(setting: Setting, path: [UInt8])] {
    let files: [(Setting, [UInt8]?)] = [
      (.report, report), (.failed, failed), (.lock, lock), (.saveCookies, savedCookies), (.log, log.path),
    ]
    return files.compactMap { setting, path in path.map { (setting, $0) } }
  }
}

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
  /// That of `--log-format`.
  package var format: Format?
  /// JSON if the name says so, where the format is not given.
  package var writtenFormat: Format {
    let endings = [".json", ".jsonl"].map { Array($0.utf8) }
    return format ?? (endings.contains { path?.suffix($0.count).elementsEqual($0) == true } ? .json : .lines)
  }

  package init() {}
}
