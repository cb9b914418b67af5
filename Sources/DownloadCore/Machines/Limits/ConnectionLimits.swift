/// The user's limits of connections beside those of hosts and files: of all files, and of groups.
struct ConnectionLimits {
  var run: Int?
  private var groups: [GroupID: Int] = [:]

  init(run: Int?) { self.run = run }

  mutating func limit(_ group: GroupID, to count: Int?) { groups[group] = count }

  /// Without limits nothing is counted.
  var areAny: Bool { run != nil || !groups.isEmpty }

  /// Whether a file of this group may have another connection.
  ///
  /// - Parameter count: connections of a group; of all groups for nil.
  func admit(_ group: GroupID, count: (GroupID?) -> Int) -> Bool {
    if let run, count(nil) >= run { return false }
    if let most = groups[group], count(group) >= most { return false }
    return true
  }

  /// Whether files of two groups are under one limit.
  func areShared(_ group: GroupID, by other: GroupID) -> Bool { run != nil || group == other && groups[group] != nil }

  /// How many connections are beyond the limits, by group; nil is all.
  func surplus(count: (GroupID?) -> Int) -> [(group: GroupID?, count: Int)] {
    let limits = groups.map { ($0.key as GroupID?, $0.value) } + (run.map { [(nil, $0)] } ?? [])
    return limits.map { (group: $0.0, count: count($0.0) - $0.1) }.filter { $0.count > 0 }
  }
}
