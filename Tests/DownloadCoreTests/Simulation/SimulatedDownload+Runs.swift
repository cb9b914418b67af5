import DownloadCore
import TestSupport

/// Several runs of one download: sidecars, and kills between the runs.
extension SimulatedDownload {
  /// The digests that the user gives in this run.
  func givenDigests(_ item: Int) -> [ContentDigest] {
    world.files[item].forgetsDigests && runCount > 1 ? [] : world.files[item].digests
  }

  /// Those of the request.
  func mirrors(_ item: Int) -> [Location] { Array(world.locations[item][world.named(item)]) }

  /// Begins like the engine: resumes the sidecar's record if `ResumePolicy` allows it.
  func beginning(_ item: Int, _ digests: [ContentDigest]) -> FileMachine.Beginning {
    guard let record = items[item].checkpoint else { return .fresh }
    switch ResumePolicy.assess(
      record: record, done: record.written, digests: digests, hasPieces: world.files[item].pieceLength != nil,
      mirrors: mirrors(item),
      trustsLength: world.settings.file.trustsLength)
    {
    case .startOver(let reason):
      note("start over: \(reason)")
      return .fresh
    case .resume(let known, let mirror, let expectedDigests, let isETagReliable, let isOfOtherURL):
      return .resume(
        known, done: record.written, mirror: mirror, expectedDigests: expectedDigests, isETagReliable: isETagReliable,
        isOfOtherURL: isOfOtherURL)
    }
  }

  func clear(_ item: Int) {
    items[item].content = StoredContent()
    // The writer goes on with a file that has no name any more.
    items[item].writes = []
    items[item].sources = [:]
    items[item].covered = ByteRangeSet()
    items[item].checkpoint = nil
  }

  /// Writes the sidecar at random times, so that a kill leaves a record that is older than the stored bytes.
  func saveCheckpoints() {
    guard !world.kills.isEmpty, chance(0.2) else { return }
    for item in items.indices { saveCheckpoint(item) }
  }

  func saveCheckpoint(_ item: Int) {
    guard let handle = items[item].handle, let file = run.file(handle), !file.machine.done.isEmpty else { return }
    if !items[item].content.covers(file.machine.done) { problem("item \(item): more is recorded than stored") }
    var record = SidecarRecord(
      target: [65], url: world.locations[item][0], mirrors: world.locations[item], bootID: "boot",
      knowledge: run.knowledge(of: handle))
    record.written = file.machine.done
    for (mirror, ranges) in items[item].sources.sorted(by: { $0.key < $1.key }) {
      record.sources += ranges.ranges.map { SidecarRecord.SourcedRange($0, mirror: mirror) }
    }
    guard case .record(let read, _) = SidecarSlot.decode(SidecarSlot.encode(record, isSynced: false)[...]) else {
      return problem("item \(item): the sidecar cannot be read back")
    }
    items[item].checkpoint = read
  }

  func kill() {
    note("KILL")
    if chance(0.5) { for item in items.indices { saveCheckpoint(item) } }
    run = RunMachine(settings: world.settings)
    versions = ServerVersions()
    families = AddressFamilies()
    runCount += 1
    transfers = [:]
    events.removeAll {
      switch $0 {
      case .kill, .command, .resumeAll, .limits: false
      default: true
      }
    }
    (commandCount, paused) = (0, [])
    ticked = now
    idle = idle.map { _ in 0 }
    for host in world.hosts.indices {
      world.hosts[host].openCount = 0
      world.hosts[host].retryAt = .zero
    }
    for item in items.indices {
      endWrites(of: item, isKilled: true)
      items[item].handle = nil
      beginAgain(item)
    }
    queue = QueueMachine()
    lentPlaces = LentPlaces()
    for (group, count) in limits.groups.enumerated() {
      var actions: [RunAction] = []
      run.limitConnections(of: GroupID(UInt16(group)), to: count, now: now, &actions)
    }
    fillQueue()
  }

  /// The next machine knows nothing of the item but its record.
  func beginAgain(_ item: Int) {
    items[item].discardCount = 0
    // All of it comes again.
    if items[item].isRejected, items[item].result == nil {
      (items[item].isRejected, items[item].received, items[item].plannedCount) = (false, 0, 0)
    }
    items[item].requestsWithoutProgress = 0
    items[item].restsUntil = [:]
    items[item].redirectWaits = [:]
    items[item].refusedAt = [:]
  }
}
