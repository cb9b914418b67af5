import DownloadCore

/// A list that was downloaded before the run.
struct FetchedList {
  /// Its content, in an unnamed file.
  let file: OpenFile
  /// As the command line names it.
  let url: MirrorURL
  /// Where it was found after redirects.
  let location: Location

  /// Its name for people, without a query, which hides what stands behind it.
  var name: String { Diagnostic.escaped(url.location.withoutQuery) }

  /// Where its names and relative references lead. The credentials of the URL stay with its origin.
  var base: BaseURL {
    let isSameOrigin = location.origin == url.location.origin
    return BaseURL(list: MirrorURL(location: location, userinfo: isSameOrigin ? url.userinfo : nil))
  }

  /// Refuses what only the user and lists on this machine may say.
  ///
  /// - Throws: a usage error without the place of the entry.
  static func check(_ entry: ManifestEntry) throws(DownloadError) {
    if !entry.headers.isEmpty { throw refused("header fields") }
    if entry.directory?.first == UInt8(ascii: "/") { throw refused("an absolute directory") }
  }

  /// - Parameter url: of an entry.
  static func check(_ url: MirrorURL) throws(DownloadError) {
    if url.userinfo != nil { throw refused("a user name or password") }
  }

  private static func refused(_ what: String) -> DownloadError {
    DownloadError(
      .usage, "a list from a URL may not give \(what)",
      hint: "download the list, read it, and then use -i FILE if you trust it")
  }
}
