internal import DownloadCore
internal import DownloadEngine
internal import DownloadFiles
internal import DownloadLists
internal import DownloadTransport
internal import DownloadWords
internal import Glibc

/// The files of `--load-cookies` and `--save-cookies`, looked at before the run starts.
enum CookieFiles {
  /// More than any cookie file has; ends an endless device.
  private static let mostBytes = 16 << 20

  /// Reads the one and checks that the other can be written. A file is read once, because it may be a pipe.
  ///
  /// - Returns: nil where neither is named.
  /// - Throws: a usage error that names the file and shows none of its content.
  static func settings(
    loading loaded: [UInt8]?, saving saved: [UInt8]?
  ) throws(Failure) -> Secrets.Cookies? {
    guard loaded != nil || saved != nil else { return nil }
    var cookies = Secrets.Cookies(jar: saved)
    if let loaded {
      cookies.loaded = try load(loaded, isAlsoSaved: loaded == saved)
    }
    if let saved { try checkJar(saved) }
    return cookies
  }

  private static func load(_ path: [UInt8], isAlsoSaved: Bool) throws(Failure) -> [[UInt8]] {
    let bytes = try read(path, isAlsoSaved: isAlsoSaved)
    do { return try CookieFile(bytes).cookies } catch {
      switch error {
      case .database:
        throw refused(
          "--load-cookies", "is the database of a browser", path, hint: "export its cookies in the Netscape format")
      case .line(let number):
        throw refused(
          "--load-cookies", "is not a Netscape cookie file: line \(number)", path,
          hint: "a cookie is a line of seven fields, separated by TAB characters")
      case .tooLong(let number):
        throw refused(
          "--load-cookies", "has in line \(number) a cookie of more than \(CookieFile.mostCookieBytes) bytes", path,
          hint: "remove the line: servers do not accept a field of this length")
      }
    }
  }

  private static func read(_ path: [UInt8], isAlsoSaved: Bool) throws(Failure) -> [UInt8] {
    let option = "--load-cookies"
    let tooLong = refused(option, "is too large for a cookie file", path)
    if let bytes = try SmallFiles.readIfPresent(
      path, of: Phrase(option), notedIn: nil, mostBytes: mostBytes, tooLong: tooLong)
    {
      return bytes
    }
    throw NamedFiles.failure(
      .read, path, of: Phrase(option), ENOENT, hint: isAlsoSaved ? "leave out --load-cookies in the first run" : nil)
  }

  /// A device or a pipe must not be replaced by a file.
  private static func checkJar(_ path: [UInt8]) throws(Failure) {
    if path.last == UInt8(ascii: "/") { throw NamedFiles.failure(.write, path, of: "--save-cookies", EISDIR) }
    if let status = stat(of: path), status.type != S_IFREG {
      if status.type == S_IFDIR { throw NamedFiles.failure(.write, path, of: "--save-cookies", EISDIR) }
      throw refused(
        "--save-cookies", "is not a regular file", path, hint: "without --save-cookies no cookies are saved")
    }
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    let directory = slash.map { Array(path[...$0]) } ?? [UInt8(ascii: ".")]
    guard directory.withCString({ faccessat(AT_FDCWD, $0, W_OK | X_OK, AT_EACCESS) }) != 0 else { return }
    let error = errno
    let place = slash == nil ? "the working directory" : "its directory"
    throw refused("--save-cookies", "cannot be written: \(place): \(SystemMessages.reason(error))", path)
  }

  /// Saves the cookies of a run, however it ended.
  ///
  /// - Returns: why that failed.
  static func save(
    _ cookies: [[UInt8]]?, _ settings: RunSettings, hearing signals: SignalWatch
  ) -> Failure? {
    guard let cookies, let jar = settings.secrets.cookies?.jar else { return nil }
    let content = CookieFile.content(cookies, unixTime: Clock.unixTime())
    do throws(SystemCallError) {
      // An interrupted run does not wait for the disk.
      try PrivateFile.replace(jar, with: content, syncs: settings.target.syncs && signals.ending == nil)
      return nil
    } catch {
      return Failure(
        .local(
          LocalFailure(.saveCookies, path: jar, call: error.call.rawValue, errno: error.errno, kind: error.kind)))
    }
  }

  private static func refused(_ option: String, _ what: String, _ path: [UInt8], hint: String? = nil) -> Failure {
    Failure(.usage, "\(option): \(NamedFiles.shown(path)) \(what)", hint: hint, about: [option])
  }
}
