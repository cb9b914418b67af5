internal import DownloadCore

/// What the process that works on the session reports of it, or has left when it ended.
extension SessionState {
  /// A task is so now, whatever it was. Who listens hears of what is new.
  ///
  /// - Parameter end: the number of its end; nil if it has not settled.
  mutating func follow(_ record: TaskRecord, end: Int64?, _ moment: Moment, _ effects: inout StateEffects) {
    if let known = records[record.id] {
      // Its end is told by itself.
      if record.isSettled, end == nil, !known.isSettled { return }
      update(known, to: record, end: end, moment, &effects)
    } else if !record.isSettled || end != nil {
      insert(record)
      records.lastNumber = max(records.lastNumber, record.number)
      if let end {
        history.append(record.id, number: end, hasFailed: record.hasFailed)
        if end > history.lastEnd {
          history.reach(end)
          let snapshot = snapshot(record)
          feeds.forEach { $0.append(.ended(snapshot, number: end), of: record.id, &effects) }
        }
      } else {
        tellChange(of: record, &effects)
      }
    }
    prune(&effects)
  }

  private mutating func update(
    _ known: TaskRecord, to record: TaskRecord, end: Int64?, _ moment: Moment, _ effects: inout StateEffects
  ) {
    let id = record.id
    // An end that is known is told again after a gap.
    let end = end == history.number(of: id) ? nil : end
    let path = record.path
    if !known.hasPath(path) { records.retarget(id, to: path) }
    if known.isSettled, end != nil || !record.isSettled {
      history.remove(id)
      // It has begun again meanwhile.
      if record.isSettled { change(id, moment, &effects) { $0.phase = .waiting(.slot) } }
    }
    regroup(id, record.group, moment, &effects)
    // The end gets its own number; the numbers of later ones count all the same.
    let last = history.lastEnd
    if let end { (history.lastEnd, history.storedEnd) = (end - 1, end - 1) }
    defer { history.reach(last) }
    let isProgress = !record.isSettled && record.isOnlyFurther(than: known)
    change(id, moment, &effects, isProgress: isProgress) { changed in
      let (stretch, groupStretch) = (changed.sessionStretch, changed.groupStretch)
      changed = record
      changed.sessionStretch = stretch
      changed.count(in: record.group, stretch: groupStretch)
    }
  }

  /// A task is not in the session any more.
  mutating func followRemoval(of id: TaskID, _ moment: Moment, _ effects: inout StateEffects) {
    if records[id] != nil { remove(id, moment, &effects) }
  }

  /// Flags, limits and settings of the session and its groups are so now.
  mutating func follow(rulesOf told: GroupTable, _ moment: Moment, _ effects: inout StateEffects) {
    follow(told.session, of: nil, moment, &effects)
    var known: Set<String> = []
    for group in told.all {
      guard let id = groups.id(of: group.name) else { continue }
      known.insert(group.name)
      follow(group.rules, of: id, moment, &effects)
    }
    // A group that is not told has neither flag nor limits.
    for id in groups.ids where !known.contains(groups[id].name) { follow(ScopeRules(), of: id, moment, &effects) }
    tellSession(&effects)
  }

  /// - Parameter group: nil is the session.
  private mutating func follow(
    _ rules: ScopeRules, of group: GroupID?, _ moment: Moment, _ effects: inout StateEffects
  ) {
    let wasPaused = groups[rules: group].isPaused
    groups[rules: group].limits = rules.limits
    groups[rules: group].settings = rules.settings
    var effect = CommandEffect()
    if rules.isPaused != wasPaused {
      obeyedFlag(rules.isPaused, of: group, QueueAnswer(), &effect, moment, &effects)
    }
  }

  /// This process works on the session now, which is as another one has left it.
  mutating func takeOver(_ left: SessionState, _ moment: Moment, _ effects: inout StateEffects) {
    follow(rulesOf: left.groups, moment, &effects)
    for id in records.all.map(\.id) where left.records[id] == nil { followRemoval(of: id, moment, &effects) }
    func taken(_ record: TaskRecord) -> TaskRecord {
      var record = record
      record.count(in: groups.id(of: left.groups[record.group].name) ?? .main, stretch: 0)
      // The store does not have how far it is.
      if !record.isSettled, let known = records[record.id] {
        (record.bytes, record.total) = (known.bytes, known.total ?? record.total)
      }
      return record
    }
    for record in left.records.all where !record.isSettled { follow(taken(record), end: nil, moment, &effects) }
    for end in left.history.ends(after: 0) {
      if let record = left.records[end.task] { follow(taken(record), end: end.number, moment, &effects) }
    }
    records.lastNumber = left.records.lastNumber
    (history.lastEnd, history.storedEnd) = (left.history.lastEnd, left.history.storedEnd)
    storage = left.storage
  }
}
