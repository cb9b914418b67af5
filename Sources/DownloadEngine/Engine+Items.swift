internal import DownloadCore
internal import FileStore
internal import Transport

/// The beginning and the end of items: what is there already, what can be gone on from, what came of it.
extension Engine {
  func begin(_ request: DownloadRequest) {
    let destination: ActiveItem.Destination
    var existing = ExistingTarget.absent
    do {
      switch request.target {
      case .standardOutput:
        do { destination = .stream(try StreamTarget.standardOutput()) } catch { throw StorageErrors.output(error) }
      case .path(let path):
        let place: TargetPlace
        do { place = try TargetDirectory.place(userPath: path, relativeTo: base) } catch {
          throw StorageErrors.directory(error)
        }
        do { existing = try ExistingTarget.inspect(place) } catch { throw StorageErrors.inspecting(error) }
        if existing == .special {
          do { destination = .stream(try StreamTarget.open(place)) } catch { throw StorageErrors.output(error) }
        } else {
          destination = .file(place)
        }
      case .listed(let components):
        let place: TargetPlace
        do { place = try base.resolve(components) } catch { throw StorageErrors.directory(error) }
        if !surroundings.isAbsent(place) {
          do { existing = try ExistingTarget.inspect(place) } catch { throw StorageErrors.inspecting(error) }
        }
        if existing == .special {
          throw DownloadError(
            .localIO, "a pipe, socket or device has this name", hint: "name it with -o if that is where it shall go")
        }
        destination = .file(place)
      }
    } catch let error as DownloadError {
      return failUnstarted(request, error)
    } catch {
      return failUnstarted(request, DownloadError(.other, "an unexpected error: \(error)"))
    }
    let item = ActiveItem(request: request, destination: destination, now: now)
    item.existing = existing
    switch ExistingTargetPolicy.decision(
      on: found(existing, item), digests: request.digests, expectedLength: request.expectedLength, settings: settings)
    {
    case .keep:
      if case .regular(let file) = existing { finishedByteCount += file.size }
      if case .file(let place) = destination { sweep(place) }
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

  /// A run that was killed between the rename and its end leaves a sidecar beside the finished file.
  private func sweep(_ place: TargetPlace) {
    guard settings.ifExists != .keep, surroundings.holdLeftovers(of: place), let sidecar = try? SidecarFile.open(place)
    else { return }
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
    try item.sidecar?.startOver(with: item.record(written: ByteRangeSet(), place: place, bootID: BootID.current))
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
    observer?.itemStarted(request.item, name: item.name, url: item.url.redacted)
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
    if done.isEmpty {
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
        item: request.item, name: request.target.name, url: request.mirrors[0].location.redacted,
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
        item: item.request.item, name: item.name, url: item.url.redacted, result: result, byteCount: byteCount,
        receivedByteCount: item.receivedByteCount, verified: verified, elapsed: now - item.startedAt,
        source: item.request.source))
  }

  static func strongest(_ digests: [ContentDigest]) -> ContentDigest? {
    digests.max { $0.algorithm.strength < $1.algorithm.strength }
  }

  private func forget(_ item: ActiveItem) {
    for sink in Array(sinks.values) where sink.item === item { drop(sink) }
    if item.hashedTo != nil { hasher(of: item).jobs.post(.forget(item: item.request.item)) }
    items[item.request.item] = nil
    machine.forget(item.request.item)
  }

  func notice(_ item: ActiveItem?, _ level: Notice.Level, _ text: String) {
    observer?.noticed(Notice(item: item?.request.item, name: item?.name, level: level, text: text))
  }

  func hasher(of item: ActiveItem) -> HashWorker { hashers[item.request.item % hashers.count] }
}
