internal import DownloadCore
internal import DownloadTransport

/// Settings and limits, and how they act on what is active.
extension EngineLoop {
  // MARK: Changes

  func use(_ wanted: RunSettings) {
    self.wanted = wanted
    var new = wanted.fitting(descriptorLimit: descriptorShare)
    new.target = settings.target
    new.asksOnly = settings.asksOnly
    new.secrets.cookies = settings.secrets.cookies
    settings = new
    loop.use(new.transport, new.secrets)
    lockedTargets.wait = new.limits.lockWait
    queue.jobs = new.limits.jobs ?? Self.defaultJobs
    queue.failureLimit = new.limits.maxFailures
    limitRates()
    servers.forgetSettings()
    var actions: [RunAction] = []
    machine.use(new, now: now, &actions)
    for item in items.values { machine.use(fileSettings(of: item), for: item.handle, now: now, &actions) }
    limitsTimes = limitsTimes || new.limits.maxTime != nil
    perform(actions)
    returnSurplus()
  }

  /// Does less at once where other engines of the process need descriptors, and more where they have ended.
  func fitToShare() {
    let share = workers.share(of: descriptorLimit)
    guard share != descriptorShare else { return }
    descriptorShare = share
    mostItems = Self.mostItems(of: share)
    workers.client.groupLimit = max(1, mostItems / 2)
    use(wanted)
  }

  /// Sets the limits of the run, and of hosts that have been asked.
  func limitRates() {
    rates.limit(.run, to: settings.limits.limitRate, now: now)
    rates.limit(.eachFile, to: settings.limits.limitRatePerFile, now: now)
    for origin in servers.origins {
      rates.limit(.one(.host(origin)), to: settings.transport.hosts.settings(for: origin.host).limitRate, now: now)
    }
  }

  func limit(_ group: GroupID, _ limits: GroupLimits) {
    queue.limit(group, jobs: limits.jobs)
    rates.limit(.one(.group(group)), to: limits.rate, now: now)
    var actions: [RunAction] = []
    machine.limitConnections(of: group, to: limits.connections, now: now, &actions)
    perform(actions)
    returnSurplus()
  }

  func set(_ own: TaskSettings?, headers: [String], of task: TaskID) -> EngineAnswer {
    guard requests.set(own, headers: headers, of: task) else { return .unknown }
    guard let handle = queue.handle(of: task), let item = items[handle] else { return .done }
    item.set(own, headers: headers)
    limitsTimes = limitsTimes || own?.maxTime != nil
    rates.limit(.one(.file(handle)), to: own?.limitRate, now: now)
    var actions: [RunAction] = []
    machine.use(fileSettings(of: item), for: handle, now: now, &actions)
    perform(actions)
    return .done
  }

  func move(_ handle: ItemHandle, to group: GroupID) {
    items[handle]?.group = group
    rates.moved()
    var actions: [RunAction] = []
    machine.move(handle, to: group, now: now, &actions)
    perform(actions)
    returnSurplus()
  }

  /// Gives back the places beyond the limits, the last ones in order. What cannot be gone on with keeps its place.
  private func returnSurplus() {
    // Small files that wait for their names need no place any more.
    for handle in queue.surplus(besides: { items[$0]?.isStaged ?? false }) {
      // What is buffered would be lost, too.
      var hasMore = false
      if let item = items[handle] {
        for transfer in transfers.of(item) where items[handle] === item {
          if flush(transfer) == .held || isWriting(transfer) { hasMore = true }
        }
      }
      if machine.mayPause(handle, hasMore: hasMore) { pause(handle) }
    }
  }

  /// The settings for the item's file.
  func fileSettings(of item: ActiveItem) -> FileSettings {
    var file = item.request.settings?.over(machine.fileSettings) ?? machine.fileSettings
    if settings.target.refusesCodings, !settings.asksOnly { file.nameForCodings = item.name }
    file.isJudged = isJudged(item.request)
    if case .stream = item.destination {
      file.maxConnections = 1
      file.canHashLate = false
    }
    return file
  }

  /// Whether somebody is asked before the file gets its name.
  func isJudged(_ request: FileRequest) -> Bool {
    isValidated || settings.target.verifyCommand(for: request) != nil
  }

  // MARK: Rates

  /// Ends transfers on shared connections where a limit has begun; each begins again on a connection of its own.
  func separateTransfers() {
    guard rates.takeSeparation() else { return }
    for transfer in Array(transfers.all)
    where !transfer.exchange.isSeparate && !transfer.isDead && !transfer.hasEnded {
      guard transfer.exchange.order.location.scheme.isEncrypted, rates.needsOwnConnection(transfer.membership) else {
        continue
      }
      loop.stop(transfer.exchange)
      ended(transfer, .stopped)
    }
  }

  /// Lets throttled transfers go on, as far as the limits admit.
  func resumeThrottled() {
    guard rates.beginRound() else { return }
    while let id = rates.next() {
      // libcurl delivers the paused bytes at once, so the pause does not count as a stall.
      if let transfer = transfers[id] { loop.unpause(transfer.exchange) }
    }
  }
}
