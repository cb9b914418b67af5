import DownloadCore
import DownloadEngine
import Glibc

/// Downloads the lists that the command line names by URLs, before the run.
///
/// They are items of a run of their own, with the options of the command line, and go to unnamed files. Nothing else
/// begins unless all are there.
struct ListFetch {
  /// The longest list, in bytes. A list is not limited by `--max-filesize`, which is for files.
  static let mostBytes: Int64 = 1 << 30
  /// Codings that `ListText` recognizes by the content.
  private static let readableCodings = ["gzip", "x-gzip", "zstd"]

  enum FetchEnd {
    /// By their places among the lists of the command line.
    case fetched([Int: FetchedList])
    /// Why has been told.
    case failed(ExitStatus)
    /// By this signal.
    case interrupted(Int32)
  }

  private let invocation: Invocation
  private let messages: Messages
  /// By the number of the request.
  private var lists: [Wanted] = []

  private struct Wanted {
    /// Among the lists of the command line.
    let place: Int
    let file: OpenFile
    let request: DownloadRequest

    var url: MirrorURL { request.mirrors[0] }
  }

  /// - Throws: an invalid URL, or what stops the run as a whole.
  static func run(_ invocation: Invocation, _ messages: Messages) throws(DownloadError) -> FetchEnd {
    let fetch = try ListFetch(invocation, messages)
    return fetch.lists.isEmpty ? .fetched([:]) : try fetch.run()
  }

  private init(_ invocation: Invocation, _ messages: Messages) throws(DownloadError) {
    self.invocation = invocation
    self.messages = messages
    var builder = RequestBuilder(invocation)
    for (place, text) in invocation.inputs.enumerated() where TargetName.isURL(text) {
      let file = try OpenFile.unnamed()
      let request = try builder.list(item: lists.count, url: text, into: file.descriptor)
      lists.append(Wanted(place: place, file: file, request: request))
    }
  }

  private func run() throws(DownloadError) -> FetchEnd {
    // The loop handles signals. They must be blocked before the first thread starts, libcurl's included.
    let signals = SignalWatch(ProcessSetup.handledSignals + ProcessSetup.stopSignals)
    // Lists that block are read as if nothing had been downloaded.
    defer { signals.release() }
    let observer = ListFetchObserver(
      names: lists.map { Array($0.url.location.withoutQuery.utf8) }, invocation, messages)
    let engine = try Engine(
      settings: settings, directory: [], trustedOrigins: Set(lists.map(\.url.location.origin)),
      source: ListRequests(lists.map(\.request)), observer: observer, signals: signals,
      descriptorLimit: ProcessSetup.raiseDescriptorLimit())
    let end = engine.run()
    if let signal = end.interruptedBy {
      messages.write(
        Diagnostic(message: "interrupted; run the same command again to go on"), isShown: !invocation.isQuiet)
      return .interrupted(signal)
    }
    return try result(end, observer.outcomes)
  }

  /// Those of the run, but for what only files have.
  private var settings: DownloadSettings {
    var settings = invocation.settings
    settings.maxFilesize = Self.mostBytes
    settings.takesSuggestedNames = false
    settings.recordedAlgorithms = []
    settings.timestamping = false
    settings.cookies?.jar = nil
    return settings
  }

  private func result(_ end: RunEnd, _ outcomes: [Int: Outcome]) throws(DownloadError) -> FetchEnd {
    var fetched: [Int: FetchedList] = [:]
    var failures: [DownloadError] = []
    for list in lists {
      guard let outcome = outcomes[list.request.item] else { continue }
      if case .failed(let error) = outcome.result {
        failures.append(FetchMessages.error(error, of: list.url.location))
      } else if let coding = outcome.lastAnswer?.contentCoding, !Self.readableCodings.contains(coding) {
        failures.append(FetchMessages.error(contentCoding: coding, of: list.url.location))
      } else {
        let content = FetchedList(
          file: list.file, url: list.url, location: outcome.lastAnswer?.location ?? list.url.location)
        fetched[list.place] = content
        tell(content, byteCount: outcome.byteCount)
      }
    }
    if failures.isEmpty, let error = end.stoppedBy { throw error }
    if failures.isEmpty { return .fetched(fetched) }
    for failure in failures { messages.write(Diagnostic(failure)) }
    return .failed(ExitStatus.overall(of: failures.map(\.code)))
  }

  private func tell(_ list: FetchedList, byteCount: Int64) {
    let text = FetchMessages.done(list.url.location, byteCount: byteCount, directory: list.base.location)
    messages.write(Diagnostic(message: text), isShown: invocation.verbosity > 0)
  }
}

/// The requests of the lists, one after the other.
private final class ListRequests: RequestSource {
  private var left: ArraySlice<DownloadRequest>
  let itemCount: Int?

  init(_ requests: [DownloadRequest]) {
    left = requests[...]
    itemCount = requests.count
  }

  func next() -> NextRequest { left.popFirst().map { .request($0) } ?? .end }
}
