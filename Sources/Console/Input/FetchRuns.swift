import DownloadCore
import DownloadEngine
import Glibc

/// Runs of the engine for files that the program itself reads before the run: lists and their signatures.
///
/// The files are items with the options of the command line, and go to unnamed files.
final class FetchRuns {
  /// Why nothing begins.
  enum Stop: Error {
    case error(Failure)
    /// Each has been told.
    case failures(ExitStatus)
    /// By this signal.
    case interrupted(Int32)
  }

  /// What one run brought.
  struct Results {
    /// By item.
    let outcomes: [TaskID: Outcome]
    /// What stopped the run as a whole.
    let stoppedBy: Failure?
  }

  private let invocation: Invocation
  private let messages: Messages
  private let namedOrigins: Set<Origin>
  private let signals: SignalWatch
  /// Those of the run, with the cookies that the last one ended with.
  private(set) var cookies: Secrets.Cookies?

  /// Blocks signals until `release`, because the engine handles them.
  ///
  /// - Parameter namedOrigins: of the URLs that the command line names.
  init(_ invocation: Invocation, _ messages: Messages, namedOrigins: Set<Origin>) {
    self.invocation = invocation
    self.messages = messages
    self.namedOrigins = namedOrigins
    cookies = invocation.settings.secrets.cookies
    // They must be blocked before the first thread starts, libcurl's included.
    signals = SignalWatch(ProcessSetup.handledSignals + ProcessSetup.stopSignals)
  }

  /// What blocks then is ended by signals as if nothing had been downloaded.
  func release() { signals.release() }

  /// - Parameters:
  ///   - requests: with descriptors as targets, by their items from 0.
  ///   - mostBytes: the longest file. `--max-filesize` is for others.
  func run(_ requests: [FileRequest], mostBytes: Int64) throws(Stop) -> Results {
    let observer = ListFetchObserver(
      names: requests.map { Array($0.mirrors[0].location.withoutQuery.utf8) }, invocation, messages)
    let end: RunEnd
    do {
      let engine = Engine(
        settings: settings(mostBytes: mostBytes), place: try DownloadPlace(directory: []), trustedOrigins: namedOrigins,
        source: ArraySource(requests), descriptorLimit: ProcessSetup.raiseDescriptorLimit())
      end = CommandLoop.run(engine, observer, signals, until: invocation.deadline)
    } catch {
      throw .error(error)
    }
    if let kept = end.cookies { cookies?.loaded = kept }
    let cookieError = CookieFiles.save(end.cookies, invocation.settings, hearing: signals)
    if let cookieError { messages.write(Diagnostic(cookieError)) }
    if let signal = signals.ending {
      messages.write(
        Diagnostic(message: "interrupted; run the same command again to go on"), isShown: !invocation.isQuiet)
      throw .interrupted(signal)
    }
    if let cookieError { throw .failures(ExitStatus(cookieError.code)) }
    return Results(outcomes: observer.outcomes, stoppedBy: end.stoppedBy)
  }

  /// Those of the run, but for what only files have.
  private func settings(mostBytes: Int64) -> RunSettings {
    var settings = invocation.settings
    settings.file.maxFilesize = mostBytes
    settings.target.nameSource = .url
    settings.target.refusesCodings = false
    settings.target.recordedAlgorithms = []
    settings.target.timestamping = false
    settings.target.verifyCommand = nil
    settings.secrets.cookies = cookies
    return settings
  }
}
