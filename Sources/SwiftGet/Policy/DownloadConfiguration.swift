package import DownloadCore
package import DownloadEngine

/// How a session begins.
public struct DownloadConfiguration: Sendable {
  /// Where files go whose requests name no directory; a relative path starts at the working directory now.
  public var directory = "."
  /// Limits for all files together.
  public var limits = DownloadLimits()
  /// How files are fetched.
  public var settings = DownloadSettings()
  /// What only the caller can decide.
  public var policy = DownloadPolicy()
  /// What is done with files that exist.
  public var ifExists = IfExists.ask
  /// Settled tasks that are kept at most, so that they can be looked at and begun again. The first to settle go first. Nil
  /// is 10,000 for a session in memory, and 100,000 and 30 days for a named one.
  public var history: Int?
  /// How long a file is tried while its hosts cannot be reached or have trouble, after its last progress, above 0; a number of
  /// tries among the settings counts more. Nil is 24 hours for a named session; one in memory tries as often as `tries` says.
  public var giveUpAfter: Duration?
  /// Hears what is of note to people, on the session's thread, which it must not hold up; as long as this process works on
  /// the session. Without it nothing is logged.
  public var log: (@Sendable (DownloadLogEntry) -> Void)?
  /// A netrc file, whose names and passwords go to its machines when these ask for some; nil is none. A request's own
  /// credential counts more.
  public var netrcFile: String?
  /// A file with certificates of authorities in PEM, in place of the system's.
  public var caFile: String?

  /// Hears the engine's events in their order, on the session's thread, after they have changed the session's state; as long
  /// as this process works on the session.
  package var listener: (@Sendable ([EngineEvent]) -> Void)?
  /// A socket that this process has inherited and on which it is to serve the session, with its path.
  package var inheritedSocket: (descriptor: Int32, path: [UInt8])?
  /// How the process that works on the session fetches all files, where neither the session nor a task says it.
  package var run: RunSettings {
    get { boxedRun.value }
    set { boxedRun = Boxed(newValue) }
  }
  private var boxedRun = Boxed(RunSettings())
  /// Gets all cookies when the session ends, if `run` keeps them. Called on the session's thread.
  package var keepCookies: (@Sendable ([[UInt8]]) -> Void)?

  /// The usual configuration.
  public init() {}
}
