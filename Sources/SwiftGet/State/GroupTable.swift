internal import DownloadCore

/// The groups of a session. The first is `main`; a group keeps its number.
struct GroupTable: Sendable {
  struct Group: Sendable {
    let name: String
    var isPaused = false
    var limits = DownloadLimits()
    var settings = DownloadSettings()
    /// Tasks that are known.
    var taskCount = 0
    /// Those that are counted for the session, and for the group.
    var sessionTally = Tally()
    var tally = Tally()
    /// All that are known, whenever they have settled.
    var wholeTally = Tally()
    var stretch: Int32 = 0

    /// Whether anybody would miss it.
    var isKnown: Bool {
      taskCount > 0 || isPaused || limits != DownloadLimits() || settings != DownloadSettings()
    }
  }

  private var groups = [Group(name: GroupTable.main)]
  private var numbers = [GroupTable.main: GroupID.main]

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

  /// Begins to count anew what the session does.
  mutating func forgetSessionTallies() { for index in groups.indices { groups[index].sessionTally = Tally() } }
}
