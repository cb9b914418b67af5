internal import DownloadCore
internal import FileStore
internal import Transport

/// The beginning and the end of items: what is there already, what can be gone on from, what came of it.
extension Engine {
  func begin(_ request: DownloadRequest) {
    do throws(DownloadError) {
      switch request.target {
      case .standardOutput:
        do { begin(request, .stream(try StreamTarget.standardOutput()), .absent) } catch {
          throw StorageErrors.output(error)
        }
      case .path(let path):
        let place: TargetPlace
        do { place = try TargetDirectory.place(userPath: path, relativeTo: base) } catch {
          throw StorageErrors.directory(error)
        }
        let existing = try Inspection(request: request, place: place).result().get()
        if existing == .special {
          do { begin(request, .stream(try StreamTarget.open(place)), existing) } catch {
            throw StorageErrors.output(error)
          }
        } else {
          begin(request, .file(place), existing)
        }
      case .listed(let components):
        let place: TargetPlace
        do { place = try base.resolve(components) } catch { throw StorageErrors.directory(error) }
        if surroundings.isAbsent(place) { return begin(request, .file(place), .absent) }
        let inspection = Inspection(request: request, place: place)
        inspectionCount += 1
        if inspectionCount <= Self.inspectedAtOnce { return try begin(inspection, inspection.result().get()) }
        inspections.append(inspection)
        if inspections.count >= Self.inspectionBatch { handOverInspections() }
      }
    } catch {
      failUnstarted(request, error)
    }
  }

  /// So many targets are looked at on the spot; of a longer list another thread looks at what comes next meanwhile.
  private static let inspectedAtOnce = 64
  private static let inspectionBatch = 64

  func handOverInspections() {
    guard !inspections.isEmpty else { return }
    nextHasher = (nextHasher + 1) % hashers.count
    hashers[nextHasher].jobs.post(.inspect(inspections))
    inspectionsAway += inspections.count
    inspections.removeAll(keepingCapacity: true)
  }

  func inspected(_ results: [Inspected]) {
    inspectionsAway -= results.count
    for (inspection, result) in results where end.stoppedBy == nil {
      do throws(DownloadError) {
        try begin(inspection, result.get())
      } catch {
        failUnstarted(inspection.request, error)
      }
    }
  }

  private func begin(_ inspection: Inspection, _ existing: ExistingTarget) throws(DownloadError) {
    if existing == .special {
      throw DownloadError(
        .localIO, "a pipe, socket or device has this name", hint: "name it with -o if that is where it shall go")
    }
    begin(inspection.request, .file(inspection.place), existing)
  }

  private func begin(_ request: DownloadRequest, _ destination: ActiveItem.Destination, _ existing: ExistingTarget) {
    let item = ActiveItem(request: request, destination: destination, now: now)
    item.existing = existing
    switch ExistingTargetPolicy.decision(
      on: found(existing, item), digests: request.digests, expectedLength: request.expectedLength, settings: settings)
    {
    case .keep:
      if case .file(let place) = destination {
        do { try sweep(place) } catch { return failUnstarted(request, StorageErrors.publishing(.systemCall(error))) }
      }
      if case .regular(let file) = existing { finishedByteCount += file.size }
      report(item, .kept, byteCount: size(of: existing))
    case .refuse(let error): failUnstarted(request, error)
    case .hash:
      guard case .file(let place) = destination else { return }
      items[request.item] = item
      item.completeLength = size(of: existing)
      hasher(of: item).jobs.post(
        .existing(item: request.item, place, digests: request.digests, attributes(of: item, nil)))
    case .compareLength(let size):
      item.isReplacing = false
      start(item, .compareLength(size))
    case .ifModifiedSince(let time):
      item.isReplacing = true
      start(item, .ifModifiedSince(time))
    case .download(let isReplacing):
      item.isReplacing = isReplacing
      startOrResume(item)
    }
  }

  /// A run that was killed between the rename and its end leaves a sidecar beside the finished file, whose name may not
  /// be on stable storage yet.
  private func sweep(_ place: TargetPlace) throws(SystemCallError) {
    guard settings.ifExists != .keep, surroundings.holdLeftovers(of: place), let sidecar = try? SidecarFile.open(place)
    else { return }
    if settings.syncs { try place.directory.sync() }
    try? PartFile.openExisting(place)?.remove()
    try? sidecar.remove()
  }

  private func found(_ existing: ExistingTarget, _ item: ActiveItem) -> ExistingTargetPolicy.Found {
    switch existing {
    case .absent, .special: return .absent
    case .symbolicLink: return .symbolicLink
    case .directory: return .directory
    case .regular(let file):
      let digests = item.request.digests
      let isVouching =
        digests.isEmpty
        ? file.isVouched(forURLHash: item.urlHash) : digests.contains { file.isVouched(for: $0) }
      return .file(size: file.size, vouching: isVouching, modified: file.modified.seconds)
    }
  }

  private func size(of existing: ExistingTarget) -> Int64 {
    if case .regular(let file) = existing { file.size } else { 0 }
  }

  /// A sidecar or part file that an earlier run left decides where the download begins.
  func startOrResume(_ item: ActiveItem) {
    guard case .file(let place) = item.destination, surroundings.holdLeftovers(of: place) else {
      return start(item, .fresh)
    }
    do {
      try openStorage(item, place)
    } catch {
      return fail(item, error)
    }
    guard let sidecar = item.sidecar else { return start(item, .fresh) }
    do throws(SystemCallError) {
      // Another run may have finished the file between our look and the lock.
      if case .absent = item.existing, try ExistingTarget.inspect(place) != .absent {
        try? sidecar.remove()
        item.sidecar = nil
        return begin(item.request)
      }
      switch try sidecar.load() {
      case .empty: start(item, try freshStorage(item, place))
      case .unusable(let reason):
        notice(item, .note, "the sidecar is ignored: \(reason.text)")
        start(item, try freshStorage(item, place))
      case .record(let record): start(item, try resumed(item, place, record))
      }
    } catch {
      fail(item, StorageErrors.opening(error))
    }
  }

  private func openStorage(_ item: ActiveItem, _ place: TargetPlace) throws(DownloadError) {
    do { item.sidecar = try SidecarFile.open(place) } catch { throw StorageErrors.locked(error) }
  }

  /// Empty part file, empty record.
  func freshStorage(
    _ item: ActiveItem, _ place: TargetPlace
  ) throws(SystemCallError) -> FileMachine.Beginning {
    try item.sidecar?.startOver(with: item.record(written: ByteRangeSet(), place: place))
    item.part = try PartFile.create(place)
    return .fresh
  }

  private func resumed(
    _ item: ActiveItem, _ place: TargetPlace, _ record: SidecarRecord
  ) throws(SystemCallError) -> FileMachine.Beginning {
    guard settings.resumes else {
      notice(item, .detail, "starting over, as asked by --no-resume")
      return try freshStorage(item, place)
    }
    guard let part = try PartFile.openExisting(place) else { return try freshStorage(item, place) }
    let done = record.believed(bootID: BootID.current)
    guard try part.size >= done.ranges.last?.upperBound ?? 0 else {
      notice(item, .note, "the sidecar is ignored: the part file is shorter than it says")
      return try freshStorage(item, place)
    }
    switch ResumePolicy.decision(
      record: record, done: done, digests: item.request.digests, hasPieces: item.request.pieces != nil,
      urlHash: StableHash.hexadecimal(item.urlHash),
      trustsLength: settings.trustsLength)
    {
    case .startOver(let reason):
      if !done.isEmpty { notice(item, .note, "starting over: \(reason)") }
      return try freshStorage(item, place)
    case .resume(let representation, let mirror):
      item.part = part
      item.synced = record.synced
      item.completeLength = representation.completeLength
      let index = min(mirror, item.request.mirrors.count - 1)
      item.validators[index] = representation.validators
      item.sources[index] = done
      notice(item, .detail, "going on after \(done.byteCount) bytes that are there already")
      // Where there are hashes of pieces, only what they have shown to be right is taken in.
      follow(item, contiguousEnd: item.request.pieces == nil ? done.contiguousEnd : 0)
      return .resume(representation, done: done, mirror: index)
    }
  }

  func start(_ item: ActiveItem, _ beginning: FileMachine.Beginning) {
    let request = item.request
    items[request.item] = item
    var fileSettings = machine.fileSettings
    var pieces = request.pieces
    if case .stream = item.destination {
      fileSettings.maxConnections = 1
      // They are verified on the way out.
      item.streamPieces = pieces.map { StreamedPieces($0) }
      pieces = nil
    }
    let file = FileMachine(
      item: request.item, mirrors: request.mirrors.map(\.location), digests: request.digests,
      expectedLength: request.expectedLength, pieces: pieces, settings: fileSettings, beginning: beginning, now: now)
    var actions: [RunAction] = []
    observer?.itemStarted(request.item, name: item.name, location: item.url)
    machine.add(file, now: now, &actions)
    perform(actions)
  }

  // MARK: Ends

  func keep(_ item: ActiveItem) {
    finishedByteCount += size(of: item.existing)
    report(item, .kept, byteCount: size(of: item.existing))
    forget(item)
  }

  func fail(_ item: ActiveItem, _ error: DownloadError) {
    let done = machine.done(of: item.request.item)
    if done.isEmpty, item.clearingCount > 0, let sidecar = item.sidecar, case .file(let place) = item.destination {
      storage.jobs.post(.remove(place, sidecar))
    } else if done.isEmpty {
      // Nothing to go on from: nothing is left lying about.
      try? item.part?.remove()
      if item.part != nil { try? item.sidecar?.remove() }
    } else {
      recordNow(item)
    }
    report(item, .failed(error), byteCount: done.byteCount)
    forget(item)
    if error.code == .diskFull, end.stoppedBy == nil { end.stoppedBy = error }
  }

  private func failUnstarted(_ request: DownloadRequest, _ error: DownloadError) {
    end.progress.failedCount += 1
    end.failureCodes.insert(error.code)
    observer?.itemEnded(
      Outcome(
        item: request.item, name: request.target.name, location: request.mirrors[0].location,
        result: .failed(error), byteCount: 0, receivedByteCount: 0, verified: nil, elapsed: .zero,
        source: request.source))
    if error.code == .diskFull, end.stoppedBy == nil { end.stoppedBy = error }
  }

  func report(_ item: ActiveItem, _ result: Outcome.Result, byteCount: Int64) {
    var verified: ContentDigest?
    switch result {
    case .downloaded:
      end.progress.downloadedCount += 1
      finishedByteCount += byteCount
      verified = Self.strongest(item.conclusion?.digests ?? [])
    case .kept:
      end.progress.keptCount += 1
      verified = Self.strongest(item.request.digests)
    case .failed(let error):
      end.progress.failedCount += 1
      end.failureCodes.insert(error.code)
    }
    observer?.itemEnded(
      Outcome(
        item: item.request.item, name: item.name, location: item.url, result: result, byteCount: byteCount,
        receivedByteCount: item.receivedByteCount, verified: verified, elapsed: now - item.startedAt,
        source: item.request.source))
  }

  static func strongest(_ digests: [ContentDigest]) -> ContentDigest? {
    digests.max { $0.algorithm.strength < $1.algorithm.strength }
  }

  private func forget(_ item: ActiveItem) {
    for sink in Array(sinks.values) where sink.item === item { drop(sink) }
    if item.hashedTo != nil { hasher(of: item).jobs.post(.forget(item: item.request.item)) }
    forgetNumber(item.request.item)
  }

  /// The item has ended, whichever way.
  func forgetNumber(_ number: Int) {
    if let outlet = items[number]?.outlet { loop.unwatch(outlet.descriptor) }
    items[number] = nil
    machine.forget(number)
    gate.forget(number)
  }

  func notice(_ item: ActiveItem?, _ level: Notice.Level, _ text: String) {
    observer?.noticed(Notice(item: item?.request.item, name: item?.name, level: level, text: text))
  }

  func hasher(of item: ActiveItem) -> HashWorker { hashers[item.request.item % hashers.count] }
}
