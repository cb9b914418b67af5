/// One wanted file, from its first request to its place: which transfers it needs, what their answers mean, when it is
/// whole.
///
/// waiting ─► running ─► concluding ─► ended
///    ▲ ▲        │  ▲         │mismatch
///    │ └paused◄─┤  └─────────┘
///    └──────────┘ (between attempts)
///
/// A version is adopted with the first answer that brings it; every later answer must fit (`ResponseJudge`). Ranges are
/// whatever is neither recorded nor on its way: `done` and the active transfers are the whole truth, and nothing else
/// has to be kept in step with them.
package struct FileMachine: ~Copyable, Sendable {
  /// How the work begins.
  package enum Beginning: Hashable, Sendable {
    case fresh
    /// A part file with a usable record is there.
    ///
    /// - Parameters:
    ///   - judges: digests on whose strength the bytes were kept; they judge the content, whoever gives digests now.
    ///   - isETagReliable: false where the host's entity tags were found to differ between answers of one version.
    case resume(
      Representation, done: ByteRangeSet, mirror: Int, judges: [ExpectedDigest] = [], isETagReliable: Bool = true)
    /// A finished file of this size is there, and nothing vouches for it: one answer compares the length.
    case compareLength(Int64)
    /// A finished file is there; it is replaced where the server has a newer one.
    case update(LocalCopy)
  }

  package enum Phase: Hashable, Sendable {
    case running
    case paused
    case concluding
    case ended
  }

  struct MirrorState: Sendable {
    let original: Location
    /// How many connections to it pay.
    var climber: ConcurrencyProbe
    /// What it brings.
    var meter = MirrorMeter()
    /// Where redirects led; nil before the first and after the target stopped serving.
    var resolved: Location?
    var hopCount = 0
    /// It has answered with content from where it is asked now.
    var isSettled = false
    /// Validators that this mirror itself has told for the adopted version.
    var validators: Validators?
    /// Attempts in a row that recorded nothing worth mentioning.
    var fruitlessAttempts = 0
    /// Ranges in a row that brought next to nothing; those that were at work together count once.
    var fruitlessRanges = 0
    /// When the last of them was counted.
    var fruitlessRangeAt = Instant(nanoseconds: .min)
    /// Some range has brought what counts as progress.
    var hasServedRange = false
    /// Progress that it brought since its last fault, bytes.
    var recordedSinceFault: Int64 = 0
    /// Its answers to ranges are of no use: it is asked for the whole.
    var ignoresRanges = false
    /// How often a plain GET had to tell its version because an answer to a range did not.
    var doubtCount = 0
    /// An answer to a range contradicted the request or itself.
    var hasBrokenRanges = false
    /// It has another version than the content, or none that can be told to be the same: it waits until no other is
    /// left, and begins at zero then.
    var isReplacement = false
    /// It is so much slower than another one that it would only hold the file up: asked again where no other is left.
    var isLaggard = false
    /// Bytes of the current content that came from it.
    var contribution: Int64 = 0
    var unansweredInARow = 0
    var notBefore = Instant.zero
    /// Set when no further request goes there.
    var expelledBy: TransferFault?
    /// What the host had served when it last pushed back on this file.
    var servedSeen: Int64 = -1
    var pushbacksInARow = 0
    /// When a push was last taken for a matter of how many ask at once.
    var congestedAt = Instant(nanoseconds: .min)
    /// When the last attempt was counted.
    var countedAt = Instant(nanoseconds: .min)

    var location: Location { resolved ?? original }
  }

  struct ActiveTransfer: Sendable {
    enum Stage: Hashable, Sendable {
      case awaitingHead
      case receiving
      /// The body is of no use; this follows when it is out of the way.
      case judged(Aftermath)
    }

    enum Aftermath: Hashable, Sendable {
      case redirect(Location)
      case resolveAgain(status: Int)
      case refused(TransferFault, retryAfter: Duration?)
      /// A plain GET is to tell which version the mirror has.
      case versionInDoubt(ResponseJudge.ChangeReason?)
      /// The mirror refuses ranges: a plain GET may work.
      case rangesRefused
      /// The mirror has another version than the content so far.
      case disagrees
      /// The same, but it was named first, and nothing else decides: its version is the wanted one.
      case outranks
      case rangeUnsupported
      case useless
      case keepExisting
      case failItem(DownloadError)
    }

    let id: TransferID
    let mirror: Int
    /// Where it asks.
    let location: Location
    let asked: AskedContent
    let purpose: TransferOrder.Purpose
    let startedAt: Instant
    /// It asked for a body only where the server has a newer file.
    let isConditional: Bool
    var stage: Stage = .awaitingHead
    /// Recorded up to here.
    var position: Int64
    /// Wanted up to here; `Int64.max` while the length is unknown.
    var end: Int64
    /// The position at which its body began.
    var bodyStart: Int64
    /// When its body began to come.
    var answeredAt = Instant.zero
    /// Bytes that it was the first to record.
    var recorded: Int64 = 0
    /// Body bytes that came in, recorded or still buffered.
    var received: Int64 = 0
    var receivedAtTick: Int64 = 0
    /// Bytes per second lately.
    var speed: Double = 0
  }

  package let item: Int
  package internal(set) var phase: Phase = .running
  package internal(set) var representation: Representation?
  package internal(set) var done = ByteRangeSet()
  /// The most that was ever recorded at once since the last counted restart: only what goes beyond is progress, for
  /// bytes that are fetched again after they were thrown away are none.
  var mostDone: Int64 = 0
  package var activeCount: Int { active.count }
  package internal(set) var lastModified: Int64?

  let settings: FileSettings
  /// What the request says of the content.
  let digests: [ContentDigest]
  /// Every digest that the content must have.
  package internal(set) var judges: Judges
  /// The sidecar says that the host's entity tags are not to be relied on.
  package private(set) var distrustsETags = false
  let expectedLength: Int64?
  /// Nil where no hashes of pieces are known.
  var pieces: PieceLedger?
  var mirrors: [MirrorState]
  var currentMirror = 0
  var active: [ActiveTransfer] = []
  var beginning: Beginning
  /// Of the mirror that is asked first.
  var climber: ConcurrencyProbe { mirrors[currentMirror].climber }
  /// Bytes per second of the whole file, measured by the driver's ticks.
  var rate: Double = 0
  /// Of the host it comes from; a range should last many of them.
  var roundTrip: Duration = .zero
  /// The median of its connections' speeds, bytes per second; 0 until two have shown theirs.
  var usualSpeed: Double = 0
  /// What a connection of its host brings, bytes per second; 0 while unknown.
  var hostSpeed: Double = 0
  var measuredAt = Instant.zero
  /// This program, or a limit of the user's, is what holds the rate down: no connection is slow of itself then.
  var isSaturated = false
  /// Slow connections that were ended or raced.
  var hurryCount = 0
  /// Body bytes that are fetched twice for the sake of speed.
  var duplicateByteCount: Int64 = 0
  /// One connection at a time.
  var isSingleStream = false
  var isCloseDelimited = false
  var isConfirmed = false
  var restartCount = 0
  var integrityFailureCount = 0
  /// Bytes of several mirrors may stand side by side because a digest will judge them; after a mismatch no more, so
  /// that the next one tells whose they were.
  var mixesMirrors = true
  package internal(set) var lastFault: TransferFault?

  /// A version that changes so often while it is fetched is given up.
  static let restartLimit = 5
  /// After so many doubts about its version a mirror is asked for the whole only.
  static let doubtLimit = 3
  static let integrityLimit = 3
  /// Newly recorded bytes that count as progress.
  static let progressByteCount = Retries.progressByteCount
  /// A finished connection takes half of another's rest only where at least this is left for each.
  static let leastStolenByteCount: Int64 = 256 << 10

  package init(
    item: Int, mirrors: [Location], digests: [ContentDigest], expectedLength: Int64?,
    pieces: PieceHashes? = nil, settings: FileSettings, beginning: Beginning, now: Instant
  ) {
    self.item = item
    let climber = ConcurrencyProbe(
      initial: 1, maximum: settings.maxConnections, triesFewer: mirrors.count == 1, now: now)
    self.mirrors = mirrors.map { MirrorState(original: $0, climber: climber) }
    self.digests = digests
    judges = Judges(given: digests)
    self.expectedLength = expectedLength
    self.pieces = pieces.map { PieceLedger($0, mirrorCount: mirrors.count) }
    self.settings = settings
    self.beginning = beginning
    if case .resume(let known, let done, let mirror, let inherited, let isETagReliable) = beginning {
      let isUsable =
        isJudged || !inherited.isEmpty || settings.trustsLength
        || known.validators.canIdentify(isETagReliable: isETagReliable)
      if isUsable, known.contentCoding == nil {
        representation = known
        self.done = done
        mostDone = done.byteCount
        judges = Judges(given: digests, inherited: inherited)
        distrustsETags = !isETagReliable
        lastModified = known.validators.lastModified
        currentMirror = mirrors.indices.contains(mirror) ? mirror : 0
        self.mirrors[currentMirror].validators = known.validators
        self.mirrors[currentMirror].contribution = done.byteCount
      } else {
        self.beginning = .fresh
      }
    }
  }

  /// Digests of the whole or of all its pieces will judge the end.
  var digestWillJudge: Bool { isJudged || judges.areKnown }

  /// Whether what is recorded was taken over: false where the resume record could not be used.
  package var didResume: Bool { if case .resume = beginning { true } else { false } }

  package var completeLength: Int64? { representation?.completeLength }

  /// Whether several ranges may be put together: each must be provably of one version, or judged at the end.
  func isSplittable(isETagReliable: Bool) -> Bool {
    !isSingleStream && representation?.completeLength != nil && isResumable(isETagReliable: isETagReliable)
  }

  /// Whether a later answer can be told to be of the version of which something is recorded.
  func isResumable(isETagReliable: Bool) -> Bool {
    guard let representation, representation.contentCoding == nil else { return false }
    return digestWillJudge || settings.trustsLength
      || representation.validators.canIdentify(isETagReliable: isETagReliable)
  }

  // MARK: Control from outside

  /// Stops the transfers; what is recorded stays.
  package mutating func pause(_ actions: inout [RunAction]) {
    guard phase == .running else { return }
    stopAll(&actions)
    phase = .paused
  }

  package mutating func resume() {
    if phase == .paused { phase = .running }
  }

  /// Ends the item; unfinished data goes where `discards` says so.
  package mutating func cancel(discards: Bool, _ actions: inout [RunAction]) {
    switch phase {
    case .running, .paused:
      stopAll(&actions)
      if discards { actions.append(.discardContent(item: item)) }
      phase = .ended
    // A conclusion cannot be called back: its rename may be done.
    case .concluding, .ended: break
    }
  }

  mutating func stopAll(_ actions: inout [RunAction]) {
    for transfer in active { actions.append(.stop(transfer.id)) }
    active.removeAll()
  }

  mutating func fail(_ error: DownloadError, _ actions: inout [RunAction]) {
    stopAll(&actions)
    phase = .ended
    actions.append(.fail(item: item, error))
  }
}

/// A finished file that is to be replaced where the server has a newer one.
package struct LocalCopy: Hashable, Sendable {
  /// Unix seconds.
  package var modified: Int64
  /// Bytes.
  package var size: Int64
  /// The strong entity tag that the server told when the file was fetched; nil where the file may have changed since.
  package var entityTag: EntityTag?

  package init(modified: Int64, size: Int64, entityTag: EntityTag? = nil) {
    self.modified = modified
    self.size = size
    self.entityTag = entityTag
  }

  /// Whether a 200 to a conditional request says that this file is to stay.
  ///
  /// Some servers compare times for equality only and send an older file, so the times are compared here. An answer
  /// without a modification time is taken, as wget does. A recorded entity tag shows a change within one second.
  package func isCurrent(besides head: ResponseHead) -> Bool {
    guard let theirs = head.lastModified else { return false }
    if theirs != modified { return theirs < modified }
    if let mine = entityTag, let other = head.entityTag, !other.isWeak, mine.opaque != other.opaque { return false }
    return head.contentEncoding != nil || head.contentLength.map { $0 == size } ?? true
  }
}

/// The part of the settings that decisions about one file need.
package struct FileSettings: Hashable, Sendable {
  package var tries: Int
  package var retryWait: Duration
  package var maxConnections: Int
  package var minSplitSize: Int64
  package var maxRedirects: Int
  package var maxFilesize: Int64?
  package var trustsLength: Bool
  package var allowsUnconfirmed: Bool
  /// Whether the content's first bytes can still be hashed when a digest becomes known late. A stream is gone by then.
  package var canHashLate = true
  /// How far ahead of the first missing byte ranges are handed out, bytes.
  package var window: Int64 = 256 << 20

  package init(_ settings: DownloadSettings) {
    tries = max(1, settings.tries)
    retryWait = settings.retryWait
    maxConnections = max(1, settings.connectionsPerFile ?? 16)
    minSplitSize = max(64 << 10, settings.minSplitSize)
    maxRedirects = settings.maxRedirects
    maxFilesize = settings.maxFilesize
    trustsLength = settings.trustsLength
    allowsUnconfirmed = settings.allowsUnconfirmed
  }
}
