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
  private var head: ReportHead
  /// Items that are in the report.
  package private(set) var settled = NumberSet()
  private var started = NumberSet()

  /// - Throws: where the file cannot be written.
  package init(
    path: [UInt8], directory: [UInt8]?, _ options: [GivenOption], _ invalid: InvalidEntries,
    clock: @escaping () -> Int64 = Timestamp.now
  ) throws(Failure) {
    self.path = path
    self.clock = clock
    self.directory = directory
    let now = Timestamp.text(milliseconds: clock())
    head = ReportHead(started: now, ended: now, status: .success, options: options)
    head.invalid = invalid
    do { spool = try TextSpool(beside: path) } catch {
      throw LocalFileMessages.error(of: "--report", path, error)
    }
  }

  package func itemStarted(_ task: TaskID) { started.insert(task.position) }

  package func itemEnded(_ outcome: Outcome) {
    add(
      ReportText.item(outcome, in: directory, now: clock()), outcome.task.position,
      ReportText.ending(of: outcome.result))
    switch outcome.result {
    case .downloaded, .kept: head.totals.totalByteCount += outcome.byteCount
    case .failed, .withdrawn, .unfinished: break
    }
  }

  package let wantsAll = false

  package func add(_ found: RevisitedEntry) {
    guard case .item(let listed) = found else { return }
    let request = listed.request
    let ending: ReportText.Ending = started.contains(request.task.position) ? .unfinished : .notStarted
    add(ReportText.item(request, ending, in: directory), request.task.position, ending)
  }

  private func add(_ text: [UInt8], _ item: Int, _ ending: ReportText.Ending) {
    spool.append(item: text)
    settled.insert(item)
    head.totals[ending] += 1
  }

  /// Replaces the file.
  ///
  /// - Parameter run: the last counts of the run.
  /// - Throws: why the file stays as it was.
  package func finish(_ run: RunProgress, status: ExitStatus, isPublished: Bool?, syncs: Bool) throws(Failure) {
    head.ended = Timestamp.text(milliseconds: clock())
    head.status = status
    head.isPublished = isPublished
    head.totals.fetchedByteCount = run.receivedByteCount
    head.totals.elapsed = run.elapsed
    do { try spool.replaceFile(beginning: head.text, end: ReportText.end, syncs: syncs) } catch {
      throw LocalFileMessages.error(of: "--report", path, error)
    }
  }
}
