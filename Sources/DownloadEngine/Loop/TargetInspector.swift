internal import DownloadCore
internal import DownloadFiles

/// Finds out where an item's bytes go and what exists there, before anything is requested.
///
/// The first targets of a list are inspected at once, the others by a worker.
final class TargetInspector {
  private let place: DownloadPlace
  private let settings: RunSettings
  private let workers: Workers
  /// Collected for the next batch.
  private var waiting: [Inspection] = []
  /// The items whose targets are inspected now, or soon.
  private(set) var items: Set<ItemHandle> = []
  private var lookCount = 0

  private static let inspectedAtOnce = 64
  private static let batchCount = 128
  private static let awayLimit = 1024

  /// The result of an inspection.
  enum Finding {
    case target(ActiveItem.Destination, ExistingTarget)
    /// A worker inspects the target; `WorkerReply.inspected` brings the result.
    case later
  }

  init(_ place: DownloadPlace, _ settings: RunSettings, workers: Workers) {
    self.place = place
    self.settings = settings
    self.workers = workers
  }

  /// Whether more targets may be inspected now.
  var hasRoom: Bool { items.count - waiting.count < Self.awayLimit }

  /// What exists under the name of the URL does not matter for a request whose target the answer names.
  func look(at request: FileRequest, _ item: ItemHandle, now: Instant) throws(Failure) -> Finding {
    switch request.target {
    case .standardOutput: return try stream(into: 1)
    case .inherited(let descriptor): return try stream(into: descriptor)
    case .descriptor(let descriptor):
      do { return .target(.stream(StreamOutput(try StreamTarget.file(descriptor))), .absent) } catch {
        throw StorageErrors.output(error)
      }
    case .path(let path):
      return try look(try inspection(item, request, try place.target(userPath: path), components: nil, now: now))
    case .listed(let components):
      let target = try place.target(of: components)
      if request.isNamedByAnswer || place.isKnownAbsent(target, now: now) { return .target(.file(target), .absent) }
      return try look(try inspection(item, request, target, components: components, now: now))
    }
  }

  /// Looks at once, or has a worker do so where much is to be inspected or something is to be synced.
  private func look(_ inspection: Inspection) throws(Failure) -> Finding {
    lookCount += 1
    if lookCount <= Self.inspectedAtOnce, !inspection.syncsName {
      return try Self.finding(inspection, inspection.result())
    }
    waiting.append(inspection)
    items.insert(inspection.item)
    if waiting.count >= Self.batchCount { handOver() }
    return .later
  }

  private func stream(into descriptor: Int32) throws(Failure) -> Finding {
    do { return .target(.stream(StreamOutput(try StreamTarget.inherited(descriptor))), .absent) } catch {
      throw StorageErrors.output(error)
    }
  }

  /// Whether nothing exists at the target, nor a sidecar or part file beside it.
  ///
  /// - Parameter components: of the target.
  func isFree(
    _ target: TargetPlace, components: [[UInt8]], for item: ActiveItem, now: Instant
  ) throws(Failure) -> Bool {
    try inspection(item.handle, item.request, target, components: components, now: now).result().get() == .absent
      && !place.snapshot.hasLeftovers(of: target, now: now)
  }

  /// - Parameter components: from a list or a URL; nil for a path of the user, which is in no set.
  private func inspection(
    _ item: ItemHandle, _ request: FileRequest, _ target: TargetPlace, components: [[UInt8]]?, now: Instant
  ) throws(Failure) -> Inspection {
    var previous: TargetPlace?
    if let components { previous = try place.previousTarget(of: components) }
    return Inspection(
      item, request, place: target, previous: previous,
      wanted: ExistingTarget.wantedAttributes(for: request, settings.target), noted: place.finished?.file(of: request),
      syncsName: settings.target.syncs && settings.target.ifExists(for: request) != .keep
        && place.snapshot.hasLeftovers(of: target, now: now)
    )
  }

  /// Turns a worker's result into a finding.
  static func finding(_ inspection: Inspection, _ result: Result<ExistingTarget, Failure>) throws(Failure) -> Finding {
    let existing = try result.get()
    // A list does not choose a device.
    guard existing == .special, case .path = inspection.request.target, inspection.request.source == nil else {
      try existing.requireFile()
      return .target(.file(inspection.place), existing)
    }
    do { return .target(.stream(StreamOutput(try StreamTarget.open(inspection.place))), existing) } catch {
      throw StorageErrors.output(error)
    }
  }

  /// Sends the collected targets to a worker.
  func handOver() {
    guard !waiting.isEmpty else { return }
    workers.nextHasher().post(.inspect(waiting))
    waiting.removeAll(keepingCapacity: true)
  }

  /// A worker has answered for these items.
  func returned(_ items: some Sequence<ItemHandle>) { self.items.subtract(items) }
}
