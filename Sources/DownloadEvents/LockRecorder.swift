package import DownloadCore
package import DownloadEngine
internal import DownloadHashing
internal import DownloadListWriting
internal import DownloadScratch
package import DownloadWords

/// Collects what a run got for the lock file of `--lock`.
package final class LockRecorder: RunRecorder {
  private let path: [UInt8]
  private let spool: LockSpool
  /// Whether a URL of the run has a password, which is not written, or a query with a secret, which is.
  private var hasSecrets = false
  /// The first file that a lock file cannot name.
  private var unnamable: [UInt8]?

  /// Files that are hashed at the same time at the end.
  private static let hashWindow = 256

  /// - Throws: where the lock file cannot be written.
  package init(path: [UInt8]) throws(Failure) {
    self.path = path
    do { spool = try LockSpool(path: path) } catch {
      throw Failure(
        .localIO, words: "the lock file \(NamedFiles.shown(path)): \(LocalFileMessages.message(error.problem))",
        hint: "name a file in a writable directory with \(.lock)")
    }
  }

  package func itemEnded(_ outcome: Outcome) {
    guard let record = outcome.record, outcome.result == .downloaded || outcome.result == .kept else { return }
    // A string of JSON is UTF-8 (RFC 8259 section 8.1).
    guard String(validating: outcome.name, as: UTF8.self) != nil else {
      unnamable = unnamable ?? outcome.name
      return
    }
    let digest = (record.digests + [outcome.verified?.digest].compactMap(\.self)).first {
      $0.algorithm == LockEntry.algorithm
    }
    if outcome.mirrors.contains(where: { $0.userinfo != nil || $0.location.hasSecret }) { hasSecrets = true }
    spool.add(Self.entry(outcome, record.validators), number: outcome.task.position, digest: digest)
  }

  private static func entry(_ outcome: Outcome, _ validators: Validators?) -> LockEntry {
    var entry = LockEntry(
      urls: outcome.mirrors.map(\.location.text), name: outcome.name, length: outcome.byteCount)
    if let servedBy = outcome.transfers.servedBy, servedBy != outcome.location {
      entry.finalURL = servedBy.withoutQuery
    }
    if let tag = validators?.entityTag?.bytes, String(validating: tag, as: UTF8.self) != nil {
      entry.entityTag = tag
    }
    entry.lastModified = validators?.lastModified.map(HTTPDate.format)
    return entry
  }

  /// Writes the lock file when every file is in place. Files that were kept without a digest are hashed first.
  ///
  /// - Parameter directory: of the targets, as the user named it.
  /// - Returns: what the user should know of the file.
  /// - Throws: why the lock file stays as it was.
  package func finish(
    directory: [UInt8], syncs: Bool, hearing signals: SignalWatch
  ) throws(Failure) -> Diagnostic? {
    if let unnamable {
      throw Failure(
        .localIO, words: "no lock file is written: the name \(Diagnostic.escaped(unnamable)) is not UTF-8",
        hint: "choose the name with out= in the list, or with \(.output)")
    }
    do throws(FileFailure) {
      guard try hash(directory, hearing: signals) else { return nil }
      try spool.write(isPrivate: hasSecrets, syncs: syncs)
    } catch {
      throw Failure(
        .localIO,
        "no lock file is written: \(NamedFiles.shown(error.name)): \(LocalFileMessages.message(error.problem))",
        hint: LocalFileMessages.hint(error.problem) ?? "fix the cause, then run the same command again")
    }
    guard hasSecrets else { return nil }
    return Diagnostic(
      message: "warning: only you can read \(NamedFiles.shown(path)): the URLs have passwords, tokens or signatures",
      hint: "before you give it to others, look at its URLs; passwords before the host are not in it")
  }

  /// Computes the missing digests.
  ///
  /// - Returns: whether all are there; false if a signal came first.
  private func hash(_ directory: [UInt8], hearing signals: SignalWatch) throws(FileFailure) -> Bool {
    guard var next = try spool.undigested(from: 0) else { return true }
    let pool = try HashPool(path: directory)
    // After a signal nothing waits for a disk.
    defer { if signals.ending == nil { pool.end() } }
    var hasMore = true
    var count = 0
    while hasMore || count > 0 {
      while hasMore, count < Self.hashWindow {
        pool.submit(HashJob(number: next.number, target: .path(next.name), algorithms: [LockEntry.algorithm]))
        count += 1
        let following = try spool.undigested(from: next.number + 1)
        hasMore = following != nil
        next = following ?? next
      }
      guard let outcomes = pool.collect(hearing: signals) else { return false }
      count -= outcomes.count
      for outcome in outcomes {
        switch outcome.result {
        case .success(let content): for digest in content.digests { try spool.complete(number: outcome.number, digest) }
        case .failure(let problem): throw FileFailure(try spool.name(ofUndigested: outcome.number), problem)
        }
      }
    }
    return true
  }
}
