internal import DownloadCore
internal import DownloadScratch
internal import DownloadWords

/// What became of an item.
enum ItemEnding: String, CaseIterable {
  case downloaded, kept, failed
  /// The run ended while the item was active, or before it began.
  case unfinished, cancelled, removed
  case notStarted = "not_started"

  init(_ result: Outcome.Result) {
    switch result {
    case .downloaded: self = .downloaded
    case .kept: self = .kept
    case .failed: self = .failed
    case .withdrawn(.cancelled): self = .cancelled
    case .withdrawn(.removed): self = .removed
    case .unfinished: self = .unfinished
    }
  }

  /// The name of its sum, and its value of `outcome`.
  var key: OutputKey { OutputKey(rawValue: rawValue)! }
}

extension JSONObject {
  /// The end of an item: an event, and an item of a report.
  ///
  /// - Parameters:
  ///   - directory: the absolute path that names are relative to; nil where no file is written.
  ///   - now: milliseconds since 1970.
  init(_ outcome: Outcome, in directory: [UInt8]?, _ vocabulary: Vocabulary, at now: Int64) {
    self.init(.itemEnd, at: now)
    add(item: outcome.task, outcome.name, in: directory)
    add(.url, outcome.location.redacted)
    add(.outcome, ItemEnding(outcome.result).key.rawValue)
    add(.bytesDone, outcome.byteCount)
    add(.bytesFetched, outcome.transfers.received.total)
    add(.httpStatus, outcome.status.map(Int64.init))
    add(.digest, outcome.verified.map(Self.digest))
    var error: JSONObject?
    if case .failed(let failure) = outcome.result {
      error = JSONObject(failure, in: vocabulary, isSaved: outcome.byteCount > 0)
    }
    add(.error, error)
    add(.finalURL, outcome.transfers.servedBy?.redacted)
    add(
      .mirrors,
      (outcome.mirrors.map(\.location) + outcome.transfers.linkedMirrors).enumerated().compactMap {
        let byteCount = outcome.transfers.received.from(mirror: $0)
        // Of the mirrors that the server named, only those count that have sent something.
        return $0 < outcome.mirrors.count || byteCount > 0 ? Self.mirror($1, byteCount) : nil
      })
    add(.retries, outcome.transfers.retryCount)
    add(.seconds, outcome.elapsed)
    add(.started, Timestamp.text(milliseconds: now - outcome.elapsed.wholeMilliseconds))
    add(outcome.source)
  }

  /// An item of a report of which nothing is known but its request.
  init(_ request: FileRequest, _ ending: ItemEnding, in directory: [UInt8]?, at now: Int64) {
    self.init(.itemEnd, at: now)
    add(item: request.task, request.target.name, in: directory)
    add(.url, request.mirrors[0].location.redacted)
    add(.outcome, ending.key.rawValue)
    add(.bytesDone, Int64?.none)
    add(.bytesFetched, 0)
    add(.httpStatus, Int64?.none)
    add(.digest, JSONObject?.none)
    add(.error, JSONObject?.none)
    add(.finalURL, String?.none)
    add(.mirrors, request.mirrors.map { Self.mirror($0.location, 0) })
    add(.retries, 0)
    add(.seconds, Duration.zero)
    add(.started, String?.none)
    add(request.source)
  }

  private mutating func add(item task: TaskID, _ name: [UInt8], in directory: [UInt8]?) {
    add(.item, task.position)
    add(.name, bytes: name)
    add(.path, bytes: directory.map { AbsolutePath.of(name, in: $0) })
  }

  private static func digest(_ verified: VerifiedDigest) -> JSONObject {
    var object = JSONObject()
    object.add(.algorithm, verified.digest.algorithm.rawValue)
    object.add(.value, verified.digest.hex)
    object.add(.from, verified.source == .server ? "server" : "given")
    return object
  }

  private static func mirror(_ location: Location, _ byteCount: Int64) -> JSONObject {
    var object = JSONObject()
    object.add(.url, location.redacted)
    object.add(.bytesFetched, byteCount)
    return object
  }
}
