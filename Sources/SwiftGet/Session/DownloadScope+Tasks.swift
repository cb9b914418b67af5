internal import DownloadCore

extension DownloadScope {
  private var worker: SessionDriver? { reach.session?.driver }

  /// What the tasks come to together.
  public var totals: DownloadTotals {
    get async throws(DownloadError) {
      let target = reach.target
      return worker?.core.withLock { $0.state.totals(of: target) } ?? DownloadTotals()
    }
  }

  /// The tasks that all kinds of terms select; terms of one kind are alternatives. Without terms it is all of them.
  ///
  /// - Returns: tasks in the order of work: by priority, then in the order of adds and moves. It may be empty.
  public func tasks(where terms: DownloadSelector...) async throws(DownloadError) -> [DownloadTask] {
    guard let session = reach.session else { return [] }
    let (target, places) = (reach.target, try await reach.places())
    let ids = session.driver.core.withLock { core -> [TaskID] in
      let all = core.state.all(target)
      if terms.isEmpty { return all }
      let selected = Set(core.state.selected(terms))
      return all.filter(selected.contains)
    }
    return places.sorted(ids).map { DownloadTask(id: DownloadTaskID($0), session: session) }
  }

  /// Waits until nothing is unsettled; of a session or a group also what is added meanwhile. If nothing is, it returns at
  /// once.
  ///
  /// - Parameter onProgress: called on the caller's isolation, now and then.
  /// - Returns: the totals at that moment.
  /// - Throws: `sessionClosed`; `CancellationError` if the Swift task is cancelled, which leaves the tasks alone.
  @discardableResult
  public nonisolated(nonsending) func settled(
    onProgress: (DownloadTotals) -> Void = { _ in }
  ) async throws -> DownloadTotals {
    guard let driver = worker else { return DownloadTotals() }
    switch reach.target {
    case .session: return try await driver.settled(nil, onProgress: onProgress)
    case .group(let name): return try await driver.settled(name, onProgress: onProgress)
    case .tasks, .selection:
      var last = DownloadTotals()
      _ = try await driver.results(of: driver.all(reach.target)) { totals in
        last = totals
        onProgress(totals)
      }
      return last
    }
  }

  /// Waits until the tasks that there are now have settled.
  ///
  /// - Parameter onProgress: called on the caller's isolation, now and then.
  /// - Returns: the files or errors, in the order of work at the time of the call.
  /// - Throws: `sessionClosed`; `CancellationError` if the Swift task is cancelled, which leaves the tasks alone.
  public nonisolated(nonsending) func results(
    onProgress: (DownloadTotals) -> Void = { _ in }
  ) async throws -> [Result<DownloadedFile, DownloadError>] {
    guard let driver = worker else { return [] }
    let places = try await reach.places()
    return try await driver.results(of: places.sorted(driver.all(reach.target)), onProgress: onProgress)
  }
}

extension SessionDriver {
  func all(_ target: DownloadReach.Target) -> [TaskID] { core.withLock { $0.state.all(target) } }
}

extension SessionState {
  /// The tasks of a scope in the order in which they were added; those of an array as they stand there, known or not.
  func all(_ target: DownloadReach.Target) -> [TaskID] {
    switch target {
    case .tasks(let ids): return ids
    case .selection(let terms): return selected(terms)
    case .group(let name): return groups.known(name).map { ids(in: $0) } ?? []
    case .session: return records.all.map(\.id)
    }
  }

  func totals(of target: DownloadReach.Target) -> DownloadTotals {
    switch target {
    case .session: return totals
    case .group(let name): return groups.known(name).map { totals(of: $0) } ?? DownloadTotals()
    case .tasks, .selection:
      var tally = Tally()
      for id in all(target) {
        if let record = records[id] { tally.count(record.share(groups.flags(of: record.group)), by: 1) }
      }
      var totals = tally.totals(isPaused: false)
      totals.lastEnd = history.storedEnd
      return totals
    }
  }
}
