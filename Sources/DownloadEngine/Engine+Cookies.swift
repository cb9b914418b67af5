internal import DownloadCore
internal import FileStore
internal import Transport

extension Engine {
  /// Keeps the cookies at the end of the run, however it ended, and saves them. A failure is in `end`.
  func saveCookies() {
    guard settings.secrets.cookies != nil else { return }
    end.cookies = loop.cookies
    guard let jar = settings.secrets.cookies?.jar else { return }
    let content = CookieFile.content(end.cookies, unixTime: Clock.unixTime())
    do {
      // An interrupted run does not wait for the disk.
      try PrivateFile.replace(jar, with: content, syncs: settings.target.syncs && end.interruptedBy == nil)
    } catch {
      let error = StorageErrors.savingCookies(error, path: jar)
      end.failureCodes.insert(error.code)
      end.cookieError = error
    }
  }
}
