internal import DownloadCore
internal import FileStore

/// Finds out where an item's bytes go and what stands there already, before anything is fetched.
///
/// The first targets of a list are looked at on the spot. Of a longer list a worker looks at the next ones meanwhile.
struct TargetInspector {
  private let base: TargetDirectory
  private let readsEntityTag: Bool
  private let workers: Workers
  private let surroundings = Surroundings()
  /// Wait to be handed to a worker together.
  private var waiting: [Inspection] = []
  /// How many a worker has.
  private var awayCount = 0
  private var lookCount = 0
  private var left: [DownloadRequest] = []

  private static let inspectedAtOnce = 64
  private static let batchCount = 64
  private static let awayLimit = 512

  /// What a look at a target gives.
  enum Finding {
    case target(ActiveItem.Destination, ExistingTarget)
    /// A worker looks; `WorkerReply.inspected` brings the answer.
    case later
  }

  /// - Parameters:
  ///   - base: the directory that names are relative to.
  ///   - readsEntityTag: whether the recorded entity tag is of use.
  init(base: TargetDirectory, readsEntityTag: Bool, workers: Workers) {
    self.base = base
    self.readsEntityTag = readsEntityTag
    self.workers = workers
  }

  /// Whether more targets may be looked at now.
  var hasRoom: Bool { awayCount < Self.awayLimit }

  /// Whether all targets that were looked at have been answered.
  var isIdle: Bool { awayCount == 0 }

  /// Requests that were looked at and whose items will not begin, in order: the run has stopped.
  var unbegun: [DownloadRequest] { (left + waiting.map(\.request)).sorted { $0.item < $1.item } }

  mutating func look(at request: DownloadRequest) throws(DownloadError) -> Finding {
    switch request.target {
    case .standardOutput:
      do { return .target(.stream(StreamOutput(try StreamTarget.standardOutput())), .absent) } catch {
        throw StorageErrors.output(error)
      }
    case .path(let path):
      let place: TargetPlace
      do { place = try TargetDirectory.place(userPath: path, relativeTo: base) } catch {
        throw StorageErrors.directory(error)
      }
      let existing = try inspection(request, place).result().get()
      guard existing == .special else { return .target(.file(place), existing) }
      do { return .target(.stream(StreamOutput(try StreamTarget.open(place))), existing) } catch {
        throw StorageErrors.output(error)
      }
    case .listed(let components):
      let place: TargetPlace
      do { place = try base.resolve(components) } catch { throw StorageErrors.directory(error) }
      if surroundings.isAbsent(place) { return .target(.file(place), .absent) }
      let inspection = inspection(request, place)
      lookCount += 1
      if lookCount <= Self.inspectedAtOnce { return try Self.finding(inspection, inspection.result()) }
      waiting.append(inspection)
      if waiting.count >= Self.batchCount { handOver() }
      return .later
    }
  }

  private func inspection(_ request: DownloadRequest, _ place: TargetPlace) -> Inspection {
    Inspection(request: request, place: place, readsEntityTag: readsEntityTag)
  }

  /// What a worker found.
  static func finding(
    _ inspection: Inspection, _ result: Result<ExistingTarget, DownloadError>
  ) throws(DownloadError) -> Finding {
    let existing = try result.get()
    guard existing != .special else {
      throw DownloadError(
        .localIO, "a pipe, socket or device has this name", hint: "name it with -o if that is where it shall go")
    }
    return .target(.file(inspection.place), existing)
  }

  /// Hands what waits to a worker.
  mutating func handOver() {
    guard !waiting.isEmpty else { return }
    workers.nextHasher().post(.inspect(waiting))
    awayCount += waiting.count
    waiting.removeAll(keepingCapacity: true)
  }

  /// A worker has answered so many.
  mutating func returned(count: Int) { awayCount -= count }

  /// Notes targets whose items will not begin any more.
  mutating func leave(_ results: [Inspected]) { left += results.map(\.inspection.request) }

  /// Whether a sidecar or a part file stands beside the target.
  func holdLeftovers(of place: TargetPlace) -> Bool { surroundings.holdLeftovers(of: place) }
}
