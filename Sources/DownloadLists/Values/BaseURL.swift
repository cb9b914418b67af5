internal import DownloadCore

/// Where the names and relative references of a list lead (RFC 3986 section 5.1).
///
/// A class, because each entry of a list refers to it.
package final class BaseURL: Sendable {
  /// Its path ends with a slash.
  let location: Location
  /// The credentials of the URL, which hold for references to the same origin.
  let userinfo: String?

  /// - Parameter url: a directory, with or without a slash at its end.
  convenience init(directory url: MirrorURL) {
    let path = url.location.path
    self.init(url, path: path.hasSuffix("/") ? path : path + "/")
  }

  /// - Parameter url: of the list itself. Its last segment and its query are left out (RFC 3986 section 5.2.3).
  convenience init(list url: MirrorURL) {
    let path = url.location.path
    let directory = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
    self.init(
      MirrorURL(location: Location(origin: url.location.origin, path: path, query: nil), userinfo: url.userinfo),
      path: String(directory))
  }

  /// Stands for the URL of names whose files are only read.
  static let nowhere = BaseURL(
    directory: MirrorURL(location: Location(scheme: .https, host: "localhost", port: 443, path: "/", query: nil)))

  private init(_ url: MirrorURL, path: String) {
    location = Location(origin: url.location.origin, path: path, query: url.location.query)
    userinfo = url.userinfo
  }
}
