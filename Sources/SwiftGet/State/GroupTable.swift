internal import DownloadCore

/// The groups of a session: what holds for each of them and for the session, and the sums over their tasks. The first is
/// `main`; a group keeps its number.
struct GroupTable: Sendable {
  struct Group: Sendable {
    let name: String
    var rules = ScopeRules()
    /// Tasks that are counted for the session, and for the group.
    fileprivate(set) var sessionTally = Tally()
    fileprivate(set) var tally = Tally()
    /// All that are known, whenever they have settled.
    fileprivate(set) var wholeTally = Tally()
    /// As that of the table, for the group.
    fileprivate(set) var stretch: Int32 = 0

    /// Tasks that are known.
    var taskCount: Int { wholeTally.count }

    /// Whether anybody would miss it.
    var isKnown: Bool { taskCount > 0 || rules != ScopeRules() }
  }

  /// What holds for all of them.
  var session = ScopeRules()
  /// Counts the changes of what holds for the session and for groups.
  var version = 0
  private var groups = [Group(name: GroupTable.main)]
  private var numbers = [GroupTable.main: GroupID.main]
  /// Tasks that have not settled.
  private(set) var unsettledCount = 0
  /// Counts the times at which something was unsettled.
  private(set) var stretch: Int32 = 0

  static let main = "main"
  /// A group's number has 16 bits.
  private static let mostGroups = Int(UInt16.max)

  subscript(_ id: GroupID) -> Group {
    get { groups[Int(id.number)] }
    _modify { yield &groups[Int(id.number)] }
  }

  var all: [Group] { groups }
  var ids: some Sequence<GroupID> { groups.indices.lazy.map { GroupID(UInt16($0)) } }

  func known(_ name: String) -> GroupID? { numbers[name] }

  /// Makes the group if it is new; nil if there are too many.
  mutating func id(of name: String) -> GroupID? {
    if let known = numbers[name] { return known }
    guard groups.count < Self.mostGroups else { return nil }
    let id = GroupID(UInt16(groups.count))
    groups.append(Group(name: name))
    numbers[name] = id
    return id
  }

  // MARK: Rules

  /// Those of a group, or of the session with nil.
  subscript(rules group: GroupID?) -> ScopeRules {
    get { group.map { self[$0].rules } ?? session }
    set { if let group { self[group].rules = newValue } else { session = newValue } }
  }

  /// What pauses a group's tasks besides themselves.
  func flags(of group: GroupID) -> DownloadTaskPausedBy {
    var flags: DownloadTaskPausedBy = session.isPaused ? .session : []
    if self[group].rules.isPaused { flags.insert(.group) }
    return flags
  }

  /// What a task is fetched with: its own settings over those of its group.
  func settings(of record: TaskRecord) -> DownloadSettings {
    var settings = self[record.group].rules.settings
    if settings == DownloadSettings() { return record.settings }
    settings.apply(record.settings)
    return settings
  }

  // MARK: Sums

  /// Adds what a task comes to to the sums, or takes it away with -1.
  mutating func count(_ share: Tally.Share, of record: TaskRecord, by sign: Int) {
    if !share.kind.isSettled { unsettledCount += sign }
    self[record.group].wholeTally.count(share, by: sign)
    if record.sessionStretch == stretch { self[record.group].sessionTally.count(share, by: sign) }
    if record.groupStretch == self[record.group].stretch { self[record.group].tally.count(share, by: sign) }
  }

  /// A task that is new, or comes from a store, is to be counted. What has settled does not count in the present stretches.
  mutating func enter(_ record: inout TaskRecord) {
    if record.isSettled {
      record.sessionStretch = -1
      record.count(in: record.group, stretch: -1)
    } else {
      beginStretches(of: record.group)
      record.sessionStretch = stretch
      record.count(in: record.group, stretch: self[record.group].stretch)
    }
  }

  /// A settled task begins again, and is to be counted in the present stretches, if it is not.
  mutating func reenter(_ record: inout TaskRecord) {
    beginStretches(of: record.group)
    let share = record.share()
    if record.sessionStretch != stretch {
      record.sessionStretch = stretch
      self[record.group].sessionTally.count(share, by: 1)
    }
    if record.groupStretch != self[record.group].stretch {
      record.count(in: record.group, stretch: self[record.group].stretch)
      self[record.group].tally.count(share, by: 1)
    }
  }

  /// Moves a task to another group. What has settled counts for the group in which it has.
  mutating func move(_ record: inout TaskRecord, to group: GroupID) {
    count(record.share(), of: record, by: -1)
    if !record.isSettled { beginStretch(of: group) }
    record.count(in: group, stretch: record.isSettled ? -1 : self[group].stretch)
    count(record.share(), of: record, by: 1)
  }

  /// A task becomes unsettled. What was counted until nothing was unsettled does not count any more.
  private mutating func beginStretches(of group: GroupID) {
    if unsettledCount == 0 {
      stretch &+= 1
      for index in groups.indices { groups[index].sessionTally = Tally() }
    }
    beginStretch(of: group)
  }

  private mutating func beginStretch(of group: GroupID) {
    guard self[group].tally.unsettledCount == 0 else { return }
    self[group].stretch &+= 1
    self[group].tally = Tally()
  }

  /// Those of all tasks, by one of the groups' sums.
  func totals(_ tally: KeyPath<Group, Tally>, lastEnd: Int64) -> DownloadTotals {
    var totals = DownloadTotals()
    totals.progress.totalBytes = 0
    for group in groups where group[keyPath: tally].count > 0 {
      totals.add(group[keyPath: tally].totals(isPaused: session.isPaused || group.rules.isPaused))
    }
    totals.lastEnd = lastEnd
    return totals
  }

  func totals(of group: GroupID, lastEnd: Int64) -> DownloadTotals {
    var totals = self[group].tally.totals(isPaused: session.isPaused || self[group].rules.isPaused)
    totals.lastEnd = lastEnd
    return totals
  }

  /// Whether a task waits for this.
  func applies(_ condition: DownloadCondition) -> Bool {
    groups.contains { $0.wholeTally.count(waitingFor: condition) > 0 }
  }
}
