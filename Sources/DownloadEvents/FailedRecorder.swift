package import DownloadCore
internal import DownloadListWriting
package import DownloadLists
package import DownloadScratch
internal import DownloadWords

/// Collects what did not end well for the file of `--failed`, which is a list for another run.
///
/// The lists of the run are read once more at the end, so nothing of them is held meanwhile: one bit for each item, and the
/// reasons of failures in an unnamed file. The file has the lines of the lists where these are lines of one format, else
/// JSON Lines of our own.
package final class FailedRecorder: ListingRecorder {
  package let path: [UInt8]
  private let reasons: NumberedTexts
  private var lines: FailedLines
  /// All entries in JSON Lines.
  private let objects: TextSpool
  /// Origins that the command line names.
  private let trusted: Set<Origin>
  private let vocabulary: Vocabulary
  /// Items that ended well.
  package private(set) var doneItems = NumberSet()
  private var started = NumberSet()
  /// The first name that JSON cannot hold. Requests with such names are not in `objects`.
  private var unwritable: (list: String, name: [UInt8])?
  private var failure: FileFailure?

  /// - Parameter trusted: origins that the command line names.
  /// - Throws: where the file cannot be written.
  package init(
    path: [UInt8], _ options: ListOptions, trusted: Set<Origin>, _ vocabulary: Vocabulary
  ) throws(Failure) {
    self.path = path
    self.vocabulary = vocabulary
    self.trusted = trusted
    do {
      reasons = try NumberedTexts(beside: path)
      lines = try FailedLines(path: path, options, vocabulary)
      objects = try TextSpool(beside: path)
    } catch { throw LocalFileMessages.error(of: "\(.failed)", path, error) }
  }

  package let wantsAll = true

  /// Whether the file has as comments what was left out of the lists. Ask at the end, as for what follows.
  package var hasRefused: Bool { lines.isFit }

  /// The first name that the file cannot hold. Requests with such names are not in it.
  package var unnamable: (list: String, name: [UInt8])? { lines.isFit ? nil : unwritable }

  package var isEmpty: Bool { objects.byteCount == 0 }

  package func itemStarted(_ task: TaskID) { started.insert(task.position) }

  package func itemEnded(_ outcome: Outcome) {
    switch outcome.result {
    case .downloaded, .kept, .withdrawn: doneItems.insert(outcome.task.position)
    case .failed(let error):
      let reason = Redaction.words(error.message(in: vocabulary))
      reasons.add(Array(reason.utf8), number: outcome.task.position)
    case .unfinished: break
    }
  }

  package func add(_ found: RevisitedEntry) {
    do throws(FileFailure) {
      switch found {
      case .item(let listed):
        let reason = try reason(of: listed.request.task.position)
        lines.add(listed, reason: reason)
        addObject(listed, reason)
      case .part(let listed, _): lines.add(listed, reason: Array("belongs to an entry above".utf8))
      case .refused(let problem, let list): lines.add(problem, of: list)
      }
    } catch { failure = failure ?? error }
  }

  private func addObject(_ listed: ListedRequest, _ reason: [UInt8]) {
    let request = listed.request
    let isUntrusted = !request.isNamedByUser && !request.mirrors.allSatisfy { trusted.contains($0.location.origin) }
    guard let text = RequestLine.text(request, of: listed.entry, isUntrusted: isUntrusted, reason: reason) else {
      unwritable = unwritable ?? (list: request.source?.list ?? "", name: request.target.name)
      return
    }
    objects.append(text)
  }

  private func reason(of item: Int) throws(FileFailure) -> [UInt8] {
    if let reason = try reasons.text(item) { return reason }
    return Array((started.contains(item) ? "unfinished" : "not started").utf8)
  }

  /// Replaces the file. It is empty where everything ended well.
  ///
  /// - Throws: why the file stays as it was.
  package func finish(syncs: Bool) throws(Failure) {
    do throws(FileFailure) {
      if let failure { throw failure }
      if lines.isFit {
        try lines.replaceFile(syncs: syncs)
      } else {
        try objects.replaceFile(isPrivate: true, syncs: syncs)
      }
    } catch { throw LocalFileMessages.error(of: "\(.failed)", path, error) }
  }
}
