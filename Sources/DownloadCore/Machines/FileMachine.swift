/// One wanted file, from its first request to its place: which transfers it needs, what their answers mean, when it is
/// whole.
///
/// running ──all is recorded──► concluding ──published──► ended
///   │ ▲ ▲────────mismatch────────┘                        ▲
///   │ └──paused                                           │
///   └──────────────────no mirror is left──────────────────┘
///
/// What it decides with has three owners: `VersionState` (which version, and by whom), `MirrorSet` (where to ask) and
/// `RangePlanner` (which bytes are recorded, assigned and wanted next). The extensions say what events mean for these:
/// `+Demand` before a transfer, `+Answers` at its head and body, `+Endings` and `+Faults` at its end.
package struct FileMachine: ~Copyable, Sendable {
  /// What is there before the first request.
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

  package let item: Int
  package internal(set) var phase: Phase = .running
  var version: VersionState
  var mirrors: MirrorSet
  var segments: RangePlanner
  var beginning: Beginning
  var restartCount = 0
  var integrityFailureCount = 0
  package internal(set) var lastFault: TransferFault?

  let settings: FileSettings
  let expectedLength: Int64?

  /// A version that changes so often while it is fetched is given up.
  static let restartLimit = 5
  static let integrityLimit = 3

  package init(
    item: Int, mirrors: [Location], digests: [ContentDigest], expectedLength: Int64?,
    pieces: PieceHashes? = nil, settings: FileSettings, beginning: Beginning, now: Instant
  ) {
    self.item = item
    let climber = ConcurrencyProbe(
      initial: 1, maximum: settings.maxConnections, triesFewer: mirrors.count == 1, now: now)
    self.mirrors = MirrorSet(mirrors, climber: climber)
    version = VersionState(
      digests: digests, hasPieces: pieces != nil, mirrorCount: mirrors.count, settings: settings)
    segments = RangePlanner(
      pieces: pieces.map { PieceLedger($0, mirrorCount: mirrors.count) }, settings: settings)
    self.expectedLength = expectedLength
    self.settings = settings
    self.beginning = beginning
    guard case .resume(let known, let done, let mirror, let inherited, let isETagReliable) = beginning else { return }
    let source = mirrors.indices.contains(mirror) ? mirror : 0
    let isUsable = version.resume(
      known, digests: digests, inherited: inherited, mirror: source, trustsETags: isETagReliable)
    guard isUsable else {
      self.beginning = .fresh
      return
    }
    segments.resume(done)
    self.mirrors.choose(source)
    self.mirrors[source].broughtEarlier(done.byteCount)
  }

  // MARK: What is known

  /// Whether what is recorded was taken over: false where the resume record could not be used.
  package var didResume: Bool { if case .resume = beginning { true } else { false } }
  /// Recorded bytes.
  package var done: ByteRangeSet { segments.done }
  /// Where the bytes end that can be hashed as a whole.
  package var hashableEnd: Int64 { segments.hashableEnd }
  package var activeCount: Int { segments.active.count }
  package var representation: Representation? { version.representation }
  package var completeLength: Int64? { version.completeLength }
  /// Every digest that the content must have.
  package var expectedDigests: ExpectedDigests { version.expectedDigests }
  /// The sidecar says that the host's entity tags are not to be relied on.
  package var distrustsETags: Bool { !version.trustsETags }
  /// What a sidecar is to say of the version.
  var knowledge: VersionKnowledge { version.knowledge }
  var active: [ActiveTransfer] { segments.active }
  var pieces: PieceLedger? { segments.pieces }
  var currentMirror: Int { mirrors.current }

  var isWhole: Bool { segments.isWhole(version.completeLength) }

  /// Whether several ranges may be put together: each must be provably of one version, or judged at the end.
  func isSplittable(on host: HostConditions) -> Bool {
    !segments.isSingleStream && completeLength != nil && version.isResumable(on: host)
  }

  /// Whether segments are divided among several mirrors.
  var sharesMirrors: Bool { mirrors.areShared(for: version) }

  // MARK: Control from outside

  /// Stops the transfers; what is recorded stays.
  package mutating func pause(_ actions: inout [RunAction]) {
    guard phase == .running else { return }
    segments.stopAll(&actions)
    phase = .paused
  }

  /// Continues after a pause. Content that became complete meanwhile is concluded.
  package mutating func resume(_ actions: inout [RunAction]) {
    if phase == .paused { phase = .running }
    concludeIfWhole(&actions)
  }

  /// Ends the item without a file. Has no effect while the content is verified and published, for its rename may be done.
  package mutating func withdraw(_ withdrawal: Withdrawal, _ actions: inout [RunAction]) {
    switch phase {
    case .running, .paused:
      segments.stopAll(&actions)
      phase = .ended
      actions.append(.withdraw(item: item, withdrawal))
    case .concluding, .ended: break
    }
  }

  /// An event that cannot happen in this phase: a fault of this program, which ends this item only.
  mutating func failImpossible(_ event: StaticString, _ actions: inout [RunAction]) {
    assertionFailure("\(event) while \(phase)")
    fail(DownloadError(.impossible(event: "\(event)", phase: "\(phase)")), &actions)
  }

  mutating func fail(_ error: DownloadError, _ actions: inout [RunAction]) {
    segments.stopAll(&actions)
    phase = .ended
    actions.append(.fail(item: item, error))
  }
}
