/// The part of the settings that decisions about one file need.
package struct FileSettings: Hashable, Sendable {
  package var tries: Int
  package var retryWait: Duration
  package var maxConnections: Int
  package var minSplitSize: Int64
  package var maxRedirects: Int
  package var maxFilesize: Int64?
  package var trustsLength: Bool
  package var allowsUnconfirmed: Bool
  package var acceptsHTML: Bool
  /// Whether a command of the user judges complete files.
  package var isJudged: Bool
  /// Country codes of preferred mirrors, the best first.
  package var countries: [String]
  /// Whether the content's first bytes can still be hashed when a digest becomes known later; false for a stream.
  package var canHashLate = true
  /// The name of the file where a coded answer has to be usual for it; nil where any is stored.
  package var nameForCodings: [UInt8]?
  /// The window in bytes: how far beyond the first missing byte ranges are assigned.
  package var window: Int64 = 256 << 20

  /// The maximum of a file's connections if the user names none.
  static let usualConnections = 16

  package init(_ settings: DownloadSettings) {
    tries = max(1, settings.tries)
    retryWait = settings.retryWait
    maxConnections = max(1, settings.connectionsPerFile ?? Self.usualConnections)
    minSplitSize = max(64 << 10, settings.minSplitSize)
    maxRedirects = settings.maxRedirects
    maxFilesize = settings.maxFilesize
    trustsLength = settings.trustsLength
    allowsUnconfirmed = settings.allowsUnconfirmed
    acceptsHTML = settings.acceptsHTML
    isJudged = settings.verifyCommand != nil
    countries = settings.countries
  }

  /// Whether content that the server has coded is stored as it is.
  func stores(_ coding: String) -> Bool {
    nameForCodings.map { ContentCoding.isUsual(coding, for: $0) } ?? true
  }

  var retries: Retries { Retries(tries: tries, longestWait: retryWait) }
}
