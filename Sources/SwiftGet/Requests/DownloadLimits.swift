/// Limits of a session or a group for all of its files together. Nil is no limit; of several limits the smallest holds.
///
/// `limit` begins with an empty value and changes only what its closure assigns; an assigned nil takes the limit away.
public struct DownloadLimits: Hashable, Sendable {
  /// Nil is not assigned, `.some(nil)` taken away.
  var files: Int??
  var transfers: Int??
  var rate: Int64??
  var requests: Double??

  /// No limits.
  public init() {}

  /// Files at a time, at least 1; nil is as many as the servers bear. To stop everything, pause.
  public var activeFiles: Int? {
    get { files ?? nil }
    set { files = .some(newValue) }
  }

  /// Connections at a time, at least 1.
  public var connections: Int? {
    get { transfers ?? nil }
    set { transfers = .some(newValue) }
  }

  /// Bytes a second, above 0.
  public var bytesPerSecond: Int64? {
    get { rate ?? nil }
    set { rate = .some(newValue) }
  }

  /// Requests to servers a second, above 0; of a session only.
  public var requestsPerSecond: Double? {
    get { requests ?? nil }
    set { requests = .some(newValue) }
  }

  /// Whether a change would leave the limits as they are.
  package func have(_ change: DownloadLimits) -> Bool {
    change.files.map { $0 == activeFiles } ?? true && change.transfers.map { $0 == connections } ?? true
      && change.rate.map { $0 == bytesPerSecond } ?? true && change.requests.map { $0 == requestsPerSecond } ?? true
  }

  /// Takes over what the change assigns.
  mutating func apply(_ change: DownloadLimits) {
    if let value = change.files { files = value }
    if let value = change.transfers { transfers = value }
    if let value = change.rate { rate = value }
    if let value = change.requests { requests = value }
  }
}
