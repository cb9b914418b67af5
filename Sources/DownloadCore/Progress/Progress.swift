/// A snapshot of an active file, for displays.
package struct FileProgress: Sendable, Hashable {
  package enum Phase: String, Sendable { case waiting, connecting, receiving, verifying, publishing, retrying }

  package var task: TaskID
  /// The target's path relative to the working directory; raw bytes, not escaped.
  package var name: [UInt8]
  package var phase: Phase
  package var completeLength: Int64?
  package var doneByteCount: Int64
  /// Bytes per second over the last seconds, which are the same for all files and for the run.
  package var rate: Double
  /// Bytes per second over a longer time, for estimates.
  package var steadyRate: Double
  package var connectionCount: Int
  /// Whether its bytes stay useful when it is paused.
  package var isResumable = true
  /// Until its next request, while it waits for a time.
  package var remaining: Duration?
  /// Why its last transfer failed, while it has none.
  package var fault: TransferFault?

  package init(
    task: TaskID, name: [UInt8], phase: Phase, completeLength: Int64?, doneByteCount: Int64, rate: Double,
    steadyRate: Double, connectionCount: Int
  ) {
    self.task = task
    self.name = name
    self.phase = phase
    self.completeLength = completeLength
    self.doneByteCount = doneByteCount
    self.rate = rate
    self.steadyRate = steadyRate
    self.connectionCount = connectionCount
  }
}

/// A snapshot of the run.
package struct RunProgress: Sendable, Hashable {
  /// The number of items in the input; nil until they are counted.
  package var itemCount: Int?
  package var downloadedCount = 0
  package var keptCount = 0
  package var failedCount = 0
  /// Items that commands ended.
  package var withdrawnCount = 0
  /// In a run that ended early: items that were active at that time, and items that were never started.
  package var unfinishedCount = 0
  package var unstartedCount = 0
  /// Body bytes received from the network in this run, including those that were discarded.
  package var receivedByteCount: Int64 = 0
  /// Bytes of active and finished items in target files and part files.
  package var doneByteCount: Int64 = 0
  /// The sum of the lengths of active and finished items; nil if one of them is unknown.
  package var knownByteCount: Int64?
  /// Bytes per second over all connections, in the last seconds. The sum of the files' rates, as far as the bytes
  /// belong to active files.
  package var rate: Double = 0
  /// Bytes per second over a longer time, for estimates.
  package var steadyRate: Double = 0
  package var connectionCount = 0
  package var elapsed: Duration = .zero
  /// Whether files wait for the network, which is lost.
  package var isOffline = false
  package var active: [FileProgress] = []
  /// Hosts that keep requests waiting, by name.
  package var limitingHosts: [HostLimit] = []

  package init() {}
}

/// What a host that refuses requests asks for.
package struct HostLimit: Sendable, Hashable {
  package enum Request: Sendable, Hashable {
    /// No request before this time has passed.
    case pause(Duration)
    /// No more requests per second than these, as far as its refusals tell.
    case rate(Double)
  }

  package var origin: Origin
  package var request: Request

  package init(_ origin: Origin, _ request: Request) { (self.origin, self.request) = (origin, request) }
}

/// What an answer of a server tells about a file that was made of it.
package struct ServerAnswer: Sendable, Equatable {
  package var status: Int
  /// The URL that was asked for: after redirects, not the original one. Displays must redact it.
  package var location: Location
  /// Content-Encoding in lower case; nil for none.
  package var contentCoding: String?
  /// `type/subtype` in lower case; nil for none.
  package var contentType: String?
  /// Bytes of the body, as the head tells them.
  package var contentLength: Int64?
  package var entityTag: EntityTag?
  /// Seconds since 1970.
  package var lastModified: Int64?
  /// The next page that a `Link` field names: a URL or an unresolved reference.
  package var nextPage: [UInt8]?

  package init(status: Int, location: Location, contentCoding: String? = nil) {
    self.status = status
    self.location = location
    self.contentCoding = contentCoding
  }
}

/// The result of an item.
package struct Outcome: Sendable, Equatable {
  package enum Result: Sendable, Equatable {
    /// Downloaded in this run, published and, unless `--no-sync` is set, on stable storage.
    case downloaded
    /// The existing file was kept.
    case kept
    case failed(Failure)
    /// A command ended it; no unfinished data is left.
    case withdrawn(Withdrawal)
    /// The run ended before it did; its bytes are saved. Stands in `RunEnd.unfinished` only.
    case unfinished
  }

  package var task: TaskID
  package var name: [UInt8]
  /// The original URL. Displays must redact it.
  package var location: Location
  package var result: Result
  /// The size of the published file; for a failed or unfinished item, the number of bytes in the part file.
  package var byteCount: Int64
  package var transfers: TransferSummary
  /// The status of the server's answer that decided the result; nil where none did.
  package var status: Int?
  /// The digest that the content matches, and its source; nil if no digest was compared.
  package var verified: VerifiedDigest?
  package var elapsed: Duration
  /// The line of the list; nil for a URL on the command line.
  package var source: SourceLine?
  /// All URLs of the file; the first identifies the download. The userinfo is secret, and displays must redact the rest.
  package var mirrors: [MirrorURL] = []
  /// Of a file that is in place, where `RunSettings.recordedAlgorithms` asks for it or a hook of the task follows.
  package var record: ContentRecord?
  /// What the task wants to be run after this result.
  package var hook: PlacedCommand?

  package init(
    task: TaskID, name: [UInt8], location: Location, result: Result, byteCount: Int64, received: ReceivedBytes,
    status: Int?, verified: VerifiedDigest?, elapsed: Duration, source: SourceLine?
  ) {
    self.task = task
    self.name = name
    self.location = location
    self.result = result
    self.byteCount = byteCount
    transfers = TransferSummary(received: received)
    self.status = status
    self.verified = verified
    self.elapsed = elapsed
    self.source = source
  }
}

/// What the transfers of an item came to in this run.
package struct TransferSummary: Sendable, Equatable {
  package var received: ReceivedBytes
  /// How often something was asked for again: after a failed transfer, or for content that did not match.
  package var retryCount = 0
  /// The URL that served the content, after redirects; of a file that is not in place, that of its last answer. Nil for a
  /// file that was kept, and where there was no answer. Displays must redact it.
  package var servedBy: Location?
  /// The last answer of any kind; nil where there was none.
  package var lastAnswer: ServerAnswer?
  /// Mirrors that the server named. Their numbers follow those of the request.
  package var linkedMirrors: [Location] = []

  package init(received: ReceivedBytes) { self.received = received }
}

/// What is known about the content of a finished file beyond its length.
package struct ContentRecord: Sendable, Equatable {
  /// Computed over exactly the bytes that were published; empty for a file that was kept.
  package var digests: [ContentDigest] = []
  /// Validators of the answer that served it; nil for a file that was kept.
  package var validators: Validators?

  package init() {}
}

/// A remark on an item, or on the run where `task` is nil.
package struct Notice: Sendable, Equatable {
  package enum Level: Int, Sendable { case detail, note, warning }

  package var task: TaskID?
  package var name: [UInt8]?
  package var level: Level
  package var remark: Remark

  package init(task: TaskID?, name: [UInt8]?, level: Level, _ remark: Remark) {
    self.task = task
    self.name = name
    self.level = level
    self.remark = remark
  }
}

/// Something that happened, with its facts. `DownloadWords` makes the words.
package indirect enum Remark: Hashable, Sendable {
  // MARK: What is there

  case startingOver(StartOverReason)
  case sidecarIgnored(SidecarReading.Unusable)
  /// The sidecar records bytes beyond the end of the part file.
  case sidecarExceedsPart
  /// This many bytes of an earlier run count.
  case goingOn(after: Int64)
  case foreignFileLeftAlone(ForeignFile)
  /// Another run holds the target; it is looked at again when everything else is done. The process id where it is known.
  case heldElsewhere(process: Int32?)
  /// Another process has made a file of the target's name meanwhile. The item is looked at again at the end of the run.
  case targetAppeared
  /// Nothing is left but targets that other runs hold, and the run waits for them.
  case waitingForOtherRuns(count: Int, atMost: Duration)
  /// The target's digests are wrong. It stays until the right content is verified.
  case targetIsWrong
  /// The file system cannot put files on stable storage. Told once in a run.
  case syncUnsupported
  /// Recording, or setting aside, failed; the download goes on.
  case failed(Failure)
  /// Content that failed verification has this name.
  case setAside(as: [UInt8])

  // MARK: Transfers

  /// No transfer of the host was served; it is probed.
  case hostUnreachable(Origin, TransferFault)
  /// The host takes no request now. The pause that it asks for; nil where it names none.
  case hostRefuses(Origin, TransferFault, pause: Duration?)
  case retrying(TransferFault)
  /// The server does not serve ranges: one stream goes on.
  case rangesUnsupported
  /// The file is an HTML page of this host, to which a redirect led. It may not be what is wanted.
  case foreignPage(from: String)
  /// An answer over HTTP/2 has no length, so the file is requested over HTTP/1.1.
  case requestingOverHTTP1
  /// An answer to a range shows another version: a plain GET decides.
  case versionInDoubt(VersionChange)
  /// The mirror has another version than the content, or none that can be told to be the same.
  case mirrorDisagrees(Location)
  case leavingMirror(Location, TransferFault)
  /// This many mirrors that the server names have joined the file.
  case mirrorsJoined(Int)
  /// The mirror is far slower than another one.
  case leavingSlowMirror(Location)
  /// What is wrong is fetched again.
  case mismatch(DigestMismatch)
  /// Two fetches of a body whose end nothing else confirms differ.
  case unconfirmed

  // MARK: The run

  /// A command that the user wants to be run has failed.
  /// - Parameters:
  ///   - option: the option that names it.
  ///   - program: its first word.
  case commandFailed(option: Phrase, program: [UInt8], ChildEnd)
  /// The item did not begin, because the run had to stop.
  case notStarted
  /// Further items, which are not named, did not begin.
  case othersNotStarted(Int)
  /// The answer to SIGUSR1.
  case status(RunProgress)
}
