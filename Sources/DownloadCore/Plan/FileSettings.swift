/// What decides how one file is downloaded.
package struct FileSettings: Hashable, Sendable {
  /// The number of consecutive attempts without progress, at least 1.
  package var tries = 5
  /// For how long after the last progress outages (`TransferFault.isOutage`) are retried, however many attempts that takes;
  /// nil: `tries` decides.
  package var patience: Duration?
  /// `tries`, or any number where `patience` decides.
  var boundedTries: Int { patience == nil ? tries : .max }
  /// The longest backoff between attempts; also bounds how long a `Retry-After` is obeyed.
  package var retryWait: Duration = .seconds(60)
  /// Connections for the file, at least 1.
  package var maxConnections = Self.usualConnections
  /// The shortest part of a divided range, in bytes, at least 64 KiB; nil: slow connections get short ones, so that all
  /// finish together.
  package var minSplitSize: Int64?
  package var maxRedirects = 20
  /// The largest file that is downloaded, in bytes; nil is unlimited.
  package var maxFilesize: Int64?
  package var wholeStatuses = WholeStatuses()
  package var trustsLength = false
  package var allowsUnconfirmed = false
  /// Whether an HTML page of another host is content for any name (`--accept-html`).
  package var acceptsHTML = false
  /// Whether neither a redirect nor a mirror that a server names leads from https to http, whatever is known of the content.
  package var isHTTPSOnly = false
  /// Country codes in lower case of preferred mirrors, the best first. Of several mirrors that a server names, those of
  /// these countries join first (`--metalink-location`).
  package var countries: [String] = []
  /// Whether a command of the user judges complete files.
  package var isJudged = false
  /// Whether the content's first bytes can still be hashed when a digest becomes known later; false for a stream.
  package var canHashLate = true
  /// The name of the file where a coded answer has to be usual for it; nil where any is stored.
  package var nameForCodings: [UInt8]?
  /// The window in bytes: how far beyond the first missing byte ranges are assigned.
  package var window: Int64 = 256 << 20

  /// The maximum of a file's connections if the user names none.
  package static let usualConnections = 16

  package init() {}

  /// Whether content that the server has coded is stored as it is.
  func stores(_ coding: String) -> Bool {
    nameForCodings.map { ContentCoding.isUsual(coding, for: $0) } ?? true
  }
}
