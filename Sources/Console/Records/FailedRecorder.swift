import DownloadCore
import LocalFiles
import ManifestWriting

/// Collects what did not end well for the file of `--failed`, which is a list for another run.
///
/// The lists of the run are read once more at the end, so nothing of them is held meanwhile: one bit for each item, and the
/// reasons of failures in an unnamed file. The file has the format of the lists where that can hold it, else JSON Lines of
/// our own, for which they are read again.
final class FailedRecorder: ListingRecorder {
  let path: [UInt8]
  private let reasons: NumberedTexts
  /// In the format of the lists; nil where that is not possible.
  private var own: OwnFormatList?
  /// In JSON Lines.
  private let lines: TextSpool
  /// Origins that the command line names.
  private let trusted: Set<Origin>
  /// Items that ended well.
  private(set) var settled = ItemSet()
  private var started = ItemSet()
  /// The first name that the file cannot hold. Requests with such names are not in it.
  private(set) var unnamable: (list: String, name: [UInt8])?
  private var failure: FileFailure?

  /// - Parameters:
  ///   - trusted: origins that the command line names.
  ///   - hasBag: whether the input is a bag, whose `fetch.txt` alone has no digests.
  /// - Throws: where the file cannot be written.
  init(
    path: [UInt8], _ invocation: Invocation, trusted: Set<Origin>, hasBag: Bool
  ) throws(DownloadError) {
    self.path = path
    self.trusted = trusted
    do {
      reasons = try NumberedTexts(beside: path)
      lines = try TextSpool(beside: path)
      own = hasBag ? nil : try OwnFormatList(path: path, invocation)
    } catch { throw RecordOptions.error(of: "--failed", path, error) }
  }

  /// Whether the file has as comments what was left out of the lists.
  var hasRefused: Bool { own.map { !$0.lacksRefused } ?? false }

  /// Whether JSON Lines have no entries so far.
  var isEmpty: Bool { lines.byteCount == 0 }

  func itemStarted(_ task: TaskID) { started.insert(task.position) }

  func itemEnded(_ outcome: Outcome) {
    switch outcome.result {
    case .downloaded, .kept, .withdrawn: settled.insert(outcome.task.position)
    case .failed(let error): reasons.add(Array(Redaction.words(error.message).utf8), number: outcome.task.position)
    case .unfinished: break
    }
  }

  /// Whether the file is to have the format of the lists, so that the texts of entries and all that was left out is wanted.
  var wantsAll: Bool { own != nil }

  func add(_ found: RevisitedEntry) {
    do throws(FileFailure) {
      switch found {
      case .item(let listed):
        let reason = try reason(of: listed.request.task.position)
        if own == nil { addLine(listed, reason) } else { own?.add(listed, reason: reason) }
      case .part(let listed, _): own?.add(listed, reason: Array("belongs to an entry above".utf8))
      case .refused(let problem, let list): own?.add(problem, of: list)
      }
    } catch { failure = failure ?? error }
  }

  /// Everything was added.
  ///
  /// - Returns: false if everything has to be added once more, because only JSON Lines can hold it.
  func endsReading() -> Bool {
    guard var list = own else { return true }
    list.end()
    own = list.isFit ? list : nil
    return list.isFit
  }

  private func addLine(_ listed: ListedRequest, _ reason: [UInt8]) {
    let request = listed.request
    let isUntrusted = !request.isNamedByUser && !request.mirrors.allSatisfy { trusted.contains($0.location.origin) }
    guard let line = RequestLine(request, of: listed.entry, isUntrusted: isUntrusted) else {
      unnamable = unnamable ?? (list: request.source?.list ?? "", name: request.target.name)
      return
    }
    lines.append(line.line(reason: reason))
  }

  private func reason(of item: Int) throws(FileFailure) -> [UInt8] {
    if let reason = try reasons.text(item) { return reason }
    return Array((started.contains(item) ? "unfinished" : "not started").utf8)
  }

  /// Replaces the file. It is empty where everything ended well.
  ///
  /// - Throws: why the file stays as it was.
  func finish(syncs: Bool) throws(DownloadError) {
    do throws(FileFailure) {
      if let failure { throw failure }
      if let own { try own.replaceFile(syncs: syncs) } else { try lines.replaceFile(isPrivate: true, syncs: syncs) }
    } catch { throw RecordOptions.error(of: "--failed", path, error) }
  }
}
