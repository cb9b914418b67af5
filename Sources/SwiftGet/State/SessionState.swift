internal import DownloadCore

/// What a session knows: its tasks by id, key and target, their groups, and who wants to know of what.
///
/// It has no clock, no input and no output: adds, commands that were obeyed and the engine's events change it, one after
/// the other, and what is to be done then comes back as `StateEffects`. `SessionDriver` owns it.
struct SessionState: Sendable {
  var records = TaskRecords()
  var groups = GroupTable()
  var isPaused = false
  var limits = DownloadLimits()
  var settings = DownloadSettings()
  /// Counts the changes of flags, limits and settings of the session and its groups.
  private(set) var sessionVersion = 0
  /// Makes requests of known tasks again.
  private var checker = RequestChecker(base: RequestDirectory([]), isNamedByAnswer: false)
  /// Nil for a session in memory.
  var storage: Storage?
  var unsettledCount = 0
  /// Counts the times at which something was unsettled.
  var stretch: Int32 = 0
  var history: SettledHistory

  var audiences: [TaskID: Audience] = [:]
  var sessionAudience = ScopeAudience()
  var groupAudiences: [GroupID: ScopeAudience] = [:]
  var sets: [Int: TaskSet] = [:]
  var lastSet = 0
  var feeds: [Int: ChangeFeed] = [:]
  var lastFeed = 0
  /// Those that were told.
  var conditions: Set<DownloadCondition> = []
  /// The process that works on the session; nil for none.
  var worker: DownloadWorker? = .current
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
  func flags(of group: GroupID) -> DownloadTaskPausedBy {
    var flags: DownloadTaskPausedBy = isPaused ? .session : []
    if groups[group].isPaused { flags.insert(.group) }
    return flags
  }

  func snapshot(_ id: TaskID) -> DownloadTaskSnapshot? { records[id].map { snapshot($0) } }

  func snapshot(_ record: TaskRecord, state: DownloadTaskState? = nil) -> DownloadTaskSnapshot {
    let flags = flags(of: record.group)
    let waitsForWorker =
      storage?.isIdle == true && record.phase == .waiting(.slot) && record.pauses(flags).isEmpty
    return record.snapshot(
      flags, group: groups[record.group].name, state: state ?? (waitsForWorker ? .waiting(.worker) : nil))
  }

  /// What a task is fetched with: its own settings over those of its group.
  func wholeSettings(of record: TaskRecord) -> DownloadSettings {
    if groups[record.group].settings == DownloadSettings() { return record.settings }
    var settings = groups[record.group].settings
    settings.apply(record.settings)
    return settings
  }

  /// The engine's request of a task.
  ///
  /// - Parameter request: in place of its own.
  mutating func file(
    of record: TaskRecord, _ request: DownloadRequest? = nil
  ) throws(DownloadError) -> FileRequest {
    var file = try checker.remade(request ?? record.request, wholeSettings(of: record), path: record.path)
    file.task = record.id
    file.group = record.group
    file.priority = record.priority
    file.isNamedByAnswer = record.packed.isNamedByAnswer
    return file
  }

  var totals: DownloadTotals { totals(\.sessionTally) }

  /// Those of all tasks, whenever they have settled.
  var wholeTotals: DownloadTotals { totals(\.wholeTally) }

  private func totals(_ tally: KeyPath<GroupTable.Group, Tally>) -> DownloadTotals {
    var totals = DownloadTotals()
    totals.progress.totalBytes = 0
    for group in groups.all where group[keyPath: tally].count > 0 {
      totals.add(group[keyPath: tally].totals(isPaused: isPaused || group.isPaused))
    }
    totals.lastEnd = history.storedEnd
    return totals
  }

  func totals(of group: GroupID) -> DownloadTotals {
    var totals = groups[group].tally.totals(isPaused: isPaused || groups[group].isPaused)
    totals.lastEnd = history.storedEnd
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

  /// Flags, limits or settings of the session or a group have changed.
  mutating func tellSession(_ effects: inout StateEffects) {
    sessionVersion += 1
    for feed in feeds.values { effects.signals.append(feed.watcher) }
  }

  /// Changes a task, and with it all sums and whoever wants to know.
  ///
  /// - Parameter isProgress: whether only bytes and rates change, of which subscribers hear at intervals.
  mutating func change(
    _ id: TaskID, _ moment: Moment, _ effects: inout StateEffects, isProgress: Bool = false,
    _ body: (inout TaskRecord) -> Void
  ) {
    guard let place = records.place(of: id) else { return }
    let flags = flags(of: records[place: place].group)
    let before = Mark(records[place: place], flags)
    if records[place: place].isSettled {
      // It may be begun again, in a new stretch.
      var after = records[place: place]
      body(&after)
      if !after.isSettled { reenter(place) }
    }
    count(before, of: records[place: place], by: -1)
    body(&records[place: place])
    let record = records[place: place]
    let after = Mark(record, flags)
    count(after, of: record, by: 1)
    if before.isSettled != after.isSettled { settledChanged(record, isSettled: after.isSettled) }
    if isProgress {
      tellProgress(record, moment, &effects)
    } else if before.kind != after.kind || after.isSettled {
      tell(record, moment, &effects, isNewState: before.kind != after.kind || before.isSettled != after.isSettled)
    } else {
      tellChange(of: record, &effects)
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

    var kind: DownloadTaskState.Kind { whole.kind }

    init(_ record: TaskRecord, _ flags: DownloadTaskPausedBy) {
      own = record.share()
      whole = flags.isEmpty ? own : record.share(flags)
      isSettled = record.isSettled
    }
  }

  /// Adds what a task comes to to the sums of its group, or takes it away with -1.
  mutating func count(_ share: Tally.Share, of record: TaskRecord, by sign: Int) {
    groups[record.group].wholeTally.count(share, by: sign)
    if record.sessionStretch == stretch { groups[record.group].sessionTally.count(share, by: sign) }
    if record.groupStretch == groups[record.group].stretch { groups[record.group].tally.count(share, by: sign) }
  }

  private mutating func count(_ mark: Mark, of record: TaskRecord, by sign: Int) {
    count(mark.own, of: record, by: sign)
    for (set, _) in audiences[record.id]?.sets ?? [] { sets[set]?.tally.count(mark.whole, by: sign) }
  }

  private mutating func settledChanged(_ record: TaskRecord, isSettled: Bool) {
    unsettledCount += isSettled ? -1 : 1
    if audiences[record.id]?.hasHandlers == true { handledCount += isSettled ? -1 : 1 }
  }

  /// A task becomes unsettled. What was counted until nothing was unsettled does not count any more.
  private mutating func beginStretches(of group: GroupID) {
    if unsettledCount == 0 {
      stretch &+= 1
      groups.forgetSessionTallies()
    }
    if groups[group].tally.unsettledCount == 0 {
      groups[group].stretch &+= 1
      groups[group].tally = Tally()
    }
  }

  /// A settled task is to be counted in the present stretches, if it is not.
  private mutating func reenter(_ place: Int) {
    let record = records[place: place]
    beginStretches(of: record.group)
    let share = record.share()
    if record.sessionStretch != stretch {
      records[place: place].sessionStretch = stretch
      groups[record.group].sessionTally.count(share, by: 1)
    }
    if record.groupStretch != groups[record.group].stretch {
      records[place: place].count(in: record.group, stretch: groups[record.group].stretch)
      groups[record.group].tally.count(share, by: 1)
    }
  }

  /// A new task, or one that comes from a store. What has settled does not count in the present stretches.
  mutating func insert(_ record: TaskRecord) {
    var record = record
    if record.isSettled {
      record.sessionStretch = -1
      record.count(in: record.group, stretch: -1)
    } else {
      beginStretches(of: record.group)
      record.sessionStretch = stretch
      record.count(in: record.group, stretch: groups[record.group].stretch)
    }
    guard records.insert(record) else { return }
    groups[record.group].taskCount += 1
    count(Mark(record, flags(of: record.group)), of: record, by: 1)
    if !record.isSettled { unsettledCount += 1 }
  }

  /// The task is not known any more.
  mutating func forget(_ id: TaskID) -> TaskRecord? {
    guard let record = records.remove(id) else { return nil }
    count(Mark(record, flags(of: record.group)), of: record, by: -1)
    if !record.isSettled { settledChanged(record, isSettled: true) }
    groups[record.group].taskCount -= 1
    begun[id] = nil
    return record
  }

  /// Moves a task to another group.
  mutating func regroup(_ id: TaskID, _ group: GroupID, _ moment: Moment, _ effects: inout StateEffects) {
    guard let record = records[id], record.group != group else { return }
    let before = Mark(record, flags(of: record.group))
    count(before, of: record, by: -1)
    groups[record.group].taskCount -= 1
    if !record.isSettled, groups[group].tally.unsettledCount == 0 {
      groups[group].stretch &+= 1
      groups[group].tally = Tally()
    }
    groups[group].taskCount += 1
    // What has settled counts for the group in which it has.
    records[id]?.count(in: group, stretch: record.isSettled ? -1 : groups[group].stretch)
    guard let moved = records[id] else { return }
    let after = Mark(moved, flags(of: group))
    count(after, of: moved, by: 1)
    tell(moved, moment, &effects, isNewState: before.kind != after.kind)
    if !record.isSettled, groups[record.group].tally.unsettledCount == 0 { tellIdle(of: record.group, &effects) }
  }
}
