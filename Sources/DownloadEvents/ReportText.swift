internal import DownloadCore
package import DownloadLists
internal import DownloadScratch
internal import DownloadWords

/// The texts of the JSON document that `--report` writes.
/// `share/swiftget/report.schema.json` describes it.
///
///     {"version":1,"started":"…","ended":"…","status":8,"options":[…],"totals":{…},"items":[
///     {"item":0,…},
///     {"item":1,…}
///     ]}
///
/// Within a version, fields are added but never removed or redefined.
enum ReportText {
  static let formatVersion = 1
  static let end = Array("\n]}\n".utf8)

  /// What became of an item. The raw values are also the names of the totals.
  enum Ending: String, CaseIterable {
    case downloaded, kept, failed
    /// The run ended while the item was active, or before it began.
    case unfinished
    case notStarted = "not_started"
    case cancelled, removed
  }
}

/// What a report says of the run.
struct ReportHead {
  /// UTC, as `2026-01-31T23:59:59.001Z`.
  var started: String
  var ended: String
  var status: ExitStatus
  var options: [GivenOption]
  var totals = ReportTotals()
  /// Whether the run of `--atomic` left the whole set in place; nil without that option.
  var isPublished: Bool?
  /// What `--keep-going` left out.
  var invalid = InvalidEntries()

  /// The document up to its first item.
  var text: [UInt8] {
    var object = JSONObject()
    object.add("version", Int64(ReportText.formatVersion))
    object.add("started", started)
    object.add("ended", ended)
    object.add("status", Int64(status.rawValue))
    if let isPublished { object.add("published", isPublished) }
    object.add(
      "options",
      options.map { option in
        var object = JSONObject()
        object.add("name", option.name)
        object.add("value", option.value)
        return object
      })
    object.add("totals", totals.object)
    if let invalid = invalid.object { object.add("invalid", invalid) }
    return object.open + Array(#","items":["#.utf8)
  }
}

/// The entries of lists that a run did without, as far as messages tell them.
package struct InvalidEntries: Equatable {
  private(set) var count: Int64 = 0
  /// Those of the first entries, with their places.
  private(set) var messages: [String] = []

  package init(count: Int64 = 0, messages: [String] = []) {
    self.count = count
    self.messages = Array(messages.prefix(UsageErrors.mostOfFile))
  }

  package init(_ findings: ListFindings) {
    self.init(count: Int64(findings.problemCount), messages: findings.problems.map { Redaction.words($0.message) })
  }

  /// Nil where there are none.
  var object: JSONObject? {
    if count == 0 { return nil }
    var object = JSONObject()
    object.add("count", count)
    object.add("messages", messages)
    return object
  }
}

/// The sums of a report.
struct ReportTotals: Equatable {
  private var counts: [ReportText.Ending: Int64] = [:]
  /// Body bytes from the network.
  var fetchedByteCount: Int64 = 0
  /// The sizes of the files that are in place.
  var totalByteCount: Int64 = 0
  var elapsed = Duration.zero

  subscript(ending: ReportText.Ending) -> Int64 {
    get { counts[ending] ?? 0 }
    set { counts[ending] = newValue }
  }

  var object: JSONObject {
    var object = JSONObject()
    object.add("files", counts.values.reduce(0, +))
    for ending in ReportText.Ending.allCases { object.add(ending.rawValue, self[ending]) }
    object.add("bytes_fetched", fetchedByteCount)
    object.add("bytes_total", totalByteCount)
    object.add("seconds", elapsed)
    return object
  }
}

extension TextSpool {
  /// Adds an item to those of a report.
  package func append(item text: [UInt8]) {
    append(Array((byteCount == 0 ? "\n" : ",\n").utf8))
    append(text)
  }
}

extension ReportText {
  /// - Parameters:
  ///   - directory: the absolute path that names are relative to; nil where no file is written.
  ///   - now: milliseconds since 1970.
  package static func item(_ outcome: Outcome, in directory: [UInt8]?, now: Int64) -> [UInt8] {
    var object = JSONObject()
    object.add("item", Int64(outcome.task.position))
    object.add("source", source(outcome.source))
    object.add("urls", outcome.mirrors.map(\.location.redacted))
    object.add("final_url", outcome.transfers.servedBy?.redacted)
    object.add(pathOf: outcome.name, in: directory)
    object.add("size", outcome.byteCount)
    object.add("digest", outcome.verified.map(digest))
    object.add("outcome", ending(of: outcome.result).rawValue)
    object.add("error", error(outcome.result))
    object.add("http_status", outcome.status.map(Int64.init))
    object.add(
      "mirrors",
      (outcome.mirrors.map(\.location) + outcome.transfers.linkedMirrors).enumerated().compactMap {
        mirror($1, outcome.transfers.received.from(mirror: $0))
      })
    object.add("bytes_fetched", outcome.transfers.received.total)
    object.add("retries", Int64(outcome.transfers.retryCount))
    object.add("seconds", outcome.elapsed)
    object.add("started", Timestamp.text(milliseconds: now - outcome.elapsed.wholeMilliseconds))
    return object.text
  }

  /// An item of which nothing is known but its request.
  package static func item(_ request: FileRequest, _ ending: Ending, in directory: [UInt8]?) -> [UInt8] {
    var object = JSONObject()
    object.add("item", Int64(request.task.position))
    object.add("source", source(request.source))
    object.add("urls", request.mirrors.map(\.location.redacted))
    object.add("final_url", String?.none)
    object.add(pathOf: request.target.name, in: directory)
    object.add("size", Int64?.none)
    object.add("digest", JSONObject?.none)
    object.add("outcome", ending.rawValue)
    object.add("error", JSONObject?.none)
    object.add("http_status", Int64?.none)
    object.add("mirrors", [JSONObject]())
    object.add("bytes_fetched", 0)
    object.add("retries", 0)
    object.add("seconds", Duration.zero)
    object.add("started", String?.none)
    return object.text
  }

  static func ending(of result: Outcome.Result) -> Ending {
    switch result {
    case .downloaded: .downloaded
    case .kept: .kept
    case .failed: .failed
    case .withdrawn(.cancelled): .cancelled
    case .withdrawn(.removed): .removed
    case .unfinished: .unfinished
    }
  }

  private static func source(_ line: SourceLine?) -> JSONObject? {
    line.map { line in
      var object = JSONObject()
      object.add("file", line.list)
      object.add("line", Int64(line.number))
      return object
    }
  }

  private static func digest(_ verified: VerifiedDigest) -> JSONObject {
    var object = JSONObject()
    object.add("algorithm", verified.digest.algorithm.rawValue)
    object.add("value", verified.digest.hex)
    object.add("from", verified.source == .server ? "server" : "given")
    return object
  }

  private static func error(_ result: Outcome.Result) -> JSONObject? {
    guard case .failed(let error) = result else { return nil }
    var object = JSONObject()
    object.add("code", error.code.rawValue)
    object.add("message", Redaction.words(error.message))
    return object
  }

  /// - Returns: nil for a mirror that has sent nothing.
  private static func mirror(_ location: Location, _ byteCount: Int64) -> JSONObject? {
    guard byteCount > 0 else { return nil }
    var object = JSONObject()
    object.add("url", location.redacted)
    object.add("bytes", byteCount)
    return object
  }
}
