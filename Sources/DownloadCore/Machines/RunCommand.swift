/// What may be asked of a run while it lasts; an event like any other.
package enum RunCommand: Sendable, Equatable {
  /// The items that a command is for. A group or the run includes items that have not begun, and those that come later.
  package enum Selection: Sendable, Hashable {
    /// By its number, `DownloadRequest.item`.
    case item(Int)
    /// By `DownloadRequest.group`.
    case group(Int)
    case run

    package func includes(_ item: Int, of group: Int) -> Bool {
      switch self {
      case .item(let selected): selected == item
      case .group(let selected): selected == group
      case .run: true
      }
    }
  }

  /// What is to become of items.
  package enum Change: Sendable, Hashable {
    /// Its transfers end; what is stored stays. Another item takes its place among those that are active.
    case pause
    /// Continues it as soon as there is a place.
    case resume
    /// Ends it. Its unfinished data is removed. A file that is being published is not called back.
    case cancel
    /// As `cancel`, but the item does not count as unfinished business of the run.
    case remove
    /// Of waiting items those with the highest priority come first.
    case prioritize(Int)
    /// Before, or behind, all waiting items of its priority.
    case moveToFront
    case moveToBack
  }

  /// A further request. Its number must belong to no other request, and come after those of the request source. A
  /// number that was used before is ignored, so that nothing is downloaded twice.
  case add(DownloadRequest)
  case change(Selection, Change)
  /// Bytes per second, above 0; nil is unlimited.
  case limitRate(run: Int64?, perFile: Int64?)
  /// The request source said that it has none yet; now it has, or knows that there will be none.
  case readSource
  /// Ends the run. Active items stay resumable.
  case stop
}

extension Withdrawal {
  package init?(_ change: RunCommand.Change) {
    switch change {
    case .cancel: self = .cancelled
    case .remove: self = .removed
    case .pause, .resume, .prioritize, .moveToFront, .moveToBack: return nil
    }
  }
}
