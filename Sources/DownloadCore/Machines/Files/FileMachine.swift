/// One item, from the check of an existing file to its publication: which transfers it needs, what their answers mean,
/// when it is complete, and what its digests and the user's command make of it.
///
/// checking ──► running ──all is recorded──► verifying ──► judging ──► publishing ──► ended
///                 ▲─────────mismatch───────────┘ ▲──touched──┘
///
/// Every phase may end the item.
///
/// Its state has three owners: `VersionState` (the version of the content), `MirrorSet` (the mirrors) and
/// `RangePlanner` (recorded, assigned and wanted bytes). The extensions handle events: `+Demand` before a transfer,
/// `+Answers` at its head and body, `+Endings` and `+Faults` at its end, `+Conclusion` when all content is there.
package struct FileMachine: ~Copyable, Sendable {
  /// The state before the first request.
  package enum Beginning: Hashable, Sendable {
    case fresh
    /// The file that was there before is hashed. If it is wrong, the item begins again in another way.
    case check
    /// A part file with a usable record exists.
    ///
    /// - Parameters:
    ///   - expectedDigests: the record's digests. The content must have them as well as the digests of the request.
    ///   - isETagReliable: false if the host sent different entity tags for one version.
    ///   - isOfOtherURL: whether the mirror only takes the place of another URL, from which the bytes came.
    case resume(
      Representation, done: ByteRangeSet, mirror: Int, expectedDigests: [ExpectedDigest] = [],
      isETagReliable: Bool = true, isOfOtherURL: Bool = false)
    /// A finished file exists without a mark that is believed. One answer compares the length.
    case compareLength(LocalCopy)
    /// A finished file exists. It is replaced if the server has a newer one.
    case update(LocalCopy)
    /// As before, and the server has said that it has none. A HEAD asks for the length, which must be the file's.
    case confirm(LocalCopy)
    /// Nothing is stored. The file ends as kept at the first answer that could be: to a HEAD, or where the server refuses
    /// that, to a GET.
    case probe(ProbeMethod)
  }

  package enum ProbeMethod: Hashable, Sendable { case head, get }

  package enum Phase: Hashable, Sendable {
    /// The file that was there before is hashed.
    case checking
    case running
    /// The digests of the whole content are computed.
    case verifying(Conclusion)
    /// The user's command judges the content.
    case judging(Conclusion)
    /// The command has touched the file: the digests are computed again.
    case confirming(Conclusion)
    /// A worker names the file. Nothing calls it back.
    case publishing(Conclusion)
    case ended
  }

  package let item: ItemHandle
  package internal(set) var phase: Phase = .running
  var version: VersionState
  var mirrors: MirrorSet
  /// Whether an answer over HTTP/2 was left for one over HTTP/1.1.
  var hasLeftStream = false
  /// Mirrors that answers name.
  var linked = LinkedMirrors()
  var segments: RangePlanner
  var beginning: Beginning
  var integrityFailures = IntegrityFailures()
  package internal(set) var lastFault: TransferFault?
  /// How often something was asked for again: after a failed transfer, or for content that did not match.
  package internal(set) var retryCount = 0

  package private(set) var settings: FileSettings
  let expectedLength: Int64?
  /// The file's name, for `ForeignPage`; empty where it tells nothing.
  let name: [UInt8]
  /// Whether the content is a page that may have come in place of the file. It gets no mark.
  package internal(set) var isDoubtful = false

  package init(
    item: ItemHandle, mirrors: [Location], digests: [ContentDigest], expectedLength: Int64?,
    pieces: PieceHashes? = nil, name: [UInt8] = [], settings: FileSettings, beginning: Beginning, now: Instant
  ) {
    self.item = item
    self.name = name
    let probe = ConcurrencyProbe(
      initial: 1, maximum: settings.maxConnections, triesFewer: mirrors.count == 1, now: now)
    self.mirrors = MirrorSet(mirrors, probe: probe)
    version = VersionState(digests: digests, hasPieces: pieces != nil, settings: settings)
    segments = RangePlanner(
      pieces: pieces.map { PieceLedger($0, mirrorCount: mirrors.count) }, settings: settings)
    self.expectedLength = expectedLength
    self.settings = settings
    self.beginning = beginning
    if case .check = beginning { phase = .checking }
    guard case .resume(let known, let done, let mirror, let inherited, let isETagReliable, let isOfOtherURL) = beginning
    else { return }
    let source = mirrors.indices.contains(mirror) ? mirror : 0
    let isUsable = version.resume(
      known, digests: digests, inherited: inherited, trustsETags: isETagReliable, isOfOtherURL: isOfOtherURL)
    guard isUsable else {
      self.beginning = .fresh
      return
    }
    segments.resume(done)
    self.mirrors.choose(source)
    self.mirrors[source].broughtEarlier(done.byteCount, validators: isOfOtherURL ? nil : known.validators)
  }

  // MARK: Queries

  /// Whether the recorded bytes of an earlier run are used.
  package var didResume: Bool { if case .resume = beginning { true } else { false } }
  /// Recorded bytes.
  package var done: ByteRangeSet { segments.done }
  /// The end of the contiguous bytes that can be hashed.
  package var hashableEnd: Int64 { segments.hashableEnd }
  package var activeCount: Int { segments.active.count }
  package var representation: Representation? { version.representation }
  package var completeLength: Int64? { version.completeLength }
  /// All digests that the content must have.
  package var expectedDigests: ExpectedDigests { version.expectedDigests }
  var judgingAlgorithms: [DigestAlgorithm] {
    expectedDigests.all.map(\.digest.algorithm) + (version.needsConfirmation ? [.sha256] : [])
  }
  /// Whether the sidecar says that the host's entity tags are unreliable.
  package var distrustsETags: Bool { !version.trustsETags }
  /// The version for the sidecar.
  var knowledge: VersionKnowledge { version.knowledge(mirrors.validators) }
  var active: [ActiveTransfer] { segments.active }
  var pieces: PieceLedger? { segments.pieces }
  var currentMirror: Int { mirrors.current }
  /// Linked mirrors stand in for the server that named them.
  private var namedSource: Int { mirrors[mirrors.source].isLinked ? 0 : mirrors.source }
  var source: Location { mirrors[namedSource].location }
  var sourceValidators: Validators? { mirrors[namedSource].validators }

  /// Whether the content is whole, and the item has not ended.
  var isConcluding: Bool { conclusion != nil }

  /// What was concluded of the whole content; nil before and after.
  package var conclusion: Conclusion? {
    switch phase {
    case .verifying(let conclusion), .judging(let conclusion), .confirming(let conclusion), .publishing(let conclusion):
      conclusion
    case .checking, .running, .ended: nil
    }
  }

  /// Whether a worker names the file: nothing more is recorded, and no time limit ends it.
  package var isPublishing: Bool { if case .publishing = phase { true } else { false } }

  var isWhole: Bool { segments.isWhole(version.completeLength) }

  /// Whether several ranges may be combined: each must be provably of one version, or the content must be verifiable.
  func isSplittable(on host: HostConditions) -> Bool {
    completeLength != nil && version.isResumable(on: host)
  }

  /// Whether segments are divided among several mirrors.
  var sharesMirrors: Bool { mirrors.areShared(for: version) }

  // MARK: Settings

  /// The settings from now on. Connections beyond their number end, the last ones first.
  mutating func use(_ settings: FileSettings, now: Instant, _ actions: inout [RunAction]) {
    guard settings != self.settings else { return }
    if settings.maxConnections != self.settings.maxConnections {
      mirrors.limitConnections(to: settings.maxConnections, now: now)
    }
    self.settings = settings
    segments.settings = settings
    var surplus = active.count - settings.maxConnections
    for index in active.indices.reversed() where surplus > 0 {
      if giveUp(active[index].id, on: HostConditions(), &actions) { surplus -= 1 }
    }
  }

  /// Ends a transfer, because its connection is to be another one's or nobody's: at its next block, or at once if it has
  /// brought nothing. One without which the file would have to start over is not ended.
  ///
  /// - Returns: whether it ends.
  mutating func giveUp(_ id: TransferID, on host: HostConditions, _ actions: inout [RunAction]) -> Bool {
    guard let index = segments.index(of: id), phase == .running, active[index].purpose == .content else { return false }
    switch active[index].stage {
    case .judged: return false
    case .awaitingHead: segments.stop(index, &actions)
    case .receiving:
      guard active[index].end != .max, isSplittable(on: host) else { return false }
      // A whole answer brings what is there already first.
      if active[index].recorded == 0, active[index].position > active[index].bodyStart {
        segments.stop(index, &actions)
      } else {
        segments.cutShort(index, &actions)
      }
    }
    return true
  }

  /// Whether the item may leave the machine and go on later without loss.
  ///
  /// - Parameter hasMore: whether more is being written than is done.
  func mayPause(on host: HostConditions, hasMore: Bool) -> Bool {
    phase == .running
      && (done.isEmpty && !hasMore || version.isResumable(on: host) && !mirrors[currentMirror].ranges.isAvoided)
  }

  // MARK: Ends

  /// The item leaves the machine before it has ended. Recorded bytes stay.
  mutating func stopTransfers(_ actions: inout [RunAction]) { segments.stopAll(&actions) }

  /// An event that is impossible in this phase, due to a bug. It ends this item only.
  mutating func failImpossible(_ event: StaticString, _ actions: inout [RunAction]) {
    assertionFailure("\(event) while \(phase)")
    fail(Failure(.impossible(event: "\(event)", phase: "\(phase)")), &actions)
  }

  mutating func fail(_ error: Failure, _ actions: inout [RunAction]) {
    segments.stopAll(&actions)
    phase = .ended
    actions.append(.fail(item: item, error))
  }
}
