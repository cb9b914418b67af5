import DownloadCore
import LocalFiles
import ManifestWriting

/// Collects what did not end well for the file of `--failed`, which is a list for another run.
///
/// The list of the run is read once more at the end, so nothing of it is held meanwhile: one bit for each item, and the
/// reasons of failures in an unnamed file.
final class FailedRecorder: RunRecorder {
  private let path: [UInt8]
  private let reasons: NumberedTexts
  private var endedWell = ItemSet()
  private var started = ItemSet()
  /// The place in `reasons` that is looked at next.
  private var nextReason = 0

  /// - Throws: where the file cannot be written.
  init(path: [UInt8]) throws(DownloadError) {
    self.path = path
    do { reasons = try NumberedTexts(beside: path) } catch { throw FailedRecorder.error(path, error) }
  }

  func itemStarted(_ item: Int) { started.insert(item) }

  func itemEnded(_ outcome: Outcome) {
    switch outcome.result {
    case .downloaded, .kept, .withdrawn: endedWell.insert(outcome.item)
    case .failed(let error): reasons.add(Array(Redaction.words(error.message).utf8), number: outcome.item)
    }
  }

  /// Replaces the file. It is empty where everything ended well.
  ///
  /// - Parameter trusted: origins that the command line names.
  /// - Returns: a name that the file cannot hold, if there is one. Its request is not in the file.
  /// - Throws: why the file stays as it was.
  func finish(
    _ list: RequestList, trusted: Set<Origin>, syncs: Bool
  ) throws(DownloadError) -> (list: String, name: [UInt8])? {
    let lines: NumberedTexts
    do { lines = try NumberedTexts(beside: path) } catch { throw FailedRecorder.error(path, error) }
    var unnamable: (list: String, name: [UInt8])?
    // Usually there is nothing to look for.
    if endedWell.count != list.itemCount {
      try list.revisit(skipping: endedWell.contains) { (request, entry) throws(DownloadError) in
        guard let line = try line(of: request, entry, trusted: trusted) else {
          unnamable = unnamable ?? (list: request.source?.list ?? "", name: request.target.name)
          return
        }
        lines.add(line, number: request.item)
      }
    }
    do { try lines.replaceFile(isPrivate: true, syncs: syncs) } catch { throw FailedRecorder.error(path, error) }
    return unnamable
  }

  /// - Returns: nil where the file cannot hold the name.
  private func line(
    of request: DownloadRequest, _ entry: ManifestEntry?, trusted: Set<Origin>
  ) throws(DownloadError) -> [UInt8]? {
    let isUntrusted = !request.isNamedByUser && !request.mirrors.allSatisfy { trusted.contains($0.location.origin) }
    guard let line = RequestLine(request, of: entry, isUntrusted: isUntrusted) else { return nil }
    // Items come in their order.
    while let number = reasons.number(at: nextReason), number < request.item { nextReason += 1 }
    guard reasons.number(at: nextReason) == request.item else {
      return line.line(reason: Array((started.contains(request.item) ? "unfinished" : "not started").utf8))
    }
    do { return line.line(reason: try reasons.text(at: nextReason)) } catch { throw Self.error(path, error) }
  }

  private static func error(_ path: [UInt8], _ failure: FileFailure) -> DownloadError {
    DownloadError(
      .localIO, "the file of --failed \(NamedFiles.shown(path)): \(LocalFileMessages.message(failure.problem))",
      hint: LocalFileMessages.hint(failure.problem) ?? "name a file in a writable directory")
  }
}
