/// The mirrors of one file: which may be used, which is used next, and which are bad.
struct MirrorSet: Sendable {
  private var states: [MirrorState]
  /// The current mirror: the source of the file, or the first one to ask.
  private(set) var current = 0

  /// How often ranges were asked for again after a refusal.
  private var rangeRetryCount = 0

  /// The maximum of that for one file.
  private static let mostRangeRetries = 3
  /// The file must gain as much before the first of them, and 16 times as much before each next one.
  private static let leastGain: Int64 = 64 << 10

  /// The maximum of mirrors in use at once. Others wait as replacements.
  private static let mostPartners = 5

  init(_ locations: [Location], probe: ConcurrencyProbe) {
    states = locations.map { MirrorState($0, isOnly: locations.count == 1, probe: probe) }
  }

  /// Mirrors that an answer names join the file. They come last.
  mutating func join(_ locations: [Location], probe: ConcurrencyProbe) {
    states += locations.map { MirrorState($0, isLinked: true, probe: probe) }
  }

  /// No linked mirror is asked any more.
  mutating func dropLinked() {
    for mirror in states.indices where states[mirror].isLinked { states[mirror].expel(.wrongContent) }
    if states[current].isLinked { current = states.firstIndex(where: \.isLeft) ?? 0 }
  }

  /// Changes the most connections to each.
  mutating func limitConnections(to count: Int, now: Instant) {
    for mirror in states.indices { states[mirror].probe.limit(to: count, now: now) }
  }

  /// Every mirror may be asked at once.
  mutating func endWaits() { for mirror in states.indices { states[mirror].attempts.endWait() } }

  var count: Int { states.count }
  /// Whether a linked mirror brought some of the content.
  var includeLinkedBytes: Bool { states.contains { $0.isLinked && $0.contribution > 0 } }
  /// Whether a mirror that is left has shown the content's version.
  var includeSource: Bool { states.contains(where: \.isSource) }
  var locations: [Location] { states.map(\.redirects.original) }
  var validators: [Validators?] { states.map(\.validators) }
  var indices: Range<Int> { states.indices }

  // `get` instead of `_read`: with -O and without whole-module optimization (Swift 6.3.1), a part that is copied out of
  // the value that `_read` yields is released once too often.
  subscript(index: Int) -> MirrorState {
    get { states[index] }
    _modify { yield &states[index] }
  }

  // MARK: Candidates

  /// Whether any mirror may be used.
  func areLeft(for version: VersionState) -> Bool { !candidates(for: version).isEmpty }

  /// The usable mirrors, the current one first. Replacements are included only if there are no others, and linked
  /// mirrors only while the version admits them: without a known version there is no range to ask them for.
  ///
  /// - Parameter includesLaggards: whether slow mirrors are among them although there are others.
  func candidates(for version: VersionState, includesLaggards: Bool = false) -> [Int] {
    let admitsLinked = states.contains(where: \.isLinked) && version.admitsLinkedMirrors
    let left = states.indices.map { (current + $0) % states.count }
      .filter { states[$0].isLeft && (admitsLinked || !states[$0].isLinked) }
    let agreeing = left.filter { states[$0].isAgreeing }
    if agreeing.isEmpty { return left }
    // After a mismatch one mirror supplies everything, so that the next mismatch identifies the bad one.
    if !version.mixesMirrors, let sole = agreeing.first(where: { states[$0].contribution > 0 }) { return [sole] }
    if includesLaggards { return agreeing }
    let swift = agreeing.filter { !states[$0].isLaggard }
    return swift.isEmpty ? agreeing : swift
  }

  /// Mirrors whose bytes may be combined, those with a known version first.
  func partners(for version: VersionState) -> [Int] {
    let candidates = candidates(for: version)
    guard version.admitsSeveralMirrors, states.count > 1 else { return Array(candidates.prefix(1)) }
    let able = candidates.filter { !states[$0].ranges.isAvoided }
    let sources = able.filter { states[$0].validators != nil }
    return Array((sources + able.filter { states[$0].validators == nil }).prefix(Self.mostPartners))
  }

  /// Whether segments are divided among several mirrors.
  func areShared(for version: VersionState) -> Bool { states.count > 1 && partners(for: version).count > 1 }

  /// Whether another mirror of the request with a known version can continue the content.
  func hasOtherSource(than mirror: Int) -> Bool {
    states.indices.contains { $0 != mirror && states[$0].isSource && !states[$0].isLinked }
  }

  /// Whether another mirror is left, which may have the content or, as a replacement, another version of it.
  func hasOther(than mirror: Int) -> Bool {
    states.indices.contains { $0 != mirror && states[$0].isLeft }
  }

  /// Whether another source of the content precedes this mirror in the request.
  func isJunior(_ mirror: Int) -> Bool { states.prefix(mirror).contains(where: \.isSource) }

  /// Whether it is the first usable mirror in the order of the request.
  func isFirst(_ mirror: Int) -> Bool { !states.prefix(mirror).contains(where: \.isLeft) }

  /// The only source of the content if that is certain and another mirror is left.
  var soleSourceWithAlternative: Int? {
    let sources = states.indices.filter { states[$0].contribution > 0 }
    guard sources.count == 1, !states[sources[0]].includesEarlierRun else { return nil }
    return states.indices.contains { $0 != sources[0] && states[$0].isLeft && !states[$0].isLinked } ? sources[0] : nil
  }

  /// A source of the content, otherwise the current mirror.
  var source: Int { states.firstIndex { $0.contribution > 0 } ?? current }

  // MARK: Speeds

  /// Bytes per second of a connection to this mirror. The speed of the others for a mirror that was never measured; 0
  /// if none is known.
  func expectedRate(of mirror: Int) -> Double {
    if states[mirror].meter.isTelling { return states[mirror].meter.connectionRate }
    let known = states.filter(\.meter.isTelling)
    return known.isEmpty ? 0 : known.reduce(0) { $0 + $1.meter.connectionRate } / Double(known.count)
  }

  // MARK: Refused ranges

  /// The file has gained these bytes.
  ///
  /// - Returns: the mirrors that refused ranges and may be asked for them again.
  mutating func gained(_ byteCount: Int64) -> [Int] {
    guard rangeRetryCount < Self.mostRangeRetries, byteCount > 0 else { return [] }
    let least = Self.leastGain << (4 * rangeRetryCount)
    return states.indices.filter { states[$0].ranges.areRefused && states[$0].ranges.gained(byteCount) >= least }
  }

  /// Whether ranges may be asked for again after a whole answer that did not complete the file. If it brought nothing new,
  /// nor will the next one.
  mutating func maySucceedWithRanges(_ mirror: Int, afterWholeThatBroughtAny broughtAny: Bool) -> Bool {
    states[mirror].ranges.areRefused && (!broughtAny || states[mirror].ranges.gained(0) >= Self.leastGain)
  }

  /// Has ranges requested from the mirror again, unless that was done often enough for this file.
  ///
  /// - Parameter lastStart: the latest start of the mirror's active transfers; nil if there are none.
  mutating func askForRangesAgain(_ mirror: Int, lastStart: Instant?) {
    guard rangeRetryCount < Self.mostRangeRetries else { return }
    rangeRetryCount += 1
    states[mirror].ranges.refusalExpired(lastStart: lastStart)
  }

  // MARK: Current mirror

  mutating func choose(_ mirror: Int) { current = mirror }

  /// Makes the mirror after this one current, unless there is only one.
  mutating func pass(_ mirror: Int) { if states.count > 1 { current = (mirror + 1) % states.count } }

  /// Makes the next usable mirror current, if there is one.
  mutating func passToNextLeft() {
    for step in 1...states.count where states[(current + step) % states.count].isLeft {
      current = (current + step) % states.count
      return
    }
  }

  // MARK: Standing

  /// Leaves the mirror because others are far faster.
  mutating func lags(_ mirror: Int, _ version: VersionState) {
    states[mirror].lags()
    if current == mirror { current = candidates(for: version).first ?? mirror }
  }

  /// Sends no further request to the mirror.
  ///
  /// - Returns: whether another mirror is left.
  mutating func expel(_ mirror: Int, _ fault: TransferFault, _ version: VersionState) -> Bool {
    states[mirror].expel(fault)
    guard areLeft(for: version) else { return false }
    current = (mirror + 1) % states.count
    current = candidates(for: version).first ?? current
    return true
  }

  /// The next whole answer may be of any version.
  mutating func versionDiscarded() { for mirror in states.indices { states[mirror].validators = nil } }

  /// The content was discarded. The version of any mirror may become the wanted one.
  mutating func contentDiscarded() {
    for mirror in states.indices { states[mirror].contentDiscarded() }
    dropLinked()
  }
}
