internal import DownloadCore
package import DownloadEngine
internal import DownloadFiles
package import DownloadScratch
internal import Glibc

/// The next set of the files of a directory, which takes the place of the previous one at once (`--atomic`).
///
/// It is prepared beside the directory DIR:
///
///     DIR.swiftget-next/new   what runs download, until it is published
///     DIR.swiftget-next/set   the whole next set: names of the files in new, and of those of DIR that stay
///     DIR.swiftget-next/names, missing    the `SetRecord`: what the set in new is to have, and what it lacks
///     DIR.swiftget-next/known what DIR had when set was assembled
///     DIR.swiftget-next/id    which directory set is, written before it takes the place of DIR
///
/// `open` ──► `begin` ──► a run downloads into `new` ──► `publish`: assemble `set` ──► sync ──► exchange it with DIR ──► remove the
/// previous set and `new`. DIR is the previous set or the next one at any moment. Where a run is killed, the next one
/// tells by `id` which of the two DIR is, and removes what is left of the other one.
///
/// One thread. Other processes may add files to DIR meanwhile, and save files there; these stay.
package final class NextSet {
  package enum Publication: Hashable, Sendable {
    /// Nothing is new.
    case none
    case published
    /// The next set is in place.
    /// - Parameter left: what could not be removed of the previous one; the next run tries again.
    case publishedWithRest(left: FileFailure)
    /// The next set is in place, but a power cut may bring the previous one back.
    case unsynced(FileFailure)
    /// A signal came first. Nothing has changed.
    case interrupted
  }

  private let place: SetPlace
  /// What runs have published in DIR; nil where nothing remembers it.
  private let published: PublishedFiles?
  /// What the run wants.
  private var names: SetNames?
  /// The files that the last publication has left out, because they have left the list.
  package private(set) var prunedCount = 0

  /// Opens or makes the place for the next set, and ends what a killed run has begun. DIR need not exist.
  ///
  /// - Parameters:
  ///   - path: of DIR as the user names it; a symbolic link stands for the directory that it leads to.
  ///   - record: of what earlier runs have published there.
  package init(of path: [UInt8], record: PublishedFiles? = nil) throws(SetRefusal) {
    published = record
    place = try SetPlace(path)
    try endPublication()
    try ExchangeProbe(
      parent: place.parent.raw, name: place.name, stage: place.stage, stagePath: place.stagePath, path: path
    ).run()
    try makeNew()
  }

  /// A run that did not begin leaves nothing.
  deinit { _ = discardIfEmpty() }

  private var record: SetRecord { SetRecord(directory: place.stage) }

  /// The path of the directory for what the run downloads.
  package var newPath: [UInt8] { place.newPath }

  /// The path of the previous set; nil where there is none.
  package var previousPath: [UInt8]? {
    (try? SystemCalls.fstatat(place.parent.raw, place.name)) == nil ? nil : place.path
  }

  /// The path of the place for the next set, for messages.
  package var stagePath: [UInt8] { place.stagePath }

  /// Where a run would look at files, if it began now; nothing is made or changed.
  ///
  /// - Parameter path: as for `init`.
  /// - Returns: the directory for new files, and that of the previous set where there is one.
  package static func paths(of path: [UInt8]) throws(SetRefusal) -> (new: [UInt8], previous: [UInt8]?) {
    try SetPlace.paths(of: path)
  }

  private func makeNew() throws(SetRefusal) {
    do throws(SystemCallError) { try SystemCalls.mkdirat(place.stage, SetPlace.new, mode: 0o777) } catch {
      if error.errno == EEXIST { return }
      throw .failed(FileFailure(place.newPath, .failed(.create, errno: error.errno)))
    }
    guard let new = try? place.open(SetPlace.new, in: place.stage),
      let previous = try? place.open(place.name, in: place.parent.raw)
    else { return }
    FileSet.adoptOwnership(new.raw, of: previous.raw)
  }

  // MARK: Files of earlier runs

  /// Decides what becomes of the files that a run which failed has left, so that what is published is one set.
  ///
  /// They stay if the run wants all of them, or if it wants all that their set lacks and nothing else: then that set is
  /// published as a whole. If it wants other files, it makes another set, and those that it does not want are removed.
  /// Part files stay in any case.
  ///
  /// - Parameter names: what the run wants.
  /// - Throws: `isPart`, besides failures.
  package func begin(_ names: SetNames, syncs: Bool) throws(SetRefusal) {
    self.names = names
    let new = try place.opened(SetPlace.new, in: place.stage)
    if try !place.tried({ () throws(FileSet.Fault) in try FileSet.allFiles(new.raw) { path, _ in names.contains(path) }
    }) {
      switch relation(of: names) {
      case .completes: return
      case .isPart: throw .isPart
      case .isOther:
        try place.tried { () throws(FileSet.Fault) in try FileSet.removeFiles(new.raw) { names.contains($0) } }
      }
    } else if relation(of: names) == .completes {
      return
    }
    try place.perform(.write) { () throws(SystemCallError) in try record.begin(names.keys, syncs: syncs) }
  }

  private enum Relation { case completes, isPart, isOther }

  /// What the files of a run are to the unfinished set.
  private func relation(of names: SetNames) -> Relation {
    guard let all = record.readNames(), SetNames.isSubset(names.keys, of: all) else { return .isOther }
    return SetNames.isSubset(record.readMissing() ?? all, of: names.keys) ? .completes : .isPart
  }

  /// Records which files the set lacks after a run that did not publish it.
  ///
  /// - Parameter keys: as those of `SetNames`.
  package func record(missing keys: [UInt64], syncs: Bool) throws(SetRefusal) {
    try place.perform(.write) { () throws(SystemCallError) in
      try record.write(missing: SetNames.sorted(keys), syncs: syncs)
    }
  }

  // MARK: Publication

  /// Puts the next set in the place of DIR, if anything is new, or is to be left out.
  ///
  /// - Parameter prunes: whether files are left out that earlier runs have published, and that the set has no more.
  /// - Throws: why that was not possible; DIR is the previous set then, and what was downloaded is kept.
  package func publish(syncs: Bool, prunes: Bool = false, hearing signals: SignalWatch) throws(SetRefusal)
    -> Publication
  {
    let new = try place.opened(SetPlace.new, in: place.stage)
    let isFirst = previousPath == nil
    let content = PublishedFiles.Content(published, of: names?.completing(record.readNames()), prunes: prunes)
    let hasNew = try place.tried { () throws(FileSet.Fault) in try FileSet.hasFiles(new.raw, finishedOnly: true) }
    let hasLess = isFirst ? false : try hasLeftOut(content)
    guard hasNew || hasLess else {
      if !isFirst, !content.isRecorded { try note(content) }
      discard()
      return .none
    }
    // Without a previous set, the new files are all of it.
    let made = isFirst ? SetPlace.new : SetPlace.set
    if isFirst {
      try place.tried { () throws(FileSet.Fault) in try FileSet.removeReserved(in: new.raw) }
    } else if try !assemble(new.raw, leavingOut: content, syncs: syncs, hearing: signals) {
      return .interrupted
    }
    prunedCount = content.leftOutCount
    let set = try place.opened(made, in: place.stage)
    try place.perform(.sync) { () throws(SystemCallError) in if syncs { try SystemCalls.syncFileSystem(set.raw) } }
    try place.perform(.write) { () throws(SystemCallError) in
      try? SystemCalls.unlinkat(place.stage, SetPlace.identity)
      try NewFile.write(Self.text(try SystemCalls.fstat(set.raw)), SetPlace.identity, in: place.stage, syncs: syncs)
      if syncs { try SystemCalls.fsync(place.stage) }
    }
    try place.perform(.move) { () throws(SystemCallError) in
      if isFirst {
        try FileTree.move(place.stage, made, to: place.name, in: place.parent.raw)
      } else {
        try SystemCalls.exchange(place.stage, made, place.parent.raw, place.name)
      }
    }
    do throws(SystemCallError) {
      if syncs {
        try SystemCalls.fsync(place.parent.raw)
        try SystemCalls.fsync(place.stage)
      }
    } catch {
      return .unsynced(FileFailure(place.path, .failed(.sync, errno: error.errno)))
    }
    do throws(SetRefusal) {
      try note(content)
      try removePrevious()
      return .published
    } catch {
      guard case .failed(let failure) = error else { return .published }
      return .publishedWithRest(left: failure)
    }
  }

  /// Makes `set` of the previous set and the new files.
  ///
  /// - Returns: false if a signal came first; nothing is left then.
  private func assemble(
    _ new: Int32, leavingOut content: PublishedFiles.Content, syncs: Bool, hearing signals: SignalWatch
  ) throws(SetRefusal) -> Bool {
    let previous = try place.opened(place.name, in: place.parent.raw)
    try place.perform(.create) { () throws(SystemCallError) in
      try SystemCalls.mkdirat(place.stage, SetPlace.set, mode: 0o777)
    }
    let set = try place.opened(SetPlace.set, in: place.stage)
    let known: SetFiles
    do throws(FileSet.Fault) {
      known = try FileSet.assemble(
        previous: previous.raw, added: new, into: set.raw,
        FileSet.Choice {
          signals.take()
          return signals.ending != nil
        } isLeftOut: {
          content.leavesOut($0, $1)
        })
    } catch {
      try? FileSet.remove(SetPlace.set, in: place.stage)
      if case .stopped = error { return false }
      throw place.refusal(error)
    }
    try place.perform(.write) { () throws(SystemCallError) in
      try? SystemCalls.unlinkat(place.stage, SetPlace.known)
      try NewFile.write(known.text, SetPlace.known, in: place.stage, syncs: syncs)
    }
    return true
  }

  /// Whether a file of DIR is to be left out.
  private func hasLeftOut(_ content: PublishedFiles.Content) throws(SetRefusal) -> Bool {
    guard content.mayLeaveOut else { return false }
    let previous = try place.opened(place.name, in: place.parent.raw)
    return try !place.tried { () throws(FileSet.Fault) in
      try FileSet.allFiles(previous.raw) { !content.leavesOut($0, $1, isCounted: false) }
    }
  }

  /// Remembers what runs have published in DIR.
  private func note(_ content: PublishedFiles.Content) throws(SetRefusal) {
    guard let published else { return }
    let directory = try place.opened(place.name, in: place.parent.raw)
    var files = SetFiles()
    _ = try place.tried { () throws(FileSet.Fault) in
      try FileSet.allFiles(directory.raw) { path, status in
        if let key = content.key(ofPublished: path, status) { files.insert(key, status) }
        return true
      }
    }
    files.sort()
    published.write(files)
  }

  /// Removes what nobody needs: the place for the next set if nothing in it can be used by the next run.
  ///
  /// - Returns: whether there was nothing.
  package func discardIfEmpty() -> Bool {
    if let new = try? place.open(SetPlace.new, in: place.stage) {
      guard let hasFiles = try? FileSet.hasFiles(new.raw, finishedOnly: false), !hasFiles else { return false }
    }
    discard()
    return true
  }

  private func discard() {
    record.remove()
    try? SystemCalls.unlinkat(place.stage, SetPlace.known)
    try? FileSet.remove(SetPlace.new, in: place.stage)
    try? SystemCalls.rmdirat(place.parent.raw, place.stageName)
  }

  /// Ends what a killed run has begun: the removal of the previous set if the next one was published, else that of an
  /// unfinished set.
  private func endPublication() throws(SetRefusal) {
    guard (try? SystemCalls.fstatat(place.stage, SetPlace.set)) != nil || isPublished else { return }
    if isPublished {
      try removePrevious(endsRun: false)
    } else {
      try place.tried { () throws(FileSet.Fault) in try FileSet.remove(SetPlace.set, in: place.stage) }
      try? SystemCalls.unlinkat(place.stage, SetPlace.known)
    }
  }

  /// Whether DIR is the set that `id` names.
  private var isPublished: Bool {
    guard let found = try? SystemCalls.fstatat(place.parent.raw, place.name) else { return false }
    let text = SystemCalls.content(of: SetPlace.identity, in: place.stage, atMost: Self.mostIdentityBytes)
    return text == Self.text(found)
  }

  private static let mostIdentityBytes = 64

  /// `DEVICE INODE`
  private static func text(_ status: FileStatus) -> [UInt8] { Array("\(status.device) \(status.inode)\n".utf8) }

  /// After the exchange: removes the previous set, which now has the name `set`, and the second names of new files.
  ///
  /// - Parameter endsRun: false keeps the place for the next set.
  private func removePrevious(endsRun: Bool = true) throws(SetRefusal) {
    let next = try place.opened(place.name, in: place.parent.raw)
    if (try? SystemCalls.fstatat(place.stage, SetPlace.set)) != nil {
      let known = place.read(SetPlace.known).flatMap(SetFiles.init(text:))
      try place.tried { () throws(FileSet.Fault) in
        try FileSet.retire(SetPlace.set, in: place.stage, for: next.raw, known: known)
      }
    }
    if (try? SystemCalls.fstatat(place.stage, SetPlace.new)) != nil {
      try place.tried { () throws(FileSet.Fault) in try FileSet.remove(SetPlace.new, in: place.stage) }
    }
    record.remove()
    try place.perform(.remove) { () throws(SystemCallError) in
      try? SystemCalls.unlinkat(place.stage, SetPlace.known)
      try SystemCalls.unlinkat(place.stage, SetPlace.identity)
      if endsRun { try SystemCalls.rmdirat(place.parent.raw, place.stageName) }
    }
  }
}
