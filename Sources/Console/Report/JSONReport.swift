package import DownloadCore

/// `--progress json`: one JSON object per line. The man page documents the events; `version` is their format version.
///
/// Within a version, fields are added but never removed or redefined.
package final class JSONReport: Report {
  package static let formatVersion = 1
  /// The least time between two `progress` events: a quarter of a second, less some tolerance for early calls.
  private static let progressInterval = Duration.milliseconds(225)

  private let output: Output
  /// Lines for people, where the objects go to another descriptor.
  private let words: LinesReport?
  /// The absolute path that names are relative to, without a slash at its end; nil where no file is written.
  private let directory: [UInt8]?
  /// Milliseconds since 1970.
  private let clock: () -> Int64
  private var pending: [UInt8] = []
  private var lastProgress: Duration?

  package init(
    output: Output, words: LinesReport?, directory: [UInt8]?, clock: @escaping () -> Int64 = Timestamp.now
  ) {
    self.output = output
    self.words = words
    self.directory = directory
    self.clock = clock
  }

  package func began(itemCount: Int?) {
    words?.began(itemCount: itemCount)
    var object = event("start")
    object.add("version", Int64(Self.formatVersion))
    object.add("items", itemCount.map(Int64.init))
    add(object)
    flush()
  }

  package func read(_ lists: [ReadList]) {
    words?.read(lists)
    for list in lists {
      var object = event("list")
      object.add("name", list.name)
      object.add(bytes: (list.origin?.url).map { Redaction.url($0) }, as: "origin")
      if let origin = list.origin {
        object.add("dynamic", origin.isDynamic)
      } else {
        object.add("dynamic", Int64?.none)
      }
      add(object)
    }
    flush()
  }

  package func itemStarted(_ item: Int, name: [UInt8], location: Location) {
    words?.itemStarted(item, name: name, location: location)
    var object = event("item-start")
    object.add("item", Int64(item))
    object.add(name: name)
    object.add("url", location.redacted)
    add(object)
  }

  package func noticed(_ notice: Notice) {
    words?.noticed(notice)
    var object = event("notice")
    object.add("item", notice.item.map(Int64.init))
    if let name = notice.name { object.add(name: name) }
    object.add("level", "\(notice.level)")
    object.add("text", Redaction.words(NoticeMessages.text(notice.remark)))
    add(object)
  }

  package func itemEnded(_ outcome: Outcome) {
    words?.itemEnded(outcome)
    var object = event("item-end")
    object.add("item", Int64(outcome.item))
    object.add(name: outcome.name)
    object.add(pathOf: outcome.name, in: directory)
    object.add("url", outcome.location.redacted)
    switch outcome.result {
    case .downloaded: object.add("result", "downloaded")
    case .kept: object.add("result", "kept")
    case .failed: object.add("result", "failed")
    case .withdrawn(.cancelled): object.add("result", "cancelled")
    case .withdrawn(.removed): object.add("result", "removed")
    }
    object.add("bytes", outcome.byteCount)
    object.add("received", outcome.receivedByteCount)
    object.add("http-status", outcome.status.map(Int64.init))
    object.add("verified", outcome.verified?.digest.text)
    object.add("verified-by", outcome.verified.map { $0.source == .server ? "server" : "given" })
    object.add("seconds", outcome.elapsed)
    object.add("source", outcome.source?.text)
    if case .failed(let error) = outcome.result {
      var cause = JSONObject()
      cause.add("code", error.code.rawValue)
      cause.add("message", Redaction.words(error.message))
      cause.add("hint", error.hint(isSaved: outcome.byteCount > 0).map { Redaction.words($0) })
      object.add("error", cause)
    }
    add(object)
  }

  package func hasShown(hint: String) -> Bool { words?.hasShown(hint: hint) ?? false }

  package func progressed(_ progress: RunProgress) {
    words?.progressed(progress)
    if let lastProgress, progress.elapsed - lastProgress < Self.progressInterval { return flush() }
    lastProgress = progress.elapsed
    var object = event("progress")
    object.add(counts: progress)
    object.add("done", progress.doneByteCount)
    object.add("known", progress.knownByteCount)
    object.add("rate", Humanized.integer(progress.rate))
    object.add("connections", Int64(progress.connectionCount))
    object.add("active", progress.active.map(Self.object))
    add(object)
    flush()
  }

  package func ended(summary: RunProgress, status: ExitStatus, interrupted: Bool) {
    words?.ended(summary: summary, status: status, interrupted: interrupted)
    var object = event("end")
    object.add("status", Int64(status.rawValue))
    object.add("interrupted", interrupted)
    object.add(counts: summary)
    object.add("unfinished", Int64(summary.unfinishedCount))
    object.add("unstarted", Int64(summary.unstartedCount))
    add(object)
    flush()
  }

  private static func object(_ file: FileProgress) -> JSONObject {
    var object = JSONObject()
    object.add("item", Int64(file.item))
    object.add(name: file.name)
    object.add("phase", file.phase.rawValue)
    object.add("done", file.doneByteCount)
    object.add("length", file.completeLength)
    object.add("rate", Humanized.integer(file.rate))
    object.add("connections", Int64(file.connectionCount))
    return object
  }

  /// An object with its time.
  private func event(_ name: String) -> JSONObject {
    var object = JSONObject(event: name)
    object.add("time", Timestamp.text(milliseconds: clock()))
    return object
  }

  private func add(_ object: JSONObject) {
    pending.append(contentsOf: object.text)
    pending.append(UInt8(ascii: "\n"))
    if pending.count >= Output.batchByteCount { flush() }
  }

  private func flush() {
    guard !pending.isEmpty else { return }
    output.write(pending)
    pending.removeAll(keepingCapacity: true)
  }
}

extension JSONObject {
  /// Adds the path of the target and, where that is not UTF-8, its bytes in hexadecimal.
  fileprivate mutating func add(pathOf name: [UInt8], in directory: [UInt8]?) {
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
