import DownloadCore

/// What is found when the lists of a run are read once more at its end.
enum RevisitedEntry {
  /// An item, with all that its parts say about it.
  case item(ListedRequest)
  /// A part of an earlier item, whose target it has.
  case part(ListedRequest, of: Int)
  /// An entry that the run does without, and its list; nil for a URL of the command line, and for a bag.
  case refused(DownloadError, ListInput?)
}

struct ListedRequest {
  let request: DownloadRequest
  /// Nil for a URL of the command line.
  let entry: ManifestEntry?
  /// Nil for a URL of the command line, and for a bag.
  let list: ListInput?
}
