package import DownloadCore
internal import DownloadListWriting
internal import DownloadWords

/// The names in the JSON that is written for programs, each of which means one thing everywhere: in the events of a run,
/// the file of `--report`, the log, and the results of `--check`, `--dry-run` and `--spider`.
///
/// `share/swiftget/output.schema.json` describes the objects.
package enum OutputKey: String, CaseIterable {
  // Every object has these two.
  case type, time
  case version, files, items, status, interrupted, published, options, totals, failures, invalid
  // A file.
  case item, name, path, url, source, size, outcome, digest, error, started, mirrors, retries, number
  case finalURL = "final_url"
  case httpStatus = "http_status"
  case lastModified = "last_modified"
  case etag, action, actions, reason, place
  // Its progress.
  case phase, rate, connections, active, seconds
  /// Of the content, in place or in the part file.
  case bytesDone = "bytes_done"
  /// Received from the network in this run.
  case bytesFetched = "bytes_fetched"
  /// Of all files that have begun.
  case bytesKnown = "bytes_known"
  /// The sizes of all files that are in place.
  case bytesTotal = "bytes_total"
  /// From the disk.
  case bytesRead = "bytes_read"
  // Counts.
  case downloaded, kept, failed, unfinished, cancelled, removed, checked, unverifiable, count, urls, dead
  case notStarted = "not_started"
  case sizeOnly = "size_only"
  // Words and values.
  case code, message, hint, level, names, value, algorithm, from, list, line, origin, dynamic, messages
}

/// What an object is about.
package enum OutputType: String, CaseIterable {
  case start, list, notice, progress, message, end, exit, report
  case itemStart = "item_start"
  case itemEnd = "item_end"
  case check, plan, url
}

/// The version of the names and their meanings. Within a version, some may be added, but none is removed or redefined.
package let outputVersion: Int64 = 2

extension JSONObject {
  /// - Parameter time: milliseconds since 1970.
  package init(_ type: OutputType, at time: Int64 = Timestamp.now()) {
    self.init()
    add(.type, type.rawValue)
    add(.time, Timestamp.text(milliseconds: time))
  }

  /// The first object of a run.
  ///
  /// - Parameter fileCount: nil if it is not known.
  package init(startOf fileCount: Int?, at time: Int64 = Timestamp.now()) {
    self.init(.start, at: time)
    add(.version, outputVersion)
    add(.files, fileCount.map(Int64.init))
  }

  /// - Parameters:
  ///   - isSaved: whether the next run goes on from bytes that are there.
  ///   - message: instead of that of the failure.
  package init(_ failure: Failure, in vocabulary: Vocabulary, isSaved: Bool = false, message: String? = nil) {
    self.init()
    add(.code, failure.code.rawValue)
    add(.message, Redaction.words(message ?? failure.message(in: vocabulary)))
    add(.hint, failure.advice(isSaved: isSaved).map { Redaction.words($0.text(in: vocabulary)) })
  }

  package mutating func add(_ key: OutputKey, _ value: String?) { add(key.rawValue, value) }
  package mutating func add(_ key: OutputKey, _ value: Int64?) { add(key.rawValue, value) }
  package mutating func add(_ key: OutputKey, _ value: Int) { add(key.rawValue, Int64(value)) }
  package mutating func add(_ key: OutputKey, _ value: Bool) { add(key.rawValue, value) }
  package mutating func add(_ key: OutputKey, _ value: JSONObject?) { add(key.rawValue, value) }
  package mutating func add(_ key: OutputKey, _ values: [String]) { add(key.rawValue, values) }
  package mutating func add(_ key: OutputKey, _ values: [JSONObject]) { add(key.rawValue, values) }
  package mutating func add(_ key: OutputKey, bytes: [UInt8]?) { add(bytes: bytes, as: key.rawValue) }

  /// The line of a list, or null.
  package mutating func add(_ line: SourceLine?) { add(.source, line.map { JSONObject($0) }) }

  /// Seconds with three decimals.
  package mutating func add(_ key: OutputKey, _ value: Duration) {
    let milliseconds = max(0, value.wholeMilliseconds)
    let fraction = String(1000 + milliseconds % 1000).dropFirst()
    add(key.rawValue, verbatim: Array("\(milliseconds / 1000).\(fraction)".utf8))
  }
}
