package import DownloadCore
package import DownloadLists
internal import DownloadScratch
package import DownloadWords

/// The events of a run as JSON objects, which the man page documents.
///
/// Within a version, fields are added but never removed or redefined.
package struct JSONEvents {
  package static let formatVersion = 1

  /// The absolute path that names are relative to, without a slash at its end; nil where no file is written.
  private let directory: [UInt8]?
  /// Milliseconds since 1970.
  private let clock: () -> Int64
  private var failures = FailureTally()

  package init(directory: [UInt8]?, clock: @escaping () -> Int64 = Timestamp.now) {
    self.directory = directory
    self.clock = clock
  }

  package func began(itemCount: Int?) -> JSONObject {
    var object = event("start")
    object.add("version", Int64(Self.formatVersion))
    object.add("items", itemCount.map(Int64.init))
    return object
  }

  package func read(_ list: ReadList) -> JSONObject {
    var object = event("list")
    object.add("name", list.name)
    object.add(bytes: (list.origin?.url).map { Redaction.url($0) }, as: "origin")
    if let origin = list.origin {
      object.add("dynamic", origin.isDynamic)
    } else {
      object.add("dynamic", Int64?.none)
    }
    return object
  }

  package func itemStarted(_ task: TaskID, name: [UInt8], location: Location) -> JSONObject {
    var object = event("item-start")
    object.add("item", Int64(task.position))
    object.add(name: name)
    object.add("url", location.redacted)
    return object
  }

  package func noticed(_ notice: Notice) -> JSONObject {
    var object = event("notice")
    object.add("item", notice.task.map { Int64($0.position) })
    if let name = notice.name { object.add(name: name) }
    object.add("level", "\(notice.level)")
    object.add("text", Redaction.words(NoticeMessages.text(notice.remark)))
    return object
  }

  package mutating func itemEnded(_ outcome: Outcome) -> JSONObject {
    var object = event("item-end")
    object.add("item", Int64(outcome.task.position))
    object.add(name: outcome.name)
    object.add(pathOf: outcome.name, in: directory)
    object.add("url", outcome.location.redacted)
    object.add("result", ReportText.ending(of: outcome.result).rawValue)
    object.add("bytes", outcome.byteCount)
    object.add("received", outcome.transfers.received.total)
    object.add("http-status", outcome.status.map(Int64.init))
    object.add("verified", outcome.verified?.digest.text)
    object.add("verified-by", outcome.verified.map { $0.source == .server ? "server" : "given" })
    object.add("seconds", outcome.elapsed)
    object.add("source", outcome.source?.text)
    if case .failed(let error) = outcome.result {
      _ = failures.admits(error, of: outcome.name)
      var cause = JSONObject()
      cause.add("code", error.code.rawValue)
      cause.add("message", Redaction.words(error.message))
      cause.add("hint", error.hint(isSaved: outcome.byteCount > 0).map { Redaction.words($0) })
      object.add("error", cause)
    }
    return object
  }

  package func progressed(_ progress: RunProgress) -> JSONObject {
    var object = event("progress")
    object.add(counts: progress)
    object.add("done", progress.doneByteCount)
    object.add("known", progress.knownByteCount)
    object.add("rate", Humanized.integer(progress.rate))
    object.add("connections", Int64(progress.connectionCount))
    object.add("active", progress.active.map(Self.object))
    return object
  }

  package func ended(summary: RunProgress, status: ExitStatus, interrupted: Bool) -> JSONObject {
    var object = event("end")
    object.add("status", Int64(status.rawValue))
    object.add("interrupted", interrupted)
    object.add(counts: summary)
    object.add("unfinished", Int64(summary.unfinishedCount))
    object.add("unstarted", Int64(summary.unstartedCount))
    object.add("failures", failures.ranked.map(Self.object))
    return object
  }

  private static func object(_ group: FailureTally.Group) -> JSONObject {
    var object = JSONObject()
    object.add("code", group.kind.code.rawValue)
    object.add("text", group.kind.words)
    object.add("count", Int64(group.count))
    object.add("names", group.names.map { String(decoding: $0, as: UTF8.self) })
    return object
  }

  private static func object(_ file: FileProgress) -> JSONObject {
    var object = JSONObject()
    object.add("item", Int64(file.task.position))
    object.add(name: file.name)
    object.add("phase", file.phase.rawValue)
    object.add("done", file.doneByteCount)
    object.add("length", file.completeLength)
    object.add("rate", Humanized.integer(file.rate))
    object.add("connections", Int64(file.connectionCount))
    return object
  }

  private func event(_ name: String) -> JSONObject { JSONObject(event: name, at: clock()) }
}

extension JSONObject {
  /// An event with its time.
  ///
  /// - Parameter time: milliseconds since 1970.
  package init(event: String, at time: Int64) {
    self.init()
    add("event", event)
    add("time", Timestamp.text(milliseconds: time))
  }

  /// Adds the path of the target and, where that is not UTF-8, its bytes in hexadecimal.
  package mutating func add(pathOf name: [UInt8], in directory: [UInt8]?) {
    add(bytes: directory.map { AbsolutePath.of(name, in: $0) }, as: "path")
  }

  /// Adds the fields that `progress` and `end` have in common.
  fileprivate mutating func add(counts run: RunProgress) {
    add("seconds", run.elapsed)
    add("items", run.itemCount.map(Int64.init))
    add("downloaded", Int64(run.downloadedCount))
    add("kept", Int64(run.keptCount))
    add("failed", Int64(run.failedCount))
    add("received", run.receivedByteCount)
  }
}
