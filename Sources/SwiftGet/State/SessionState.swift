internal import DownloadCore

/// What a session knows: its tasks by id, key and target, their groups, and who wants to know of what.
///
/// It has no clock, no input and no output: adds, commands that were obeyed and the engine's events change it, one after
/// the other, and what is to be done then comes back as `StateEffects`. `SessionDriver` owns it.
struct SessionState: Sendable {
  var records = TaskRecords()
  var groups = GroupTable()
  /// Makes requests of known tasks again.
  private var checker = RequestChecker(base: RequestDirectory([]), isNamedByAnswer: false)
  /// Nil for a session in memory.
  var storage: Storage?
  var history: SettledHistory

  var audiences = SessionAudiences()
  var sets = TaskSets()
  var feeds = ChangeFeeds()
  /// The process that works on the session; nil for none.
  var worker: DownloadWorker? = .current
  /// Tasks that have begun and have not ended, and in how many reports each was missing since.
  var begun: [TaskID: Int] = [:]

  /// - Parameter historyLimit: settled tasks that are kept at most.
  init(historyLimit: Int) { history = SettledHistory(limit: historyLimit) }

  // MARK: Reading

  func snapshot(_ id: TaskID) -> DownloadTaskSnapshot? { records[id].map { snapshot($0) } }

  func snapshot(_ record: TaskRecord, state: DownloadTaskState? = nil) -> DownloadTaskSnapshot {
    let flags = groups.flags(of: record.group)
    let waitsForWorker =
      storage?.isIdle == true && record.phase == .waiting(.slot) && record.pauses(flags).isEmpty
    return record.snapshot(
      flags, group: groups[record.group].name, state: state ?? (waitsForWorker ? .waiting(.worker) : nil))
  }

  /// The engine's request of a task.
  ///
  /// - Parameter request: in place of its own.
  mutating func file(
    of record: TaskRecord, _ request: DownloadRequest? = nil
  ) throws(DownloadError) -> FileRequest {
    var file = try checker.remade(request ?? record.request, groups.settings(of: record), path: record.path)
    file.task = record.id
    file.group = record.group
    file.priority = record.priority
    file.isNamedByAnswer = record.packed.isNamedByAnswer
    return file
  }

  var totals: DownloadTotals { groups.totals(\.sessionTally, lastEnd: history.storedEnd) }

  /// Those of all tasks, whenever they have settled.
  var wholeTotals: DownloadTotals { groups.totals(\.wholeTally, lastEnd: history.storedEnd) }

  func totals(of group: GroupID) -> DownloadTotals { groups.totals(of: group, lastEnd: history.storedEnd) }

  // MARK: Changing

  /// Flags, limits or settings of the session or a group have changed.
  mutating func tellSession(_ effects: inout StateEffects) {
    groups.version += 1
    effects.signals += feeds.watchers
  }

  /// Changes a task, and with it all sums and whoever wants to know.
  ///
  /// - Parameter isProgress: whether only bytes and rates change, of which subscribers hear at intervals.
  mutating func change(
    _ id: TaskID, _ moment: Moment, _ effects: inout StateEffects, isProgress: Bool = false,
    _ body: (inout TaskRecord) -> Void
  ) {
    guard let place = records.place(of: id) else { return }
    let flags = groups.flags(of: records[place: place].group)
    let before = Mark(records[place: place], flags)
    if records[place: place].isSettled {
      // It may be begun again, in a new stretch.
      var after = records[place: place]
      body(&after)
      if !after.isSettled { groups.reenter(&records[place: place]) }
    }
    count(before, of: records[place: place], by: -1)
    body(&records[place: place])
    let record = records[place: place]
    let after = Mark(record, flags)
    count(after, of: record, by: 1)
    if before.isSettled != after.isSettled { audiences.settledChanged(id, isSettled: after.isSettled) }
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

  /// Adds what a task comes to to the sums of its group and sets, or takes it away with -1.
  private mutating func count(_ mark: Mark, of record: TaskRecord, by sign: Int) {
    groups.count(mark.own, of: record, by: sign)
    sets.count(mark.whole, in: audiences.sets(of: record.id), by: sign)
  }

  /// A new task, or one that comes from a store.
  mutating func insert(_ record: TaskRecord) {
    var record = record
    groups.enter(&record)
    guard records.insert(record) else { return }
    count(Mark(record, groups.flags(of: record.group)), of: record, by: 1)
  }

  /// The task is not known any more.
  mutating func forget(_ id: TaskID) -> TaskRecord? {
    guard let record = records.remove(id) else { return nil }
    count(Mark(record, groups.flags(of: record.group)), of: record, by: -1)
    if !record.isSettled { audiences.settledChanged(id, isSettled: true) }
    begun[id] = nil
    return record
  }

  /// Moves a task to another group.
  mutating func regroup(_ id: TaskID, _ group: GroupID, _ moment: Moment, _ effects: inout StateEffects) {
    guard var record = records[id], record.group != group else { return }
    let former = record.group
    let before = Mark(record, groups.flags(of: former))
    groups.move(&record, to: group)
    records[id] = record
    let after = Mark(record, groups.flags(of: group))
    sets.count(before.whole, in: audiences.sets(of: id), by: -1)
    sets.count(after.whole, in: audiences.sets(of: id), by: 1)
    tell(record, moment, &effects, isNewState: before.kind != after.kind)
    if !record.isSettled, groups[former].tally.unsettledCount == 0 { tellIdle(of: former, &effects) }
  }
}
