internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadLists
internal import DownloadWords
internal import Glibc
internal import SwiftGet

/// Runs for files that the program itself reads before the run: lists and their signatures.
///
/// The files are items with the options of the command line, and go to unnamed files.
final class FetchRuns {
  enum FetchEnd {
    /// The lists, by their places among those of the command line, and the cookies that the run begins with.
    case fetched([Int: FetchedList], Secrets.Cookies?)
    /// Why has been told.
    case failed(ExitStatus)
    /// By this signal.
    case interrupted(Int32)
  }

  private let invocation: Invocation
  private let context: RunContext
  private let namedOrigins: Set<Origin>
  private let signals: SignalWatch
  /// Those of the run, with the cookies that the last one ended with.
  private(set) var cookies: Secrets.Cookies?

  /// Downloads what the command line names by URLs and the program itself reads.
  ///
  /// - Parameter verifier: as for `ListFetch`.
  /// - Throws: an invalid URL, or what stops the run as a whole.
  static func fetch(
    _ invocation: Invocation, _ context: RunContext, _ verifier: inout ListVerifier?
  ) throws(Failure) -> FetchEnd {
    let fetch = try ListFetch(invocation.lists)
    if fetch.namedOrigins.isEmpty { return .fetched([:], invocation.settings.secrets.cookies) }
    let runs = FetchRuns(invocation, context, namedOrigins: fetch.namedOrigins)
    defer { runs.release() }
    do throws(ListFetch.Stop) {
      let lists = try fetch.run(&verifier, by: runs.run) { text in
        context.messages.write(Diagnostic(message: text), isShown: invocation.display.verbosity > 0)
      }
      return .fetched(lists, runs.cookies)
    } catch {
      switch error {
      case .error(let error): throw error
      case .failures(let failures):
        for failure in failures { context.messages.write(Diagnostic(failure)) }
        return .failed(ExitStatus.overall(of: failures.map(\.code)))
      case .interrupted(let signal): return .interrupted(signal)
      }
    }
  }

  /// Blocks signals until `release`, because the command's loop handles them.
  ///
  /// - Parameter namedOrigins: of the URLs that the command line names.
  private init(_ invocation: Invocation, _ context: RunContext, namedOrigins: Set<Origin>) {
    self.invocation = invocation
    self.context = context
    self.namedOrigins = namedOrigins
    cookies = invocation.settings.secrets.cookies
    // They must be blocked before the first thread starts, libcurl's included.
    signals = SignalWatch(ProcessSetup.handledSignals + ProcessSetup.stopSignals)
  }

  /// What blocks then is ended by signals as if nothing had been downloaded.
  private func release() { signals.release() }

  private func run(_ requests: [FileRequest], mostBytes: Int64) throws(ListFetch.Stop) -> ListFetch.Results {
    let observer = ListFetchObserver(
      names: requests.map { Array($0.mirrors[0].location.withoutQuery.utf8) }, invocation.display, context.messages)
    let end: RunEnd
    do {
      let work = DownloadRun(
        ArraySource(requests), to: try DownloadPlace(directory: []), settings(mostBytes: mostBytes),
        trustedOrigins: namedOrigins, descriptorLimit: ProcessSetup.raiseDescriptorLimit())
      end = CommandLoop.run(work, observer, signals, until: context.deadline)
    } catch {
      throw .error(error)
    }
    if let kept = end.cookies { cookies?.loaded = kept }
    let cookieError = CookieFiles.save(end.cookies, invocation.settings, hearing: signals)
    if let signal = signals.ending {
      if let cookieError { context.messages.write(Diagnostic(cookieError)) }
      context.messages.write(
        Diagnostic(message: "interrupted; run the same command again to continue"), isShown: !invocation.display.isQuiet
      )
      throw .interrupted(signal)
    }
    if let cookieError { throw .failures([cookieError]) }
    return ListFetch.Results(outcomes: observer.outcomes, stoppedBy: end.stoppedBy)
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
