internal import DownloadCore
internal import DownloadTransport

/// URLs for people.
enum PublicURL {
  /// Without query, fragment and userinfo, in which secrets may stand; of one that is no URL what cannot be a secret.
  static func text(_ url: String) -> String {
    if let location = (try? URLParser.parse(url.utf8))?.location { return location.withoutQuery }
    return String(decoding: Redaction.url(url.utf8), as: UTF8.self)
  }
}
