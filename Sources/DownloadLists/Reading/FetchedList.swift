package import DownloadCore
internal import DownloadJSON
internal import DownloadWords

/// A list that was downloaded before the run.
package struct FetchedList {
  /// Its content, in an unnamed file.
  let file: OpenFile
  /// As the command line names it.
  let url: MirrorURL
  /// Where it was found after redirects.
  let location: Location
  /// Where the list goes on, as the answer says: a URL or an unresolved reference.
  var nextPage: [UInt8]?
  var page = ListPage.only
  /// The pages that follow the first one, under its URL.
  var furtherPages: [FetchedList] = []
  /// What was looked for beside it and may be its signature, the first one first.
  var signatures: [SignatureFile] = []

  /// Its name for people, without a query, which hides what stands behind it.
  var name: String { Diagnostic.escaped(url.location.withoutQuery) }

  /// Where its names and relative references lead.
  var base: BaseURL { BaseURL(list: credited(location)) }

  /// The URLs of files beside it: beside the URL of the command line first, for servers that redirect each file to a
  /// place of its own, then beside the one where it was found. Like those of its names, they have no query, which chooses
  /// the list or permits only this one.
  ///
  /// - Parameter endings: of their names, which begin with the list's.
  func neighbors(_ endings: [String]) -> [MirrorURL] {
    let isMoved = location.withoutQuery != url.location.withoutQuery
    let places = isMoved ? [url.location, location] : [url.location]
    return places.filter { !$0.path.hasSuffix("/") }.flatMap { place in
      endings.map { credited(Location(origin: place.origin, path: place.path + $0, query: nil)) }
    }
  }

  /// With the credentials of the URL, which stay with its origin.
  func credited(_ location: Location) -> MirrorURL {
    MirrorURL(location: location, userinfo: location.origin == url.location.origin ? url.userinfo : nil)
  }

  /// Refuses what only the user and lists on this machine may say.
  ///
  /// - Throws: a usage error without the place of the entry.
  package static func check(_ entry: ListEntry) throws(Failure) {
    if !entry.headers.isEmpty { throw refused("header fields") }
  }

  /// - Parameter url: of an entry.
  package static func check(_ url: MirrorURL) throws(Failure) {
    if url.userinfo != nil { throw refused("a user name or password") }
  }

  private static func refused(_ what: String) -> Failure {
    Failure(
      .usage, words: "a list from a URL may not give \(what)",
      hint: "download the list, read it, and then use \(.inputFile, "FILE") if you trust it")
  }
}
