package import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// The file in which the cookies of a run are kept (`--save-cookies`).
package enum CookieJar {
  /// Replaces the file.
  ///
  /// - Parameters:
  ///   - cookies: as `RunEnd.cookies` has them.
  ///   - syncs: whether the file is brought to stable storage.
  package static func save(_ cookies: [[UInt8]], to path: [UInt8], syncs: Bool) throws(Failure) {
    do {
      try PrivateFile.replace(path, with: CookieFile.content(cookies, unixTime: Clock.unixTime()), syncs: syncs)
    } catch {
      throw StorageErrors.savingCookies(error, path: path)
    }
  }
}
