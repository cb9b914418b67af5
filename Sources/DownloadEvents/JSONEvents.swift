package import DownloadCore
package import DownloadLists
internal import DownloadScratch
package import DownloadWords

/// The events of a run as JSON objects, which the man page documents.
package struct JSONEvents {
  /// The absolute path that names are relative to, without a slash at its end; nil where no file is written.
  private let directory: [UInt8]?
  /// Milliseconds since 1970.
  private let clock: () -> Int64
  private let vocabulary: Vocabulary
  private var failures = FailureTally()

  package init(directory: [UInt8]?, _ vocabulary: Vocabulary, clock: @escaping () -> Int64 = Timestamp.now) {
    self.vocabulary = vocabulary
    self.directory = directory
    self.clock = clock
  }

  package func began(itemCount: Int?) -> JSONObject { JSONObject(startOf: itemCount, at: clock()) }

  package func read(_ list: ReadList) -> JSONObject {
    var object = JSONObject(.list, at: clock())
    object.add(.list, list.name)
    object.add(.origin, bytes: (list.origin?.url).map { Redaction.url($0) })
    if let origin = list.origin {
      object.add(.dynamic, origin.isDynamic)
    } else {
      object.add(.dynamic, Int64?.none)
    }
    return object
  }

  package func itemStarted(_ task: TaskID, name: [UInt8], location: Location) -> JSONObject {
    var object = JSONObject(.itemStart, at: clock())
    object.add(.item, task.position)
    object.add(.name, bytes: name)
    object.add(.url, location.redacted)
    return object
  }

  package func noticed(_ notice: Notice) -> JSONObject {
    var object = JSONObject(.notice, at: clock())
    object.add(.item, notice.task.map { Int64($0.position) })
    object.add(.name, bytes: notice.name)
    object.add(.level, "\(notice.level)")
    object.add(.message, Redaction.words(NoticeMessages.text(notice.remark, in: vocabulary)))
    return object
  }

  package mutating func itemEnded(_ outcome: Outcome) -> JSONObject {
    if case .failed(let error) = outcome.result { _ = failures.admits(error, of: outcome.name) }
    return JSONObject(outcome, in: directory, vocabulary, at: clock())
  }

  package func progressed(_ progress: RunProgress) -> JSONObject {
    var object = JSONObject(.progress, at: clock())
    object.add(counts: progress)
    object.add(.bytesDone, progress.doneByteCount)
    object.add(.bytesKnown, progress.knownByteCount)
    object.add(.rate, Humanized.integer(progress.rate))
    object.add(.connections, progress.connectionCount)
    object.add(.active, progress.active.map(Self.object))
    return object
  }

  package func ended(summary: RunProgress, status: ExitStatus, interrupted: Bool) -> JSONObject {
    var object = JSONObject(.end, at: clock())
    object.add(.status, Int64(status.rawValue))
    object.add(.interrupted, interrupted)
    object.add(counts: summary)
    object.add(.unfinished, summary.unfinishedCount)
    object.add(.notStarted, summary.unstartedCount)
    object.add(.failures, failures.ranked.map(Self.object))
    return object
  }

  private static func object(_ group: FailureTally.Group) -> JSONObject {
    var object = JSONObject()
    object.add(.code, group.kind.code.rawValue)
    object.add(.message, group.kind.words)
    object.add(.count, group.count)
    object.add(.names, group.names.map { String(decoding: $0, as: UTF8.self) })
    return object
  }

  private static func object(_ file: FileProgress) -> JSONObject {
    var object = JSONObject()
    object.add(.item, file.task.position)
    object.add(.name, bytes: file.name)
    object.add(.phase, file.phase.rawValue)
    object.add(.bytesDone, file.doneByteCount)
    object.add(.size, file.completeLength)
    object.add(.rate, Humanized.integer(file.rate))
    object.add(.connections, file.connectionCount)
    return object
  }
}

extension JSONObject {
  /// Adds the fields that `progress` and `end` have in common.
  fileprivate mutating func add(counts run: RunProgress) {
    add(.seconds, run.elapsed)
    add(.files, run.itemCount.map(Int64.init))
    add(.downloaded, run.downloadedCount)
    add(.kept, run.keptCount)
    add(.failed, run.failedCount)
    add(.bytesFetched, run.receivedByteCount)
  }
}
