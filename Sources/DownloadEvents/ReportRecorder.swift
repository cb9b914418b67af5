package import DownloadCore
package import DownloadLists
package import DownloadScratch
package import DownloadWords

/// Writes the file of `--report`. Items wait in an unnamed file, in the order in which they ended; those that did not end
/// follow in the order of the list. Memory: two bits for each item.
package final class ReportRecorder: ListingRecorder {
  private let path: [UInt8]
  private let spool: TextSpool
  /// The absolute path that names are relative to; nil where no file is written.
  private let directory: [UInt8]?
  /// Milliseconds since 1970.
  private let clock: () -> Int64
  private let vocabulary: Vocabulary
  private var head: ReportHead
  /// Items that are in the report.
  package private(set) var doneItems = NumberSet()
  private var started = NumberSet()
  private var writing = Writing.wanted
  private enum Writing: Equatable {
    case wanted, lost
    case done(ExitStatus)
  }

  /// - Throws: where the file cannot be written.
  package init(
    path: [UInt8], directory: [UInt8]?, _ options: [GivenOption], _ invalid: InvalidEntries, _ vocabulary: Vocabulary,
    clock: @escaping () -> Int64 = Timestamp.now
  ) throws(Failure) {
    self.path = path
    self.clock = clock
    self.vocabulary = vocabulary
    self.directory = directory
    head = ReportHead(started: Timestamp.text(milliseconds: clock()), options: options)
    head.invalid = invalid
    do { spool = try TextSpool(beside: path) } catch {
      throw LocalFileMessages.error(of: "\(.report)", path, error)
    }
  }

  package func itemStarted(_ task: TaskID) { started.insert(task.position) }

  package func itemEnded(_ outcome: Outcome) {
    add(JSONObject(outcome, in: directory, vocabulary, at: clock()), outcome.task, ItemEnding(outcome.result))
    switch outcome.result {
    case .downloaded, .kept: head.totals.totalByteCount += outcome.byteCount
    case .failed, .withdrawn, .unfinished: break
    }
  }

  package let wantsAll = false

  package func add(_ found: RevisitedEntry) {
    guard case .item(let listed) = found else { return }
    let task = listed.request.task
    let ending: ItemEnding = started.contains(task.position) ? .unfinished : .notStarted
    add(JSONObject(listed.request, ending, in: directory, at: clock()), task, ending)
  }

  private func add(_ object: JSONObject, _ task: TaskID, _ ending: ItemEnding) {
    spool.append(item: object.text)
    doneItems.insert(task.position)
    head.totals[ending] += 1
  }

  /// What is known at the end of the run.
  ///
  /// - Parameters:
  ///   - run: its last counts.
  ///   - isPublished: whether a whole set is in place; nil where none was wanted.
  package func ended(_ run: RunProgress, isPublished: Bool?) {
    head.isPublished = isPublished
    head.totals.fetchedByteCount = run.receivedByteCount
    head.totals.elapsed = run.elapsed
  }

  /// Replaces the file, unless it has this status already. After a failure it is not tried again.
  ///
  /// - Throws: why the file stays as it was.
  package func write(_ status: ExitStatus, syncs: Bool) throws(Failure) {
    if writing == .done(status) || writing == .lost { return }
    head.status = status
    writing = .lost
    do { try spool.replaceFile(beginning: head.text(at: clock()), end: ReportHead.end, syncs: syncs) } catch {
      throw LocalFileMessages.error(of: "\(.report)", path, error)
    }
    writing = .done(status)
  }
}
