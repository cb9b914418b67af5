internal import DownloadCore

/// What a session knows: its tasks by id, key and target, their groups, and who wants to know of what.
///
/// It has no clock, no input and no output: adds, commands that were obeyed and the engine's events change it, one after
/// the other, and what is to be done then comes back as `StateEffects`. `SessionDriver` owns it.
struct SessionState: Sendable {
  var records: [TaskID: TaskRecord] = [:]
  var targets: [TargetKey: TaskID] = [:]
  var keys: [String: TaskID] = [:]
  var groups = GroupTable()
  var isPaused = false
  var limits = DownloadLimits()
  var settings = DownloadSettings()
  var lastNumber = 0
  /// The number of ends so far.
  var lastEnd: Int64 = 0
  var unsettledCount = 0
  /// Counts the times at which something was unsettled.
  var stretch = 0
  var ranks: ClosedRange<Double> = 0...0
  var history: SettledHistory
  /// Tasks that are not forgotten yet, because a list of added tasks refers to them.
  var holds: [Int: TaskHold] = [:]
  var lastHold = 0

  var audiences: [TaskID: Audience] = [:]
  var sessionAudience = ScopeAudience()
  var groupAudiences: [GroupID: ScopeAudience] = [:]
  var sets: [Int: TaskSet] = [:]
  var lastSet = 0
  var feeds: [Int: ChangeFeed] = [:]
  var lastFeed = 0
  /// Unsettled tasks with handlers.
  var handledCount = 0
  /// Those that have begun and have not ended, and in how many reports each was missing since.
  var begun: [TaskID: Int] = [:]
  /// The shortest interval at which anybody has wanted progress.
  var progressInterval = SessionState.usualInterval

  /// - Parameter historyLimit: settled tasks that are kept at most.
  init(historyLimit: Int) { history = SettledHistory(limit: historyLimit) }

  // MARK: Reading

  /// What pauses a group's tasks besides themselves.
  func flags(of group: GroupID) -> DownloadTask.PausedBy {
    var flags: DownloadTask.PausedBy = isPaused ? .session : []
    if groups[group].isPaused { flags.insert(.group) }
    return flags
  }

  func snapshot(_ id: TaskID) -> DownloadTask.Snapshot? { records[id].map { snapshot($0) } }

  func snapshot(_ record: TaskRecord, state: DownloadTask.State? = nil) -> DownloadTask.Snapshot {
    record.snapshot(flags(of: record.group), group: groups[record.group].name, state: state)
  }

  var totals: DownloadTotals {
    var totals = DownloadTotals()
    totals.progress.totalBytes = 0
    for group in groups.all where group.sessionTally.count > 0 {
      totals.add(group.sessionTally.totals(isPaused: isPaused || group.isPaused))
    }
    totals.lastEnd = lastEnd
    return totals
  }

  func totals(of group: GroupID) -> DownloadTotals {
    var totals = groups[group].tally.totals(isPaused: isPaused || groups[group].isPaused)
    totals.lastEnd = lastEnd
    return totals
  }

  /// Whether somebody is still to be told of something, so that the session goes on without a handle.
  var isKeptByHandlers: Bool {
    handledCount > 0
      || unsettledCount > 0
        && (sessionAudience.hasHandlers
          || groupAudiences.contains { $0.value.hasHandlers && groups[$0.key].tally.unsettledCount > 0 })
  }

  // MARK: Changing

  /// Changes a task, and with it all sums and whoever wants to know.
  ///
  /// - Parameter isProgress: whether only bytes and rates change, of which subscribers hear at intervals.
  mutating func change(
    _ id: TaskID, _ moment: Moment, _ effects: inout StateEffects, isProgress: Bool = false,
    _ body: (inout TaskRecord) -> Void
  ) {
    guard let index = records.index(forKey: id) else { return }
    let flags = flags(of: records.values[index].group)
    let before = Mark(records.values[index], flags)
    if records.values[index].isSettled {
      // It may be begun again, in a new stretch.
      var after = records.values[index]
      body(&after)
      if !after.isSettled { reenter(index) }
    }
    untally(records.values[index], before)
    body(&records.values[index])
    let record = records.values[index]
    let after = Mark(record, flags)
    tally(record, after)
    if before.isSettled != after.isSettled { settledChanged(record, isSettled: after.isSettled) }
    if isProgress {
      tellProgress(record, moment, &effects)
    } else if before.kind != after.kind || after.isSettled {
      tell(record, moment, &effects, isNewState: before.kind != after.kind || before.isSettled != after.isSettled)
    }
    if after.isSettled, !before.isSettled { tellIdle(record.group, &effects) }
  }

  /// What the sums and the listeners need to know of a task before a change and after it.
  struct Mark {
    /// With its own pause alone, as groups count it.
    let own: Tally.Share
    /// With all pauses, as sets count it.
    let whole: Tally.Share
    let isSettled: Bool

    var kind: DownloadTask.State.Kind { whole.kind }

    init(_ record: TaskRecord, _ flags: DownloadTask.PausedBy) {
      own = record.share()
      whole = flags.isEmpty ? own : record.share(flags)
      isSettled = record.isSettled
    }
  }

  private mutating func untally(_ record: TaskRecord, _ mark: Mark) {
    if record.sessionStretch == stretch { groups[record.group].sessionTally.remove(mark.own) }
    if record.groupStretch == groups[record.group].stretch { groups[record.group].tally.remove(mark.own) }
    for (set, _) in audiences[record.id]?.sets ?? [] { sets[set]?.tally.remove(mark.whole) }
  }

  private mutating func tally(_ record: TaskRecord, _ mark: Mark) {
    if record.sessionStretch == stretch { groups[record.group].sessionTally.add(mark.own) }
    if record.groupStretch == groups[record.group].stretch { groups[record.group].tally.add(mark.own) }
    for (set, _) in audiences[record.id]?.sets ?? [] { sets[set]?.tally.add(mark.whole) }
  }

  private mutating func settledChanged(_ record: TaskRecord, isSettled: Bool) {
    unsettledCount += isSettled ? -1 : 1
    if audiences[record.id]?.hasHandlers == true { handledCount += isSettled ? -1 : 1 }
  }

  /// A task becomes unsettled. What was counted until nothing was unsettled does not count any more.
  private mutating func beginStretches(of group: GroupID) {
    if unsettledCount == 0 {
      stretch += 1
      groups.forgetSessionTallies()
    }
    if groups[group].tally.unsettledCount == 0 {
      groups[group].stretch += 1
      groups[group].tally = Tally()
    }
  }

  /// A settled task is to be counted in the present stretches, if it is not.
  private mutating func reenter(_ index: Dictionary<TaskID, TaskRecord>.Index) {
    let record = records.values[index]
    beginStretches(of: record.group)
    let share = record.share()
    if record.sessionStretch != stretch {
      records.values[index].sessionStretch = stretch
      groups[record.group].sessionTally.add(share)
    }
    if record.groupStretch != groups[record.group].stretch {
      records.values[index].groupStretch = groups[record.group].stretch
      groups[record.group].tally.add(share)
    }
  }

  /// A new task.
  mutating func insert(_ record: TaskRecord) {
    beginStretches(of: record.group)
    var record = record
    record.sessionStretch = stretch
    record.groupStretch = groups[record.group].stretch
    records[record.id] = record
    targets[TargetKey(record.path)] = record.id
    if let key = record.request.key { keys[key] = record.id }
    groups[record.group].taskCount += 1
    tally(record, Mark(record, flags(of: record.group)))
    unsettledCount += 1
  }

  /// The task is not known any more.
  mutating func forget(_ id: TaskID) -> TaskRecord? {
    guard let record = records[id] else { return nil }
    untally(record, Mark(record, flags(of: record.group)))
    if !record.isSettled { settledChanged(record, isSettled: true) }
    records[id] = nil
    if targets[TargetKey(record.path)] == id { targets[TargetKey(record.path)] = nil }
    if let key = record.request.key, keys[key] == id { keys[key] = nil }
    groups[record.group].taskCount -= 1
    begun[id] = nil
    return record
  }

  /// Moves a task to another group.
  mutating func regroup(_ id: TaskID, _ group: GroupID, _ moment: Moment, _ effects: inout StateEffects) {
    guard let record = records[id], record.group != group else { return }
    let before = Mark(record, flags(of: record.group))
    untally(record, before)
    groups[record.group].taskCount -= 1
    if !record.isSettled, groups[group].tally.unsettledCount == 0 {
      groups[group].stretch += 1
      groups[group].tally = Tally()
    }
    groups[group].taskCount += 1
    records[id]?.group = group
    // What has settled counts for the group in which it has.
    records[id]?.groupStretch = record.isSettled ? -1 : groups[group].stretch
    guard let moved = records[id] else { return }
    let after = Mark(moved, flags(of: group))
    tally(moved, after)
    tell(moved, moment, &effects, isNewState: before.kind != after.kind)
    if !record.isSettled, groups[record.group].tally.unsettledCount == 0 { tellIdle(of: record.group, &effects) }
  }
}

/// The path of a target, by its bytes.
struct TargetKey: Hashable, Sendable {
  private let path: [UInt8]

  init(_ path: [UInt8]) { self.path = path }

  func hash(into hasher: inout Hasher) { path.withUnsafeBytes { hasher.combine(bytes: $0) } }
}
