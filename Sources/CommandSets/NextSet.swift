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

  /// DIR, absolute and without links.
  private let path: [UInt8]
  private let name: [UInt8]
  /// What runs have published in DIR; nil where nothing remembers it.
  private let published: PublishedFiles?
  /// What the run wants.
  private var names: SetNames?
  /// The files that the last publication has left out, because they have left the list.
  package private(set) var prunedCount = 0
  /// The directory that DIR is in.
  private let parent: FileDescriptor
  /// `DIR.swiftget-next`, which holds the lock.
  private let lock: FileLock
  private let stageName: [UInt8]
  private var stage: Int32 { lock.descriptor.raw }
  private var record: SetRecord { SetRecord(directory: stage) }

  private static let new = Array("new".utf8)
  private static let set = Array("set".utf8)
  private static let identity = Array("id".utf8)
  private static let known = Array("known".utf8)
  private static let slash = UInt8(ascii: "/")
  /// Attempts at a stage that other runs remove at the same time.
  private static let openAttemptCount = 100

  /// Opens or makes the place for the next set, and ends what a killed run has begun. DIR need not exist.
  ///
  /// - Parameters:
  ///   - path: of DIR as the user names it; a symbolic link stands for the directory that it leads to.
  ///   - record: of what earlier runs have published there.
  package init(of path: [UInt8], record: PublishedFiles? = nil) throws(SetRefusal) {
    published = record
    let (directory, name) = try Self.resolve(path)
    let whole = DirectoryHandle.joined(directory, name)
    self.path = whole
    self.name = name
    if Self.holdsWorkingDirectory(whole) { throw .isWorkingDirectory }
    stageName = TargetName.fitted(name, suffix: TargetName.nextSetSuffix)
    parent = try Self.perform(.list, directory) { () throws(SystemCallError) in
      try SystemCalls.openat(SystemCalls.workingDirectory, directory, O_RDONLY | O_DIRECTORY)
    }
    lock = try Self.openStage(stageName, in: parent.raw, DirectoryHandle.joined(directory, stageName))
    try endPublication()
    try ExchangeProbe(parent: parent.raw, name: name, stage: stage, stagePath: stagePath, path: path).run()
    try makeNew()
  }

  /// A run that did not begin leaves nothing.
  deinit { _ = discardIfEmpty() }

  /// The path of the directory for what the run downloads.
  package var newPath: [UInt8] { stagePath + [Self.slash] + Self.new }

  /// The path of the previous set; nil where there is none.
  package var previousPath: [UInt8]? { (try? SystemCalls.fstatat(parent.raw, name)) == nil ? nil : path }

  /// The path of the place for the next set, for messages.
  package var stagePath: [UInt8] {
    DirectoryHandle.joined(Array(path.dropLast(name.count)), stageName)
  }

  // MARK: Opening

  /// The directory that DIR is in, without links, and the name of DIR there.
  ///
  /// - Parameter creating: whether missing directories on the way are made.
  private static func resolve(
    _ path: [UInt8], creating: Bool = true
  ) throws(SetRefusal) -> (directory: [UInt8], name: [UInt8]) {
    let path = path.isEmpty ? [UInt8(ascii: ".")] : path
    if let real = RealPath.of(path) {
      let (directory, name) = WholeFile.split(real)
      // The root has no name.
      if name.isEmpty { throw .isMountPoint }
      return (directory, name)
    }
    guard errno == ENOENT else { throw .failed(FileFailure(path, .failed(.open, errno: errno))) }
    let (directory, name) = WholeFile.split(directory: path)
    do { _ = try TargetDirectory.open(path: directory, creating: creating) } catch {
      if !creating, error.cause.isMissing { return (directory, name) }
      throw .failed(FileFailure(error))
    }
    guard let real = RealPath.of(directory), TargetDirectory.isComponent(name),
      (try? SystemCalls.fstatat(SystemCalls.workingDirectory, DirectoryHandle.joined(real, name))) == nil
    else { throw .failed(FileFailure(path, .failed(.open, errno: ENOENT))) }
    return (real, name)
  }

  /// Whether the working directory is the directory or below it.
  private static func holdsWorkingDirectory(_ path: [UInt8]) -> Bool {
    guard let working = RealPath.of([UInt8(ascii: ".")]) else { return false }
    return working == path || working.starts(with: path + [slash])
  }

  private static func openStage(
    _ name: [UInt8], in parent: Int32, _ path: [UInt8]
  ) throws(SetRefusal) -> FileLock {
    for _ in 0..<openAttemptCount {
      do throws(SystemCallError) { try SystemCalls.mkdirat(parent, name, mode: 0o700) } catch {
        guard error.errno == EEXIST else { throw .failed(FileFailure(path, .failed(.create, errno: error.errno))) }
      }
      do throws(SystemCallError) {
        let lock = try FileLock(
          taking: SystemCalls.openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
        // The run that held it may have removed it.
        let named = try SystemCalls.fstatat(parent, name)
        if try SystemCalls.fstat(lock.descriptor.raw).isSameFile(as: named) { return lock }
      } catch {
        if error.errno == EWOULDBLOCK { throw .held }
        if !error.isMissing { throw .failed(FileFailure(path, .failed(.list, errno: error.errno))) }
      }
    }
    throw .held
  }

  private func makeNew() throws(SetRefusal) {
    do throws(SystemCallError) { try SystemCalls.mkdirat(stage, Self.new, mode: 0o777) } catch {
      if error.errno == EEXIST { return }
      throw .failed(FileFailure(newPath, .failed(.create, errno: error.errno)))
    }
    guard let new = try? open(Self.new, in: stage), let previous = try? open(name, in: parent.raw) else { return }
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
    let new = try opened(Self.new, in: stage)
    if try !tried({ () throws(FileSet.Fault) in try FileSet.allFiles(new.raw) { path, _ in names.contains(path) } }) {
      switch relation(of: names) {
      case .completes: return
      case .isPart: throw .isPart
      case .isOther:
        try tried { () throws(FileSet.Fault) in try FileSet.removeFiles(new.raw) { names.contains($0) } }
      }
    } else if relation(of: names) == .completes {
      return
    }
    try perform(.write) { () throws(SystemCallError) in try record.begin(names.keys, syncs: syncs) }
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
    try perform(.write) { () throws(SystemCallError) in
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
    let new = try opened(Self.new, in: stage)
    let isFirst = previousPath == nil
    let content = PublishedFiles.Content(published, of: names?.completing(record.readNames()), prunes: prunes)
    let hasNew = try tried { () throws(FileSet.Fault) in try FileSet.hasFiles(new.raw, finishedOnly: true) }
    let hasLess = isFirst ? false : try hasLeftOut(content)
    guard hasNew || hasLess else {
      if !isFirst, !content.isRecorded { try note(content) }
      discard()
      return .none
    }
    // Without a previous set, the new files are all of it.
    let made = isFirst ? Self.new : Self.set
    if isFirst {
      try tried { () throws(FileSet.Fault) in try FileSet.removeReserved(in: new.raw) }
    } else if try !assemble(new.raw, leavingOut: content, syncs: syncs, hearing: signals) {
      return .interrupted
    }
    prunedCount = content.leftOutCount
    let set = try opened(made, in: stage)
    try perform(.sync) { () throws(SystemCallError) in if syncs { try SystemCalls.syncFileSystem(set.raw) } }
    try perform(.write) { () throws(SystemCallError) in
      try? SystemCalls.unlinkat(stage, Self.identity)
      try NewFile.write(Self.text(try SystemCalls.fstat(set.raw)), Self.identity, in: stage, syncs: syncs)
      if syncs { try SystemCalls.fsync(stage) }
    }
    try perform(.move) { () throws(SystemCallError) in
      if isFirst {
        try FileTree.move(stage, made, to: name, in: parent.raw)
      } else {
        try SystemCalls.exchange(stage, made, parent.raw, name)
      }
    }
    do throws(SystemCallError) {
      if syncs {
        try SystemCalls.fsync(parent.raw)
        try SystemCalls.fsync(stage)
      }
    } catch {
      return .unsynced(FileFailure(path, .failed(.sync, errno: error.errno)))
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
    let previous = try opened(name, in: parent.raw)
    try perform(.create) { () throws(SystemCallError) in
      try SystemCalls.mkdirat(stage, Self.set, mode: 0o777)
    }
    let set = try opened(Self.set, in: stage)
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
      try? FileSet.remove(Self.set, in: stage)
      if case .stopped = error { return false }
      throw refusal(error)
    }
    try perform(.write) { () throws(SystemCallError) in
      try? SystemCalls.unlinkat(stage, Self.known)
      try NewFile.write(known.text, Self.known, in: stage, syncs: syncs)
    }
    return true
  }

  /// Whether a file of DIR is to be left out.
  private func hasLeftOut(_ content: PublishedFiles.Content) throws(SetRefusal) -> Bool {
    guard content.mayLeaveOut else { return false }
    let previous = try opened(name, in: parent.raw)
    return try !tried { () throws(FileSet.Fault) in
      try FileSet.allFiles(previous.raw) { !content.leavesOut($0, $1, isCounted: false) }
    }
  }

  /// Remembers what runs have published in DIR.
  private func note(_ content: PublishedFiles.Content) throws(SetRefusal) {
    guard let published else { return }
    let directory = try opened(name, in: parent.raw)
    var files = SetFiles()
    _ = try tried { () throws(FileSet.Fault) in
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
    if let new = try? open(Self.new, in: stage) {
      guard let hasFiles = try? FileSet.hasFiles(new.raw, finishedOnly: false), !hasFiles else { return false }
    }
    discard()
    return true
  }

  /// Where a run would look at files, if it began now; nothing is made or changed.
  ///
  /// - Parameter path: as for `init`.
  /// - Returns: the directory for new files, and that of the previous set where there is one.
  package static func paths(of path: [UInt8]) throws(SetRefusal) -> (new: [UInt8], previous: [UInt8]?) {
    let (directory, name) = try resolve(path, creating: false)
    let whole = DirectoryHandle.joined(directory, name)
    let stage = DirectoryHandle.joined(directory, TargetName.fitted(name, suffix: TargetName.nextSetSuffix))
    return (
      DirectoryHandle.joined(stage, new),
      (try? SystemCalls.fstatat(SystemCalls.workingDirectory, whole)) == nil ? nil : whole
    )
  }

  private func discard() {
    record.remove()
    try? SystemCalls.unlinkat(stage, Self.known)
    try? FileSet.remove(Self.new, in: stage)
    try? SystemCalls.rmdirat(parent.raw, stageName)
  }

  /// Ends what a killed run has begun: the removal of the previous set if the next one was published, else that of an
  /// unfinished set.
  private func endPublication() throws(SetRefusal) {
    guard (try? SystemCalls.fstatat(stage, Self.set)) != nil || isPublished else { return }
    if isPublished {
      try removePrevious(endsRun: false)
    } else {
      try tried { () throws(FileSet.Fault) in try FileSet.remove(Self.set, in: stage) }
      try? SystemCalls.unlinkat(stage, Self.known)
    }
  }

  /// Whether DIR is the set that `id` names.
  private var isPublished: Bool {
    guard let found = try? SystemCalls.fstatat(parent.raw, name),
      let file = try? SystemCalls.openat(stage, Self.identity, O_RDONLY | O_NOFOLLOW),
      let text = try? SystemCalls.preadAll(file.raw, limit: Self.mostIdentityBytes, at: 0)
    else { return false }
    return text == Self.text(found)
  }

  private static let mostIdentityBytes = 64

  /// `DEVICE INODE`
  private static func text(_ status: FileStatus) -> [UInt8] { Array("\(status.device) \(status.inode)\n".utf8) }

  /// After the exchange: removes the previous set, which now has the name `set`, and the second names of new files.
  ///
  /// - Parameter endsRun: false keeps the place for the next set.
  private func removePrevious(endsRun: Bool = true) throws(SetRefusal) {
    let next = try opened(name, in: parent.raw)
    if (try? SystemCalls.fstatat(stage, Self.set)) != nil {
      let known = read(Self.known).flatMap(SetFiles.init(text:))
      try tried { () throws(FileSet.Fault) in
        try FileSet.retire(Self.set, in: stage, for: next.raw, known: known)
      }
    }
    if (try? SystemCalls.fstatat(stage, Self.new)) != nil {
      try tried { () throws(FileSet.Fault) in try FileSet.remove(Self.new, in: stage) }
    }
    record.remove()
    try perform(.remove) { () throws(SystemCallError) in
      try? SystemCalls.unlinkat(stage, Self.known)
      try SystemCalls.unlinkat(stage, Self.identity)
      if endsRun { try SystemCalls.rmdirat(parent.raw, stageName) }
    }
  }

  // MARK: Files

  /// Nil where there is no such file.
  private func read(_ name: [UInt8]) -> [UInt8]? {
    guard let file = try? SystemCalls.openat(stage, name, O_RDONLY | O_NOFOLLOW),
      let size = try? SystemCalls.fstat(file.raw).size
    else { return nil }
    return try? SystemCalls.preadAll(file.raw, limit: Int(size), at: 0)
  }

  private func open(_ name: [UInt8], in directory: Int32) throws(SystemCallError) -> FileDescriptor {
    try SystemCalls.openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  private func opened(_ name: [UInt8], in directory: Int32) throws(SetRefusal) -> FileDescriptor {
    do { return try open(name, in: directory) } catch {
      let path = directory == parent.raw ? path : DirectoryHandle.joined(stagePath, name)
      throw .failed(FileFailure(path, .failed(.list, errno: error.errno)))
    }
  }

  private func perform(
    _ operation: FileProblem.Operation, _ body: () throws(SystemCallError) -> Void
  ) throws(SetRefusal) {
    try Self.perform(operation, operation == .move ? path : stagePath, body)
  }

  private static func perform<Value: ~Copyable>(
    _ operation: FileProblem.Operation, _ path: [UInt8], _ body: () throws(SystemCallError) -> Value
  ) throws(SetRefusal) -> Value {
    do { return try body() } catch { throw .failed(FileFailure(path, .failed(operation, errno: error.errno))) }
  }

  @discardableResult
  private func tried<Value>(_ body: () throws(FileSet.Fault) -> Value) throws(SetRefusal) -> Value {
    do { return try body() } catch { throw refusal(error) }
  }

  private func refusal(_ failure: FileSet.Fault) -> SetRefusal {
    switch failure {
    case .systemCall(let name, let error) where error.call == .linkat:
      return .cannotKeep(DirectoryHandle.joined(path, name), errno: error.errno)
    case .systemCall(let name, let error):
      let operation: FileProblem.Operation =
        switch error.call {
        case .openat: .list
        case .unlinkat: .remove
        case .renameat: .move
        case .mkdirat: .create
        default: .read
        }
      return .failed(FileFailure(DirectoryHandle.joined(path, name), .failed(operation, errno: error.errno)))
    case .conflict(let name): return .conflict(DirectoryHandle.joined(path, name))
    case .stopped: return .failed(FileFailure(path, .stopped))
    }
  }
}
