internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadEvents
internal import DownloadWords
internal import SwiftGet

/// The cookies of a session on which this process works (`--save-cookies`).
final class SessionCookies: Sendable {
  private let settings: RunSettings
  private let kept = Lock<[[UInt8]]?>(nil)

  /// - Parameters:
  ///   - settings: of this process.
  ///   - configuration: of the session, which hands its cookies over at its end.
  init(_ settings: RunSettings, of configuration: inout DownloadConfiguration) {
    self.settings = settings
    configuration.keepCookies = { [self] cookies in kept.withLock { $0 = cookies } }
  }

  /// Saves them, once the session is closed. If another process has worked on it there are none.
  ///
  /// - Returns: why that failed.
  func save(hearing signals: SignalWatch, _ status: inout RunStatus) -> Diagnostic? {
    guard let error = CookieFiles.save(kept.withLock { $0 }, settings, hearing: signals) else { return nil }
    status.add(error, of: .cookies)
    return Diagnostic(error)
  }
}
