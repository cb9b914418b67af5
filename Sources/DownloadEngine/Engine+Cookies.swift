internal import DownloadCore
internal import FileStore
internal import Transport

extension Engine {
  /// Saves the cookies at the end of the run, however it ended. A failure is in `end`.
  func saveCookies() {
    guard let jar = settings.cookies?.jar else { return }
    let content = CookieFile.content(loop.cookies, unixTime: Clock.unixTime())
    do {
      // An interrupted run does not wait for the disk.
      try PrivateFile.replace(jar, with: content, syncs: settings.syncs && end.interruptedBy == nil)
    } catch {
      let error = StorageErrors.savingCookies(error, path: jar)
      end.failureCodes.insert(error.code)
      end.cookieError = error
    }
  }
}
