package import DownloadCore
internal import DownloadFiles

/// A target directory, with what belongs to it: its open subdirectories and their listings, the index of finished files,
/// the previous set, the names that answers have given, and the account of space.
///
/// Touched by one thread.
package final class DownloadPlace {
  let root: TargetDirectory
  private let previous: PreviousSet?
  /// Nil where no index is used.
  let finished: (any FinishedFileIndex)?
  /// What stands beside targets.
  let snapshot = DirectorySnapshot()
  private var names: SuggestedNames
  var space = SpaceAccount()
  /// Where content would go of files that servers are only asked about; nil before the first of them.
  private var probeOutput: StreamOutput?
  /// Whether it is known that a file system cannot sync.
  private var knowsOfMissingSync = false

  /// - Parameters:
  ///   - path: of the directory, which is made if it is missing; empty is the working directory.
  ///   - previous: where existing files are besides; nil for nowhere.
  ///   - finished: the index of the list's finished files. It needs settings with which marks are believed.
  ///   - takenNames: names relative to the directory that no answer can give: those of files that the run itself writes.
  package init(
    directory path: [UInt8], previous: PreviousSet? = nil, finished: (any FinishedFileIndex)? = nil,
    takenNames: [[UInt8]] = []
  ) throws(Failure) {
    do { root = try TargetDirectory.open(path: path) } catch { throw StorageErrors.directory(error) }
    self.previous = previous
    self.finished = finished
    names = SuggestedNames(taken: takenNames)
  }

  // MARK: Places of files

  /// The place of a path of the user, whose directories may be links. Makes missing directories.
  func target(userPath: [UInt8]) throws(Failure) -> TargetPlace {
    do { return try TargetDirectory.place(userPath: userPath, relativeTo: root) } catch {
      throw StorageErrors.directory(error)
    }
  }

  /// The place of components from a list or a URL.
  ///
  /// - Parameter creating: whether missing directories are made.
  func target(of components: [[UInt8]], creating: Bool = true) throws(Failure) -> TargetPlace {
    do { return try root.resolve(components, creating: creating) } catch { throw StorageErrors.directory(error) }
  }

  /// The place in the previous set; nil where there is none.
  func previousTarget(of components: [[UInt8]]) throws(Failure) -> TargetPlace? {
    try previous?.place(of: components)
  }

  /// Where the existing file of a request is: at its place, or else in the previous set.
  func existingTarget(of request: FileRequest, at place: TargetPlace) -> TargetPlace {
    guard previous != nil, case .listed(let components) = request.target,
      (try? ExistingTarget.inspect(place)) == .absent, let old = try? previousTarget(of: components)
    else { return place }
    return old
  }

  /// The output of all files that servers are only asked about.
  func discardingOutput() throws(Failure) -> StreamOutput {
    if let probeOutput { return probeOutput }
    let output = try StreamOutput.discarding(relativeTo: root)
    probeOutput = output
    return output
  }

  // MARK: What is there

  /// Whether the file system of a published file cannot sync; true once only.
  func learnsOfMissingSync(at place: TargetPlace) -> Bool {
    guard !knowsOfMissingSync, !place.directory.isDurable else { return false }
    knowsOfMissingSync = true
    return true
  }

  /// Whether it is known without a system call that nothing has the name, here or in the previous set.
  func isKnownAbsent(_ place: TargetPlace, now: Instant) -> Bool {
    previous == nil && snapshot.isAbsent(place, now: now)
  }

  /// Reserves the name of a file where answers name files.
  ///
  /// - Parameter isKnown: whether there still is such a task.
  /// - Throws: if another task has it, or none may have it.
  func reserve(_ name: [UInt8], for task: TaskID, isKnown: (TaskID) -> Bool) throws(Failure) {
    guard names.take(name, by: task, in: root.base, isKnown: isKnown) else {
      throw Failure(.targetTaken(by: .otherRequest))
    }
  }
}
