package import DownloadCore
package import DownloadLists
package import DownloadScratch

/// Takes note of the items of a run, for a file that is written at its end or for commands that are run.
package protocol RunRecorder: AnyObject {
  func itemStarted(_ task: TaskID)
  func itemEnded(_ outcome: Outcome)
  /// What it has to tell since the last call.
  func takeNotices() -> [Notice]
}

extension RunRecorder {
  package func itemStarted(_ task: TaskID) {}
  package func takeNotices() -> [Notice] { [] }
}

/// Takes note also of items that did not end, for which the list of the run is read once more after it.
package protocol ListingRecorder: RunRecorder {
  /// Items of which nothing more is wanted.
  var doneItems: NumberSet { get }
  /// Whether parts of items and refused entries are wanted, too.
  var wantsAll: Bool { get }
  /// An item that is not done, a part of one, or a refused entry, in the order of the lists. It passes over what it does
  /// not want.
  func add(_ found: RevisitedEntry)
}
