package import DownloadCore
package import DownloadLists
internal import DownloadScratch
internal import DownloadWords

/// What the JSON document of `--report` says of the run: all of it up to its first item.
///
///     {"type":"report","time":"…","version":2,"started":"…","status":8,"options":[…],"totals":{…},"items":[
///     {"type":"item_end","time":"…","item":0,…},
///     {"type":"item_end","time":"…","item":1,…}
///     ]}
struct ReportHead {
  /// UTC, as `2026-01-31T23:59:59.001Z`.
  var started: String
  var status = ExitStatus.success
  var options: [GivenOption]
  var totals = ReportTotals()
  /// Whether the run of `--atomic` left the whole set in place; nil without that option.
  var isPublished: Bool?
  /// What `--keep-going` left out.
  var invalid = InvalidEntries()

  static let end = Array("\n]}\n".utf8)

  /// - Parameter now: when the run has ended, in milliseconds since 1970.
  func text(at now: Int64) -> [UInt8] {
    var object = JSONObject(.report, at: now)
    object.add(.version, outputVersion)
    object.add(.started, started)
    object.add(.status, Int64(status.rawValue))
    if let isPublished { object.add(.published, isPublished) }
    object.add(
      .options,
      options.map { option in
        var object = JSONObject()
        object.add(.name, option.name)
        object.add(.value, option.value)
        return object
      })
    object.add(.totals, totals.object)
    if let invalid = invalid.object { object.add(.invalid, invalid) }
    return object.open + Array(#","\#(OutputKey.items.rawValue)":["#.utf8)
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

  package init(_ findings: ListFindings, _ vocabulary: Vocabulary) {
    self.init(
      count: Int64(findings.problemCount),
      messages: findings.problems.map { Redaction.words($0.message(in: vocabulary)) })
  }

  /// Nil where there are none.
  var object: JSONObject? {
    if count == 0 { return nil }
    var object = JSONObject()
    object.add(.count, count)
    object.add(.messages, messages)
    return object
  }
}

/// The sums of a report.
struct ReportTotals: Equatable {
  private var counts: [ItemEnding: Int64] = [:]
  /// Body bytes from the network.
  var fetchedByteCount: Int64 = 0
  /// The sizes of the files that are in place.
  var totalByteCount: Int64 = 0
  var elapsed = Duration.zero

  subscript(ending: ItemEnding) -> Int64 {
    get { counts[ending] ?? 0 }
    set { counts[ending] = newValue }
  }

  var object: JSONObject {
    var object = JSONObject()
    object.add(.files, counts.values.reduce(0, +))
    for ending in ItemEnding.allCases { object.add(ending.key, self[ending]) }
    object.add(.bytesFetched, fetchedByteCount)
    object.add(.bytesTotal, totalByteCount)
    object.add(.seconds, elapsed)
    return object
  }
}

extension TextSpool {
  /// Adds an item to those of a report.
  func append(item text: [UInt8]) {
    append(Array((byteCount == 0 ? "\n" : ",\n").utf8))
    append(text)
  }
}
