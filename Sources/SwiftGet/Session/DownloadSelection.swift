/// Tasks by what they are. Each command looks anew which ones these are, in one step; so does each wait, once.
public struct DownloadSelection: DownloadScope {
  /// The session.
  public let session: DownloadSession
  /// What selects the tasks.
  public let terms: [DownloadSelector]

  /// The tasks that are selected when the command is given.
  public var reach: DownloadReach { DownloadReach(session, .selection(terms)) }
}
