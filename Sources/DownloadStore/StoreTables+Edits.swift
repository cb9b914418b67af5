internal import DownloadCore

/// Changes of single rows, and the order of work.
extension StoreTables {
  /// The distance of ranks that follow each other, so that a task can be moved between two others.
  static let rankGap: Int64 = 1 << 20
  /// Beyond it all ranks are given anew, so that no sum overflows.
  private static let greatestRank: Int64 = 1 << 60

  func apply(_ edit: StoredTask.Edit, to task: inout StoredTask) throws(DatabaseError) {
    switch edit {
    case .want(let want): if !task.isLeaving || want == .removedWithFile { task.want = want }
    case .group(let group): task.group = group
    case .priority(let priority): task.priority = priority
    case .move(let place):
      guard let rank = try rank(of: place, without: task.id) else { return }
      task.rank = rank
    case .path(let path): task.path = path
    case .request(let request): task.request = request
    case .settings(let settings): task.settings = settings
    case .progress(let progress, let started):
      if task.end != nil { return }
      task.progress = progress
      task.started = started ?? task.started
    case .settled(let end, let started):
      (task.end, task.progress) = (end, nil)
      task.started = started ?? task.started
      if !task.isLeaving { task.want = .run }
    case .unsettled:
      task.end = nil
      if !task.isLeaving { task.want = .run }
    }
  }

  /// The rank with which a task gets a place.
  ///
  /// - Parameters:
  ///   - moved: the task, which does not count among the others.
  ///   - last: the rank of the last task, if it is known.
  /// - Returns: nil if the task beside which it is to be is not there.
  func rank(
    of place: StoredTask.Place, without moved: TaskID? = nil, last: Int64? = nil
  ) throws(DatabaseError) -> Int64? {
    var last = last
    let own = DatabaseValue.integer(moved.map { Int64(bitPattern: $0.number) } ?? -1)
    // Once more after the ranks were given anew.
    for _ in 0..<2 {
      let rank: Int64
      let next: Int64?
      switch place {
      case .first:
        next = try database.integer("SELECT min(rank) FROM tasks")
        rank = (next ?? 0).subtractingReportingOverflow(Self.rankGap).partialValue
        if next.map({ rank < $0 }) ?? true, rank >= -Self.greatestRank { return rank }
      case .last:
        next = if let last { last } else { try database.integer("SELECT max(rank) FROM tasks") }
        rank = (next ?? 0).addingReportingOverflow(Self.rankGap).partialValue
        if next.map({ rank > $0 }) ?? true, rank <= Self.greatestRank { return rank }
      case .before(let other), .after(let other):
        guard other != moved, let row = try task(other) else { return nil }
        rank = row.rank
        if rank.magnitude > Self.greatestRank.magnitude { break }
        let isBefore = if case .before = place { true } else { false }
        next = try database.integer(
          isBefore
            ? "SELECT max(rank) FROM tasks WHERE rank <= ? AND id NOT IN (?, ?)"
            : "SELECT min(rank) FROM tasks WHERE rank >= ? AND id NOT IN (?, ?)",
          .integer(rank), .integer(Int64(bitPattern: other.number)), own)
        let end = next ?? rank + (isBefore ? -2 : 2) * Self.rankGap
        if end.magnitude > Self.greatestRank.magnitude { break }
        let middle = end + (rank - end) / 2
        if middle != rank, middle != end { return middle }
      }
      try giveRanksAnew()
      last = nil
    }
    return nil
  }

  /// Makes the gaps between ranks as wide as they were at first.
  private func giveRanksAnew() throws(DatabaseError) {
    var ids: [TaskID] = []
    try database.query("SELECT id FROM tasks ORDER BY rank, id") { row in
      if let id = row.integer(0) { ids.append(TaskID(UInt64(bitPattern: id))) }
    }
    for (index, id) in ids.enumerated() {
      guard var task = try task(id) else { continue }
      task.rank = Int64(index + 1) * Self.rankGap
      try put(task)
    }
  }
}
