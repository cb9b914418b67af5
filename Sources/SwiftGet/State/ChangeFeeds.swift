internal import DownloadCore

/// The loops over the changes of a session.
struct ChangeFeeds: Sendable {
  private var feeds: [Int: ChangeFeed] = [:]
  private var lastID = 0
  /// Those that were told.
  private var conditions: Set<DownloadCondition> = []

  var isEmpty: Bool { feeds.isEmpty }
  var watchers: [Watcher] { feeds.values.map(\.watcher) }

  /// - Returns: the id of the feed.
  mutating func open(_ feed: ChangeFeed) -> Int {
    lastID += 1
    feeds[lastID] = feed
    return lastID
  }

  /// Nil for a feed that is closed, or is to be.
  subscript(_ id: Int) -> ChangeFeed? {
    get { feeds[id] }
    _modify { yield &feeds[id] }
  }

  /// Changes each feed in its place: a copy would have all of its items copied.
  mutating func forEach(_ body: (inout ChangeFeed) -> Void) {
    var place = feeds.startIndex
    while place != feeds.endIndex {
      body(&feeds.values[place])
      feeds.formIndex(after: &place)
    }
  }

  /// Tells that a condition has begun or ended, if that is new.
  mutating func tell(_ condition: DownloadCondition, applies: Bool, _ effects: inout StateEffects) {
    guard applies != conditions.contains(condition) else { return }
    if applies { conditions.insert(condition) } else { conditions.remove(condition) }
    forEach { $0.append(.condition(condition, isOver: !applies), &effects) }
  }
}
