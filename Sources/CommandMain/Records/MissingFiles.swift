internal import DownloadCore
internal import DownloadEvents
internal import DownloadLists
internal import DownloadScratch

/// Collects which files a set lacks after a run with `--atomic`: those of the items that did not end well.
final class MissingFiles: ListingRecorder {
  private let paths: TargetPaths
  /// The keys of their paths.
  private(set) var keys: [UInt64] = []
  /// Whether `keys` has all of them.
  var isKnown = false
  /// Items that ended well.
  private(set) var doneItems = NumberSet()

  init(_ paths: TargetPaths) { self.paths = paths }

  func itemEnded(_ outcome: Outcome) {
    switch outcome.result {
    case .downloaded, .kept, .withdrawn: doneItems.insert(outcome.task.position)
    case .failed, .unfinished: break
    }
  }

  var wantsAll: Bool { false }

  func add(_ found: RevisitedEntry) {
    if case .item(let listed) = found { keys.append(paths.key(of: listed.request)) }
  }
}
