internal import DownloadCore
internal import FileStore

/// Finds out where an item's bytes go and what exists there, before anything is requested.
///
/// The first targets of a list are inspected at once, the others by a worker.
final class TargetInspector {
  let root: TargetDirectory
  private let previous: PreviousSet?
  private let finished: (any FinishedFileIndex)?
  private let settings: DownloadSettings
  private let workers: Workers
  private let snapshot = DirectorySnapshot()
  /// Collected for the next batch.
  private var waiting: [Inspection] = []
  /// The number of targets that workers have.
  private var awayCount = 0
  private var lookCount = 0
  private var left: [DownloadRequest] = []
  var fullFileSystems = FullFileSystems()
  var lockedTargets: LockedTargets
  var suggestedNames: SuggestedNames

  private static let inspectedAtOnce = 64
  private static let batchCount = 128
  private static let awayLimit = 1024

  /// The result of an inspection.
  enum Finding {
    case target(ActiveItem.Destination, ExistingTarget)
    /// A worker inspects the target; `WorkerReply.inspected` brings the result.
    case later
  }

  /// - Parameters:
  ///   - base: the directory that names are relative to.
  ///   - previous: a directory whose files count as existing ones; nil where there is none.
  ///   - finished: remembers finished files; nil where nothing does.
  init(
    base: TargetDirectory, previous: PreviousSet?, finished: (any FinishedFileIndex)?, _ settings: DownloadSettings,
    workers: Workers
  ) {
    suggestedNames = SuggestedNames(taken: settings.target.takenNames)
    lockedTargets = LockedTargets(wait: settings.limits.lockWait)
    root = base
    self.previous = previous
    self.finished = finished
    self.settings = settings
    self.workers = workers
  }

  /// The directory that names are relative to.
  var base: DirectoryHandle { root.base }

  /// Whether more targets may be inspected now.
  var hasRoom: Bool { awayCount < Self.awayLimit }

  /// Requests whose items do not begin, because the run has stopped or their file system is full, in the order of the
  /// input.
  var unbegun: [DownloadRequest] {
    (left + waiting.map(\.request) + fullFileSystems.unbegun).sorted { $0.task < $1.task }
  }

  func look(at request: DownloadRequest, _ item: ItemHandle, now: Instant) throws(DownloadError) -> Finding {
    switch request.target {
    case .standardOutput: return try stream(into: 1)
    case .inherited(let descriptor): return try stream(into: descriptor)
    case .descriptor(let descriptor):
      do { return .target(.stream(StreamOutput(try StreamTarget.file(descriptor))), .absent) } catch {
        throw StorageErrors.output(error)
      }
    case .path(let path):
      let place: TargetPlace
      do { place = try TargetDirectory.place(userPath: path, relativeTo: root) } catch {
        throw StorageErrors.directory(error)
      }
      let existing = try inspection(item, request, place, components: nil).result().get()
      // A list does not choose a device.
      if request.source != nil { try existing.requireFile() }
      guard existing == .special else {
        try existing.requireFile()
        return .target(.file(place), existing)
      }
      do { return .target(.stream(StreamOutput(try StreamTarget.open(place))), existing) } catch {
        throw StorageErrors.output(error)
      }
    case .listed(let components):
      let place = try place(of: components)
      if previous == nil, snapshot.isAbsent(place, now: now) { return .target(.file(place), .absent) }
      let inspection = try inspection(item, request, place, components: components)
      lookCount += 1
      if lookCount <= Self.inspectedAtOnce { return try Self.finding(inspection, inspection.result()) }
      waiting.append(inspection)
      if waiting.count >= Self.batchCount { handOver() }
      return .later
    }
  }

  private func stream(into descriptor: Int32) throws(DownloadError) -> Finding {
    do { return .target(.stream(StreamOutput(try StreamTarget.inherited(descriptor))), .absent) } catch {
      throw StorageErrors.output(error)
    }
  }

  /// The place of components from a list or a URL. Makes missing directories.
  func place(of components: [[UInt8]]) throws(DownloadError) -> TargetPlace {
    do { return try root.resolve(components) } catch { throw StorageErrors.directory(error) }
  }

  /// Whether nothing exists at the place, nor a sidecar or part file beside it.
  ///
  /// - Parameter components: of the place.
  func isFree(
    _ place: TargetPlace, components: [[UInt8]], for item: ActiveItem, now: Instant
  ) throws(DownloadError) -> Bool {
    try inspection(item.handle, item.request, place, components: components).result().get() == .absent
      && !snapshot.holdLeftovers(of: place, now: now)
  }

  /// - Parameter components: from a list or a URL; nil for a path of the user, which is in no set.
  private func inspection(
    _ item: ItemHandle, _ request: DownloadRequest, _ place: TargetPlace, components: [[UInt8]]?
  ) throws(DownloadError) -> Inspection {
    var old: TargetPlace?
    if let previous, let components { old = try previous.place(of: components) }
    return Inspection(
      item, request, place: place, previous: old, wanted: ExistingTarget.wantedAttributes(for: request, settings),
      noted: finished?.file(of: request))
  }

  /// Where the existing file of a request is: at its place, or else in the previous set.
  func existingPlace(of request: DownloadRequest, at place: TargetPlace) -> TargetPlace {
    guard let previous, case .listed(let components) = request.target,
      (try? ExistingTarget.inspect(place)) == .absent, let old = try? previous.place(of: components)
    else { return place }
    return old
  }

  /// Turns a worker's result into a finding.
  static func finding(
    _ inspection: Inspection, _ result: Result<ExistingTarget, DownloadError>
  ) throws(DownloadError) -> Finding {
    let existing = try result.get()
    try existing.requireFile()
    return .target(.file(inspection.place), existing)
  }

  /// Sends the collected targets to a worker.
  func handOver() {
    guard !waiting.isEmpty else { return }
    workers.nextHasher().post(.inspect(waiting))
    awayCount += waiting.count
    waiting.removeAll(keepingCapacity: true)
  }

  /// A worker has answered for `count` targets.
  func returned(count: Int) { awayCount -= count }

  /// Notes targets whose items will not begin.
  func leave(_ results: [Inspected]) { left += results.map(\.inspection.request) }

  /// Whether content that failed verification stands beside the target.
  func holdRejected(of place: TargetPlace, now: Instant) -> Bool { snapshot.holdRejected(of: place, now: now) }

  /// Other runs have created or removed files.
  func forgetListings() { snapshot.forget() }

  /// Whether a sidecar or a part file stands beside the target.
  func holdLeftovers(of place: TargetPlace, now: Instant) -> Bool { snapshot.holdLeftovers(of: place, now: now) }
}
