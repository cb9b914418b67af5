import DownloadCore
import LocalFiles
import ManifestWriting

/// Collects what did not end well for the file of `--failed`, which is a list for another run.
///
/// The list of the run is read once more at the end, so nothing of it is held meanwhile: one bit for each item, and the
/// reasons of failures in an unnamed file.
final class FailedRecorder: ListingRecorder {
  private let path: [UInt8]
  private let reasons: NumberedTexts
  private let lines: TextSpool
  /// Origins that the command line names.
  private let trusted: Set<Origin>
  /// Items that ended well.
  private(set) var settled = ItemSet()
  private var started = ItemSet()
  /// The place in `reasons` that is looked at next.
  private var nextReason = 0
  /// The first name that the file cannot hold. Requests with such names are not in it.
  private(set) var unnamable: (list: String, name: [UInt8])?
  private var failure: FileFailure?

  /// - Parameter trusted: origins that the command line names.
  /// - Throws: where the file cannot be written.
  init(path: [UInt8], trusted: Set<Origin>) throws(DownloadError) {
    self.path = path
    self.trusted = trusted
    do {
      reasons = try NumberedTexts(beside: path)
      lines = try TextSpool(beside: path)
    } catch { throw RecordOptions.error(of: "--failed", path, error) }
  }

  func itemStarted(_ item: Int) { started.insert(item) }

  func itemEnded(_ outcome: Outcome) {
    switch outcome.result {
    case .downloaded, .kept, .withdrawn: settled.insert(outcome.item)
    case .failed(let error): reasons.add(Array(Redaction.words(error.message).utf8), number: outcome.item)
    case .unfinished: break
    }
  }

  func add(_ request: DownloadRequest, of entry: ManifestEntry?) {
    let isUntrusted = !request.isNamedByUser && !request.mirrors.allSatisfy { trusted.contains($0.location.origin) }
    guard let line = RequestLine(request, of: entry, isUntrusted: isUntrusted) else {
      unnamable = unnamable ?? (list: request.source?.list ?? "", name: request.target.name)
      return
    }
    do { lines.append(line.line(reason: try reason(of: request.item))) } catch { failure = failure ?? error }
  }

  private func reason(of item: Int) throws(FileFailure) -> [UInt8] {
    while let number = reasons.number(at: nextReason), number < item { nextReason += 1 }
    if reasons.number(at: nextReason) == item { return try reasons.text(at: nextReason) }
    return Array((started.contains(item) ? "unfinished" : "not started").utf8)
  }

  /// Replaces the file. It is empty where everything ended well.
  ///
  /// - Throws: why the file stays as it was.
  func finish(syncs: Bool) throws(DownloadError) {
    do throws(FileFailure) {
      if let failure { throw failure }
      try lines.replaceFile(isPrivate: true, syncs: syncs)
    } catch { throw RecordOptions.error(of: "--failed", path, error) }
  }
}
